"""XMLBIF 0.3, read by expat: entities are refused, nothing is fetched, nesting and sizes are bounded."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from learnt.errors import FileError
from learnt.graphical.network.raw_network import (
    MOST_ENTRIES,
    MOST_STATES,
    RawNetwork,
    RawTable,
    check_state_count,
    probability,
)

if TYPE_CHECKING:
    from learnt.graphical.network.bayesian_network import BayesianNetwork

MOST_DEPTH = 12
_TEXTS = {"NAME", "OUTCOME", "VALUE", "FOR", "GIVEN", "TABLE"}


class _Reader:
    """Collects what VARIABLE and DEFINITION elements say."""

    def __init__(self) -> None:
        self.made = RawNetwork()
        self.definitions: list[tuple[str, RawTable]] = []
        self._path: list[str] = []
        self._text: list[str] = []
        self._said: dict[str, list[str]] = {}
        self._line = 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._refuse_entity
        self._parser.ExternalEntityRefHandler = self._refuse_entity

    def read(self, content: bytes) -> RawNetwork:
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            words = expat.ErrorString(error.code)
            raise FileError(f"It is not whole XML: {words}.", line=error.lineno) from None
        except (LookupError, ValueError) as error:  # of the encoding that its first line names
            if isinstance(error, FileError):
                raise
            raise FileError(f"Its encoding cannot be read: {' '.join(str(error).split())[:80]}.", line=1) from None
        for name, table in self.definitions:  # after all variables, whatever the order in the file
            self.made.add_table(name, table)
        return self.made

    def _here(self) -> int:
        return int(self._parser.CurrentLineNumber)

    def _refuse_entity(self, *_: Any) -> int:
        raise FileError("It declares an entity. Those are not read: write the text itself.", line=self._here())

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._path.append(tag.upper())
        if len(self._path) > MOST_DEPTH:
            raise FileError(f"Its elements are nested more than {MOST_DEPTH} deep.", line=self._here())
        if len(self._path) == 1 and self._path[0] != "BIF":
            raise FileError(f"Its first element is {tag[:40]!r}. Expected BIF.", line=self._here())
        if self._path[-1] in ("VARIABLE", "DEFINITION"):
            self._said, self._line = {}, self._here()
            kind = attributes.get("TYPE", "nature")
            if self._path[-1] == "VARIABLE" and kind.lower() != "nature":
                raise FileError(f"It has a variable of the type {kind[:40]!r}. Expected 'nature'.", line=self._here())
        self._text = []

    def _characters(self, text: str) -> None:
        if self._path[-1] in _TEXTS:
            self._text.append(text)

    def _end(self, tag: str) -> None:
        tag = self._path.pop()
        if tag in _TEXTS:
            said = self._said.setdefault("OUTCOME" if tag == "VALUE" else tag, [])
            said.append("".join(self._text).strip())
            if tag == "OUTCOME" and len(said) > MOST_STATES:
                check_state_count(self._said.get("NAME", ["?"])[0], len(said), self._here())
        elif tag == "VARIABLE":
            (name,) = self._one("NAME")
            states = self._said.get("OUTCOME", [])
            if not states:
                raise FileError(f"The variable {name[:80]!r} has no OUTCOME.", line=self._line)
            self.made.add_variable(name, states, self._line)
        elif tag == "DEFINITION":
            (name,), (numbers,) = self._one("FOR"), self._one("TABLE")
            words = numbers.split()
            if len(words) > MOST_ENTRIES:
                raise FileError(
                    f"The table of {name[:80]!r} has {len(words):,} numbers, which are not read.", line=self._line
                )
            values = [probability(word, self._line) for word in words]
            self.definitions.append((name, RawTable(self._said.get("GIVEN", []), values, line=self._line)))

    def _one(self, tag: str) -> list[str]:
        found = self._said.get(tag, [])
        if len(found) != 1 or not found[0]:
            raise FileError(f"It has {len(found)} {tag} where one must stand.", line=self._line)
        return found


def parse_xmlbif(content: bytes) -> RawNetwork:
    return _Reader().read(content)


def xmlbif_text(network: BayesianNetwork) -> str:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>", "<NAME>learnt</NAME>"]
    for name in network.variables:
        outcomes = "".join(f"<OUTCOME>{_safe(s)}</OUTCOME>" for s in network.states(name))
        lines.append(f'<VARIABLE TYPE="nature"><NAME>{_safe(name)}</NAME>{outcomes}</VARIABLE>')
    for name in network.variables:
        given = "".join(f"<GIVEN>{_safe(p)}</GIVEN>" for p in network.parents(name))
        numbers = " ".join(repr(float(v)) for v in network.table(name).values.ravel())
        lines.append(f"<DEFINITION><FOR>{_safe(name)}</FOR>{given}<TABLE>{numbers}</TABLE></DEFINITION>")
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"


def _safe(name: object) -> str:
    text = str(name)
    if text != text.strip() or not text.isprintable():
        raise FileError(
            f"{text[:80]!r} begins or ends with a space, or has a character that XML cannot hold. Rename it."
        )
    return escape(text)
