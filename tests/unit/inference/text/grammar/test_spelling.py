import json

import pytest

from inference.text.grammar.ebnf import Alt, Grammar, OneOf, Ref, Seq, Text
from inference.text.grammar.regular.automaton import words
from inference.text.grammar.regular.char_set import ANY, CharSet
from inference.text.grammar.regular.determinize import whole_match
from inference.text.grammar.spelling import in_json_string, plainly, write_automaton


def written(automaton, spell, **keywords):
    grammar = Grammar()
    grammar.define("escape", Text("?"))
    grammar.define("root", write_automaton(grammar, automaton, spell, **keywords))
    return grammar.write()


def spellings(expr):
    """All texts of an expression without repetition."""
    match expr:
        case Text(text):
            return {text}
        case OneOf(chars):
            return {chr(c) for low, high in chars.intervals for c in range(low, high + 1)}
        case Alt(options):
            return set().union(*map(spellings, options))
        case Seq(parts):
            found = {""}
            for part in parts:
                found = {a + b for a in found for b in spellings(part)}
            return found


@pytest.mark.parametrize("char", ["a", "é", "😀", '"', "\\", "/", "\n", "\t", "\x00", "\x1f"])
def test_every_spelling_in_a_json_string_reads_as_the_character(char):
    found = spellings(in_json_string(CharSet.chars(char)))

    assert found
    assert {json.loads(f'"{one}"') for one in found} == {char}


def test_any_character_may_be_escaped_in_every_way():
    assert Seq((Text("\\"), Ref("escape"))) in in_json_string(ANY).options


def test_shared_prefixes_are_written_once():
    text = written(words(["choice one", "choice two", "choice three"]), plainly)

    assert text.count("choice") == 1
    assert '"one"' in text


def test_an_automaton_ends_where_it_accepts():
    text = written(whole_match("ab*"), plainly, end=Text('"'))

    assert (
        text == 'root ::= s_1\ns_1 ::= "a" s_2\ns_2 ::= "\\"" | "b" s_3\ns_3 ::= "\\"" | "b" s_3\n'
    )
