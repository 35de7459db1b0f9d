"""The tokenizer of a model folder: template, special tokens and stop tokens."""

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from inference.errors import InvalidRequest
from inference.messages import Message, Role
from inference.request import ChatPrompt, TextPrompt
from inference.text.pretrained import PretrainedTokenizer
from inference.text.prompt import build_prompt

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    "{% if shout %}!{% endif %}"
)
BOS, EOS = 256, 257


@pytest.fixture
def load(tmp_path):
    """Call with a template and the model's files; returns a tokenizer that adds BOS itself."""

    def load_tokenizer(template=TEMPLATE, config=None, generation=None):
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        backend = Tokenizer(models.BPE({piece: i for i, piece in enumerate(alphabet)}, []))
        backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        backend.decoder = decoders.ByteLevel()
        backend.add_special_tokens([AddedToken("<s>"), AddedToken("</s>")])
        backend.post_processor = processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", BOS)]
        )
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=backend, bos_token="<s>", eos_token="</s>"
        )
        tokenizer.chat_template = template
        tokenizer.save_pretrained(tmp_path)
        return PretrainedTokenizer(tmp_path, config or {}, generation or {})

    return load_tokenizer


def chat(text="hi", **options):
    return ChatPrompt((Message(Role.USER, text),), template_options=options)


def text_of(tokenizer, tokens):
    return b"".join(tokenizer.token_bytes[token] for token in tokens).decode()


def test_a_conversation_has_one_start_token(load):
    # Public case pr-13: the template writes it, and the tokenizer would add a second.
    tokenizer = load()

    tokens = build_prompt(tokenizer, chat()).token_ids

    assert (tokens[0], tokens.count(BOS)) == (BOS, 1)
    assert text_of(tokenizer, tokens) == "<user>hi"


def test_a_text_has_what_the_tokenizer_adds_by_default(load):
    assert build_prompt(load(), TextPrompt("hi")).token_ids.count(BOS) == 1


def test_a_template_option_reaches_the_template(load):
    tokenizer = load()

    assert text_of(tokenizer, build_prompt(tokenizer, chat(shout=True)).token_ids) == "<user>hi!"


@pytest.mark.parametrize(
    "name",
    [
        "tokenize",
        "chat_template",
        "add_generation_prompt",
        "continue_final_message",
        "return_tensors",
        "truncation",
        "max_length",
        "conversation",
        "messages",
        "tools",
        "self",
        "tokenizer_kwargs",
    ],
)
def test_options_that_would_steer_the_renderer_are_refused(load, name):
    with pytest.raises(InvalidRequest, match=name):
        build_prompt(load(), ChatPrompt((Message(Role.USER, "hi"),), template_options={name: 1}))


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ raise_exception('roles must alternate') }}", "roles must alternate"),
        ("{{ messages[9].content.x }}", "no element 9"),
        ("{% if %}", "prompt build failed"),
        ("{{ 1 // 0 }}", "zero"),
    ],
)
def test_a_template_that_fails_is_the_callers_error(load, template, message):
    with pytest.raises(InvalidRequest, match=message):
        build_prompt(load(template), chat())


def test_a_model_without_a_template_takes_no_conversation(load):
    with pytest.raises(InvalidRequest, match="no chat template"):
        build_prompt(load(None), chat())


def test_a_lone_surrogate_becomes_a_replacement_character(load):
    tokenizer = load()

    assert text_of(tokenizer, build_prompt(tokenizer, chat("a\ud83d")).token_ids) == "<user>a\ufffd"


@pytest.mark.parametrize(
    ("config", "generation", "expected"),
    [
        ({}, {}, {EOS}),
        ({"eos_token_id": 5}, {"eos_token_id": None}, {EOS, 5}),
        ({"eos_token_id": [5, 6]}, {"eos_token_id": [7]}, {EOS, 5, 6, 7}),
    ],
)
def test_every_file_may_name_stop_tokens(load, config, generation, expected):
    assert load(config=config, generation=generation).stop_token_ids == expected


@pytest.mark.starter
def test_the_starter_models_conversation_ends_where_its_answer_begins(starter_model):
    tokenizer = PretrainedTokenizer(starter_model, {}, {})

    tokens = build_prompt(tokenizer, chat("What is the capital of France?")).token_ids

    assert text_of(tokenizer, tokens).endswith("user\nWhat is the capital of France?\nassistant\n")
    assert len(tokenizer.stop_token_ids) == 1
