"""BIF, the Bayesian Interchange Format 0.15: read token by token, written so that it reads back to the bit.

network name { … }
variable NAME { type discrete [ k ] { state, …  }; property …; }
probability ( CHILD | PARENT, … ) { table p, …; }          or rows: (state, …) p, …;  and default p, …;
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from learnt.errors import FileError
from learnt.graphical.network.raw_network import RawNetwork, RawTable, check_state_count, probability

if TYPE_CHECKING:
    from learnt.graphical.network.bayesian_network import BayesianNetwork

_TOKEN = re.compile(
    r"""\s+ | //[^\n]* | /\*.*?\*/ | "(?P<quoted>[^"]*)" | (?P<mark>[{}()\[\];,|]) | (?P<word>[^\s{}()\[\];,|"]+)""",
    re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r"[^\s{}()\[\];,|\"/]+")


class _Tokens:
    """The words and marks of a text, with their lines."""

    def __init__(self, text: str):
        self._found = self._scan(text)
        self.line = 1
        self._ahead: tuple[str, bool, int] | None = None

    @staticmethod
    def _scan(text: str) -> Iterator[tuple[str, bool, int]]:
        at, line = 0, 1
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise FileError(f"{text[at : at + 20]!r} cannot be read.", line=line)
            if match["quoted"] is not None:
                yield match["quoted"], False, line
            elif match["mark"] is not None:
                yield match["mark"], True, line
            elif match["word"] is not None:
                yield match["word"], False, line
            line += match.group().count("\n")
            at = match.end()

    def peek(self) -> str | None:
        """The next token, None at the end."""
        if self._ahead is None:
            self._ahead = next(self._found, None)
        return None if self._ahead is None else self._ahead[0]

    def next(self, what: str) -> str:
        token = self.peek()
        if token is None or self._ahead is None:
            raise FileError(f"The file ends where {what} must stand: it is cut off.", line=self.line)
        self.line = self._ahead[2]
        self._ahead = None
        return token

    def expect(self, mark: str) -> None:
        token = self.next(repr(mark))
        if token != mark:
            raise FileError(f"{token[:40]!r} stands where {mark!r} must.", line=self.line)

    def name(self, what: str) -> str:
        token = self.next(what)
        if token in "{}()[];,|" and token:
            raise FileError(f"{token!r} stands where {what} must.", line=self.line)
        return token

    def skip_to(self, mark: str) -> None:
        while self.next(repr(mark)) != mark:
            pass

    def list_until(self, mark: str, what: str) -> list[str]:
        """Words with or without commas between them, up to the mark."""
        found: list[str] = []
        while self.peek() != mark:
            if self.peek() == ",":
                self.next("','")
                continue
            found.append(self.name(what))
        self.expect(mark)
        return found


def parse_bif(text: str) -> RawNetwork:
    tokens, made = _Tokens(text), RawNetwork()
    while (word := tokens.peek()) is not None:
        if word == "network":
            tokens.skip_to("{")
            _skip_block(tokens)
        elif word == "variable":
            _read_variable(tokens, made)
        elif word == "probability":
            _read_table(tokens, made)
        elif word == "property":
            tokens.skip_to(";")
        else:
            tokens.next("a block")
            raise FileError(
                f"{word[:40]!r} stands where 'network', 'variable' or 'probability' must: this is not a BIF file.",
                line=tokens.line,
            )
    return made


def _skip_block(tokens: _Tokens) -> None:
    depth = 1
    while depth:
        token = tokens.next("'}'")
        depth += (token == "{") - (token == "}")


def _read_variable(tokens: _Tokens, made: RawNetwork) -> None:
    tokens.next("variable")
    name, line = tokens.name("the name of a variable"), tokens.line
    tokens.expect("{")
    states: list[str] | None = None
    while tokens.peek() != "}":
        if tokens.peek() != "type":
            tokens.skip_to(";")
            continue
        tokens.next("type")
        kind = tokens.name("'discrete'")
        if kind != "discrete":
            raise FileError(f"The variable {name[:80]!r} is {kind[:40]!r}. Expected a discrete one.", line=tokens.line)
        tokens.expect("[")
        count = tokens.name("the number of states")
        if not count.isdecimal() or len(count) > 12:
            raise FileError(f"{count[:40]!r} stands where the number of states must.", line=tokens.line)
        check_state_count(name, int(count), tokens.line)
        tokens.expect("]")
        tokens.expect("{")
        states = tokens.list_until("}", "a state")
        tokens.expect(";")
        if len(states) != int(count):
            raise FileError(f"{name[:80]!r} says it has {count} states and names {len(states)}.", line=tokens.line)
    tokens.expect("}")
    if states is None:
        raise FileError(f"The variable {name[:80]!r} has no states: 'type discrete' is missing.", line=line)
    made.add_variable(name, states, line)


def _read_table(tokens: _Tokens, made: RawNetwork) -> None:
    tokens.next("probability")
    line = tokens.line
    tokens.expect("(")
    name = tokens.name("the name of a variable")
    parents: list[str] = []
    if tokens.peek() == "|":
        tokens.next("'|'")
        parents = tokens.list_until(")", "a parent")
    else:
        tokens.expect(")")
    table = RawTable(parents, child_fastest=False, line=line)
    tokens.expect("{")
    while tokens.peek() != "}":
        word = tokens.next("'table', 'default' or '('")
        if word == "table":
            table.numbers = _numbers(tokens)
        elif word == "default":
            table.default = _numbers(tokens)
        elif word == "(":
            states = tuple(tokens.list_until(")", "a state"))
            if states in table.rows:
                raise FileError(f"The table of {name[:80]!r} has a row twice.", line=tokens.line)
            table.rows[states] = _numbers(tokens)
        elif word == "property":
            tokens.skip_to(";")
        else:
            raise FileError(f"{word[:40]!r} stands where 'table', 'default' or '(' must.", line=tokens.line)
    tokens.expect("}")
    made.add_table(name, table)


def _numbers(tokens: _Tokens) -> list[float]:
    return [probability(word, tokens.line) for word in tokens.list_until(";", "a probability")]


def bif_text(network: BayesianNetwork) -> str:
    """The network as BIF; names with spaces or marks are quoted."""
    lines = ["network learnt {", "}"]
    for name in network.variables:
        states = ", ".join(_written(s) for s in network.states(name))
        count = len(network.states(name))
        lines += [f"variable {_written(name)} {{", f"  type discrete [ {count} ] {{ {states} }};", "}"]
    for name in network.variables:
        parents, values = network.parents(name), network.table(name).values
        given = f" | {', '.join(map(_written, parents))}" if parents else ""
        lines.append(f"probability ( {_written(name)}{given} ) {{")
        if not parents:
            lines.append(f"  table {_row(values)};")
        else:
            for place in np.ndindex(*values.shape[:-1]):
                states = ", ".join(_written(network.states(p)[i]) for p, i in zip(parents, place, strict=True))
                lines.append(f"  ({states}) {_row(values[place])};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _row(values: np.ndarray) -> str:
    return ", ".join(repr(float(v)) for v in values)


def _written(name: object) -> str:
    text = str(name)
    if _PLAIN.fullmatch(text):
        return text
    if '"' in text:
        raise FileError(
            f"{text[:80]!r} has a quotation mark, which BIF has no way to write. Rename it, or write XMLBIF."
        )
    return f'"{text}"'
