"""docs/api.md tells of every field of fine-tuning, with its default."""

import re
from dataclasses import MISSING, fields

from jobs.finetune.config import LEARNING_RATES, TARGETS, FinetuneConfig, Method

ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \|", re.MULTILINE)
# Written in words.
SPELLED = {
    "learning_rate": f"{LEARNING_RATES[Method.SFT]:.0e}".replace("e-0", "e-"),
    "target_modules": ", ".join(name.removesuffix("_proj") for name in TARGETS),
    "sft_scope": "`full`",
    "warm_start_adapter": "none",
}


def spell(name: str, default: object) -> str:
    if name in SPELLED:
        return SPELLED[name]
    if isinstance(default, bool):
        return str(default).lower()
    return f"`{default}`" if isinstance(default, str) else str(default)


def test_every_field_and_its_default_is_documented(root):
    text = (root / "docs" / "api.md").read_text(encoding="utf-8")
    section = text.partition("\n## Fine-tuning\n")[2].partition("\n## ")[0]
    documented = dict(ROW.findall(section))

    for each in fields(FinetuneConfig):
        if each.default is not MISSING:
            assert documented[each.name] == spell(each.name, each.default), each.name
