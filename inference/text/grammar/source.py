"""Writes a constraint as one grammar, whatever language it came in."""

from dataclasses import dataclass

from inference.constraint import (
    AnyJson,
    Choice,
    Constraint,
    Ebnf,
    GrammarNotEnforced,
    JsonSchema,
    Regex,
)
from inference.text.grammar.ebnf import Alt, Grammar, Ref
from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import Document, Schema
from inference.text.grammar.json_schema.json_rules import define_json
from inference.text.grammar.json_schema.writer import SchemaWriter
from inference.text.grammar.regular.automaton import Automaton, words
from inference.text.grammar.regular.determinize import whole_match
from inference.text.grammar.spelling import plainly, write_automaton

MAX_EBNF = 200_000  # characters of a caller's grammar
MAX_CHOICES = 500_000  # characters of all choices together


@dataclass(frozen=True, slots=True)
class GrammarSource:
    """A grammar to be compiled.

    ebnf: rules in xgrammar's notation; the text of an answer is derived from `root`.
    is_callers: whether a caller wrote it. Ours read any text with few rules open at a time.
    gaps: parts of the constraint that the grammar leaves out, by their keywords.
    """

    ebnf: str
    is_callers: bool = False
    gaps: tuple[str, ...] = ()

    @property
    def shortfall(self) -> GrammarNotEnforced | None:
        """Say which part of the constraint is not enforced while the rest is."""
        if not self.gaps:
            return None
        return GrammarNotEnforced(f"{', '.join(self.gaps)}; the rest of the schema is enforced")


def write_grammar(constraint: Constraint) -> GrammarSource | GrammarNotEnforced:
    """Return the grammar of a constraint, or why there is none.

    Takes up to some seconds for the largest schemas: call it off the event loop.
    """
    try:
        match constraint:
            case Ebnf(grammar):
                return _callers(grammar)
            case JsonSchema(schema, any_whitespace):
                return _schema(schema, any_whitespace)
            case AnyJson():
                return GrammarSource(_any_json().write())
            case Regex(pattern):
                return GrammarSource(_regular(whole_match(pattern)))
            case Choice(options):
                return GrammarSource(_choice(options))
    except NotExpressible as error:
        return GrammarNotEnforced(str(error))
    except RecursionError:
        return GrammarNotEnforced("it nests too deeply")


def _callers(grammar: str) -> GrammarSource:
    if len(grammar) > MAX_EBNF:
        raise NotExpressible(
            f"the grammar has {len(grammar):,} characters, more than {MAX_EBNF:,}; make it smaller"
        )
    return GrammarSource(grammar, is_callers=True)


def _schema(schema: Schema, any_whitespace: bool) -> GrammarSource:
    document = Document(schema)
    grammar = Grammar()
    writer = SchemaWriter(document, grammar, any_whitespace=any_whitespace)
    grammar.define("root", writer.value(schema))
    writer.finish()
    return GrammarSource(grammar.write(), gaps=tuple(document.gaps))


def _any_json() -> Grammar:
    grammar = Grammar()
    define_json(grammar, any_whitespace=True)
    grammar.define("root", Alt((Ref("object"), Ref("array"))))
    return grammar


def _choice(options: tuple[str, ...]) -> str:
    length = sum(map(len, options))
    if length > MAX_CHOICES:
        raise NotExpressible(
            f"the choices have {length:,} characters together, more than {MAX_CHOICES:,}"
        )
    try:
        "".join(options).encode()
    except UnicodeEncodeError as error:
        raise NotExpressible("a choice holds half a surrogate pair") from error
    return _regular(words(options))


def _regular(automaton: Automaton) -> str:
    grammar = Grammar()
    grammar.define("root", write_automaton(grammar, automaton, plainly))
    return grammar.write()
