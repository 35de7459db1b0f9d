"""Options: one table, four sources, no value out of range."""

import argparse
import dataclasses

import pytest

from inference.options import TABLE, OptionError, ServeOptions, add_arguments, resolve


def parse(*argv, environment=None, settings=None):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    add_arguments(parser)
    arguments = vars(parser.parse_args(argv))
    return resolve(arguments=arguments, environment=environment, settings=settings)


def test_without_any_source_the_defaults_stand():
    assert parse() == ServeOptions()
    assert ServeOptions().host == "127.0.0.1"
    assert ServeOptions().port == 8080
    assert ServeOptions().batch == 8


@pytest.mark.parametrize(
    ("argv", "environment", "settings", "port"),
    [
        ([], {}, {"port": 1}, 1),
        ([], {"MLXSITE_PORT": "2"}, {"port": 1}, 2),
        (["--port", "3"], {"MLXSITE_PORT": "2"}, {"port": 1}, 3),
    ],
)
def test_the_command_line_beats_the_environment_which_beats_settings(
    argv, environment, settings, port
):
    assert parse(*argv, environment=environment, settings=settings).port == port


@pytest.mark.parametrize(
    "argv",
    [
        ["--model", "a", "b", "-q", "c"],
        ["b", "--query", "c", "--model", "a"],
        ["-q", "c", "--model", "a"],
    ],
)
def test_the_model_flag_beats_the_positional_and_the_query(argv):
    assert parse(*argv).model == "a"


def test_the_positional_model_beats_the_query_and_both_beat_the_environment():
    environment = {"MLXSITE_MODEL": "d"}

    assert parse("b", "--query", "c", environment=environment).model == "b"
    assert parse("-q", "c", environment=environment).model == "c"
    assert parse(environment=environment).model == "d"


@pytest.mark.parametrize("argv", [["--temp", "1"], ["--temperature", "1", "--temp", "2"]])
def test_an_alias_serves_until_the_full_name_is_given(argv):
    assert parse(*argv).temperature == 1


def test_zero_is_a_value_and_not_an_absence():
    options = parse("--temperature", "0", "--prompt-cache", "0", environment={"MLXSITE_TOP_K": "0"})

    assert (options.temperature, options.prompt_cache, options.top_k) == (0, 0, 0)


OUT_OF_RANGE = [
    ("--port", "0", "1 to 65,535"),
    ("--port", "eighty", "1 to 65,535"),
    ("--batch", "0", "1 to 1,024"),
    ("--batch", "1.5", "a whole number"),
    ("--prompt-cache", "-1", "0 to"),
    ("--memory-budget", "0", "0.001 to"),
    ("--temperature", "5.01", "0 to 5"),
    ("--temperature", "nan", "0 to 5"),
    ("--prompt-cache", "inf", "a number"),
    ("--top-p", "1.1", "0 to 1"),
    ("--top-k", "1000001", "0 to 1,000,000"),
    ("--max-tokens", "0", "1 to 10,000,000"),
    ("--weights", "big", "auto, quantized, dense"),
    ("--host", "a b", "IP address"),
    ("--model", " ", "not empty"),
]


@pytest.mark.parametrize(("flag", "value", "allowed"), OUT_OF_RANGE)
def test_a_bad_flag_stops_with_flag_value_and_range(flag, value, allowed, capsys):
    with pytest.raises(SystemExit):
        parse(f"{flag}={value}")

    message = capsys.readouterr().err
    assert flag in message
    assert repr(value) in message
    assert allowed in message


@pytest.mark.parametrize(("flag", "value", "allowed"), OUT_OF_RANGE)
def test_a_bad_variable_stops_with_name_value_and_range(flag, value, allowed):
    name = "MLXSITE_" + flag.removeprefix("--").replace("-", "_").upper()

    with pytest.raises(OptionError) as raised:
        parse(environment={name: value})

    message = str(raised.value)
    assert message.startswith(f"{name}: {value!r} ")
    assert allowed in message


def test_a_bad_variable_is_told_even_where_a_flag_overrides_it():
    with pytest.raises(OptionError, match="MLXSITE_PORT"):
        parse("--port", "80", environment={"MLXSITE_PORT": "x"})


def test_an_empty_variable_counts_as_unset():
    assert parse(environment={"MLXSITE_PORT": ""}).port == 8080


def test_an_unknown_setting_is_refused():
    with pytest.raises(OptionError, match="prot"):
        parse(settings={"prot": 1})


@pytest.mark.parametrize("argv", [["--unknown"], ["--prompt", "1"], ["--api-key", "k"]])
def test_an_unknown_or_shortened_flag_is_an_error_that_names_it(argv, capsys):
    with pytest.raises(SystemExit):
        parse(*argv)

    assert argv[0] in capsys.readouterr().err


@pytest.mark.parametrize(("text", "value"), [("1", True), ("0", False)])
def test_switches_in_the_environment_are_one_or_zero(text, value):
    assert parse(environment={"MLXSITE_SCRIPTED": text}).scripted is value
    with pytest.raises(OptionError, match="1 or 0"):
        parse(environment={"MLXSITE_SCRIPTED": "true"})


def test_an_ipv6_address_is_taken_with_and_without_brackets():
    assert parse("--host", "[::1]").host == parse("--host", "::1").host == "::1"


def test_cache_counts_binary_and_budget_counts_decimal_bytes():
    options = parse("--prompt-cache", "0.5", "--memory-budget", "16")

    assert options.prompt_cache_bytes == 2**29
    assert options.memory_budget_bytes == 16 * 10**9


def test_the_shutdown_timeout_comes_from_the_environment_alone(capsys):
    options = parse(environment={"MLXSITE_SHUTDOWN_TIMEOUT_MS": "5"})

    assert options.shutdown_timeout_ms == 5
    with pytest.raises(SystemExit):
        parse("--shutdown-timeout-ms", "5")


def test_options_cannot_change_after_the_start():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ServeOptions().port = 1


def test_no_two_options_share_a_spelling_or_a_variable():
    spellings = [spelling for option in TABLE for spelling in option.spellings]
    variables = [option.environment for option in TABLE if option.environment]

    assert len(set(spellings)) == len(spellings)
    assert len(set(variables)) == len(variables)
