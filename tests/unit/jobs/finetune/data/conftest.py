"""A tokenizer of one token a byte, as transformers reads it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from tests.plugins.tiny_model import write_tokenizer

MakeTokenizer = Callable[..., Any]


@pytest.fixture
def make_tokenizer(tmp_path: Path) -> MakeTokenizer:
    """`make_tokenizer(chat_template=…)`; without a template for None."""

    def make(**changes: Any) -> Any:
        folder = tmp_path / "tokenizer"
        folder.mkdir(exist_ok=True)
        write_tokenizer(folder)
        path = folder / "tokenizer_config.json"
        facts = json.loads(path.read_text()) | changes
        path.write_text(json.dumps({key: value for key, value in facts.items() if value}))
        return AutoTokenizer.from_pretrained(folder, local_files_only=True)

    return make


@pytest.fixture
def tokenizer(make_tokenizer: MakeTokenizer) -> Any:
    """With the template that writes `<|im_start|>role`, a line break, the content, `<|im_end|>`."""
    return make_tokenizer()
