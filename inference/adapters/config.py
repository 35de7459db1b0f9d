"""What the JSON file beside an adapter's weights tells, in whatever format."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hub.errors import BrokenModel
from hub.folders import repo_id_of
from hub.model_files import read_object
from inference.adapters.errors import BadAdapter

CONFIG_FILE = "adapter_config.json"
OPTIQ_FILE = "optiq_lora_config.json"
# More than any layer has numbers: such a product would be no smaller than the layer.
MAX_RANK: Final = 2**20
# Where trainers write down what they trained on.
_BASE_FIELDS = ("base_model", "base_model_name_or_path", "model", "source_model")


@dataclass(frozen=True, slots=True)
class AdapterConfig:
    """How to read and weigh an adapter's factors.

    rank: of every layer, or of the largest if `ranks_vary`.
    scale: what the product of the factors is multiplied by.
    base_model: what it was trained on, as recorded; None if nothing was.
    """

    rank: int
    scale: float
    base_model: str | None
    ranks_vary: bool = False

    def fits_base(self, model_id: str) -> bool:
        """Tell whether it was trained on this model, as far as names tell."""
        return self.base_model is None or bare_name(self.base_model) == bare_name(model_id)


def bare_name(model: str) -> str:
    """Return a model's name without its owner, or what folder it lies in."""
    return repo_id_of(Path(model)).rpartition("/")[2]


def has_config(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (CONFIG_FILE, OPTIQ_FILE))


def read_fields(folder: Path) -> Mapping[str, Any]:
    """Return the fields of a folder's configuration; raises BadAdapter if there is none.

    mlx-optiq writes a file of its own beside the other, or alone: only it tells that layers
    differ in rank.
    """
    own = (folder / OPTIQ_FILE).is_file()
    alone = own and not (folder / CONFIG_FILE).is_file()
    try:
        fields = read_object(folder / (OPTIQ_FILE if alone else CONFIG_FILE))
    except BrokenModel as error:
        raise BadAdapter(str(error)) from error
    return {"optiq": {}, **fields} if own else fields


def read_config(fields: Mapping[str, Any]) -> AdapterConfig:
    """Read rank, scale and base; raises BadAdapter where they are missing or make no sense.

    mlx-lm nests the first two, mlx-optiq does not, and PEFT spells the scale as a quotient.
    """
    _refuse_other_methods(fields)
    lora = fields.get("lora_parameters", fields)
    if not isinstance(lora, Mapping):
        raise BadAdapter("lora_parameters of its configuration is not an object")
    if "r" in fields and "scale" not in lora:
        rank = _rank(fields, "r")
        alpha = _scale(fields, "lora_alpha")
        scale = alpha / (math.sqrt(rank) if fields.get("use_rslora") else rank)
        if scale == 0:
            raise BadAdapter("its configuration has a lora_alpha too small for any effect")
    else:
        rank, scale = _rank(lora, "rank"), _scale(lora, "scale")
    return AdapterConfig(rank, scale, _base_model(fields), ranks_vary="optiq" in fields)


def _refuse_other_methods(fields: Mapping[str, Any]) -> None:
    kind, peft = fields.get("fine_tune_type", "lora"), fields.get("peft_type", "LORA")
    if kind != "lora" or peft != "LORA":
        method = kind if kind != "lora" else peft
        raise BadAdapter(f"it was trained by '{method!s:.40}'; only LoRA adapters can be mounted")
    if fields.get("use_dora"):
        raise BadAdapter("it was trained by 'dora'; only LoRA adapters can be mounted")


def _rank(fields: Mapping[str, Any], name: str) -> int:
    value = fields.get(name)
    if type(value) is not int or not 1 <= value <= MAX_RANK:
        raise BadAdapter(
            f"its configuration has no {name} that is a whole number from 1 to {MAX_RANK:,}"
        )
    return value


def _scale(fields: Mapping[str, Any], name: str) -> float:
    value = fields.get(name)
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        number = math.inf
    if isinstance(value, bool) or not math.isfinite(number) or number == 0:
        raise BadAdapter(f"its configuration has no {name} that is a number other than 0")
    return number


def _base_model(fields: Mapping[str, Any]) -> str | None:
    for name in _BASE_FIELDS:
        if recorded := fields.get(name):
            if not isinstance(recorded, str):
                raise BadAdapter(f"{name} of its configuration is no name")
            return recorded
    return None
