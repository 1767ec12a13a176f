"""The header of an ARFF file: what `@attribute` declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from learnt.data.form import DATE, Form
from learnt.errors import FileError
from learnt.show.words import spell

QUOTED_MARK = "\0?"  # a quoted question mark: a label, not a missing cell
_ISO = "yyyy-MM-dd'T'HH:mm:ss"
_WORD = r"""(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{},'"%]\S*))"""
_KEYWORD = re.compile(r"@(\w+)\s*", re.I)
_NAME = re.compile(_WORD + r"\s*")
_LABEL = re.compile(r"""\s*+(?:'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^,'"{}\s][^,{}]*+))\s*+(,|\})""")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
# Java's letters for parts of a date; '...' holds literal text.
_DATE_PART = re.compile(r"'([^']*)'|(y+|M+|d+|H+|m+|s+|S+)|([A-Za-z]+)|(.)")
_DATE_CODES = {
    "yyyy": "%Y", "y": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d",
    "HH": "%H", "H": "%H", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S", "SSS": "%f",
}  # fmt: skip
_RESOLUTIONS = (("%f", "millisecond"), ("%S", "second"), ("%M", "minute"), ("%H", "minute"))


@dataclass(frozen=True)
class Attribute:
    """One declared column; `type` is numeric, nominal, string or date."""

    name: str
    type: str
    labels: tuple[str, ...] = ()
    date_format: str = ""  # as strptime wants it

    @property
    def expected(self) -> str:
        if self.type == "nominal":
            shown = ", ".join(map(repr, self.labels[:8]))
            return f"one of the declared labels {shown}{', …' if len(self.labels) > 8 else ''}"
        return {"numeric": "a number", "date": f"a date like {self.date_format}"}.get(self.type, "text")

    def days(self, text: str) -> float:
        """A date as days since 1970-01-01."""
        return datetime.strptime(text, self.date_format).replace(tzinfo=UTC).timestamp() / 86_400

    @property
    def form(self) -> Form | None:
        """How the dates of a date attribute are shown: as finely as they are declared."""
        if self.type != "date":
            return None
        finest = next((name for code, name in _RESOLUTIONS if code in self.date_format), None)
        return DATE if finest is None else Form("timestamp", resolution=finest)

    def accepts(self, cell: str) -> bool:
        if cell == "?" or self.type == "string":
            return True
        if self.type == "nominal":
            return ("?" if cell == QUOTED_MARK else cell) in self.labels
        try:
            float(cell) if self.type == "numeric" else self.days(cell)
        except ValueError:
            return False
        return "_" not in cell or self.type == "date"


@dataclass(frozen=True)
class Header:
    attributes: tuple[Attribute, ...]
    data_line: int  # the line of @data


def parsed_header(lines: Iterator[tuple[int, str]], file: str) -> Header:
    """The attributes up to `@data`."""
    attributes: dict[str, Attribute] = {}
    number = 0
    for number, line in lines:
        keyword = _KEYWORD.match(line)
        word = keyword[1].lower() if keyword else ""
        if keyword is None or word not in ("relation", "attribute", "data"):
            raise FileError(
                f"The header holds {line[:30]!r}. @relation, @attribute or @data was expected.", file, number, 1
            )
        if word == "data":
            if not attributes:
                raise FileError("No attribute is declared before @data. Declare the columns first.", file, number)
            return Header(tuple(attributes.values()), number)
        if word == "attribute":
            attribute = _attribute(line, keyword.end(), file, number)
            if attribute.name in attributes:
                raise FileError(
                    f"Two attributes are called {attribute.name!r}. Column names must differ. Rename one.",
                    file,
                    number,
                    keyword.end() + 1,
                )
            attributes[attribute.name] = attribute
    raise FileError("The file ends before @data. An ARFF header and rows were expected.", file, number or None)


def _attribute(line: str, place: int, file: str, number: int) -> Attribute:
    # A bare name may stand right before the brace: @attribute a{x,y}
    found = re.compile(r"([^\s{'\"]+)\{").match(line, place)
    name_end = found.end() - 1 if found else 0
    name = found[1] if found else ""
    if not found:
        quoted = _NAME.match(line, place)
        if quoted is None:
            raise FileError("The attribute has no name. Write @attribute name type.", file, number, place + 1)
        name, name_end = _text(quoted[1], quoted[2], quoted[3]), quoted.end()
    declared = line[name_end:].strip()
    if declared.startswith("{"):
        return Attribute(name, "nominal", _labels(line, line.index("{", name_end) + 1, file, number))
    word, _, rest = declared.partition(" ")
    kind = word.lower()
    if kind in ("numeric", "real", "integer"):
        return Attribute(name, "numeric")
    if kind == "string":
        return Attribute(name, "string")
    if kind == "date":
        return Attribute(name, "date", date_format=_date_format(rest.strip(), file, number, name_end + 1))
    hint = " Relational attributes hold tables inside cells; spread them over columns." if kind == "relational" else ""
    raise FileError(
        f"Attribute {name!r} is of type {word!r}. Expected numeric, string, date or labels in braces.{hint}",
        file,
        number,
        name_end + 1,
    )


def _labels(line: str, place: int, file: str, number: int) -> tuple[str, ...]:
    labels: dict[str, None] = {}
    more = True
    while more:
        found = _LABEL.match(line, place)
        if found is None:
            raise FileError(
                f"The list of labels breaks off at {line[place : place + 20]!r}. Labels in braces, apart by commas, "
                "were expected.",
                file,
                number,
                place + 1,
            )
        label = _text(found[1], found[2], found[3])
        if label in labels:
            raise FileError(f"The label {spell(label)} is declared twice.", file, number, place + 1)
        labels[label] = None
        place, more = found.end(), found[4] == ","
    return tuple(labels)


def _text(single: str | None, double: str | None, bare: str | None) -> str:
    if single is None and double is None:
        return (bare or "").strip()
    return unquoted(single if single is not None else double or "")


def unquoted(text: str) -> str:
    """The text of a quoted cell, its escapes resolved."""
    if "\\" not in text:
        return text

    def plain(found: re.Match[str]) -> str:
        sign = found[1]
        return chr(int(sign[1:], 16)) if len(sign) == 5 else _ESCAPES.get(sign, sign)

    return _ESCAPE.sub(plain, text)


def _date_format(declared: str, file: str, number: int, column: int) -> str:
    """Java's date pattern as Python's."""
    pattern = declared.strip("\"'") if declared[:1] in ('"', "'") and declared[-1:] == declared[:1] else declared
    parts = []
    for literal, letters, unknown, sign in _DATE_PART.findall(pattern or _ISO):
        code = _DATE_CODES.get(letters) if letters else (literal or sign).replace("%", "%%")
        if unknown or code is None:
            raise FileError(
                f"The date format holds {unknown or letters!r}. Expected parts among yyyy, MM, dd, HH, mm, ss, SSS. "
                "Declare the attribute as string to read it as text.",
                file,
                number,
                column,
            )
        if letters and code in parts:
            raise FileError(f"The date format holds {letters!r} twice. Expected each part once.", file, number, column)
        parts.append(code)
    return "".join(parts)
