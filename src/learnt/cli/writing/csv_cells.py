"""Cells of a CSV file that do no harm wherever the file is opened, in the way of writing that the file has.

Spreadsheets run cells that begin with = + − or @ as formulas; such texts get a ' in front, which shows them as they
are. Numbers stay numbers. Characters that steer a terminal, or turn the direction of all that follows, are spelt out.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from learnt.data.files.text.dialect import Dialect

_NEEDS_QUOTES = re.compile(r'[",;\t\r\n]|^\s|\s$')
_FORMULA = re.compile(r"[\s\ufeff]*[=+\-@＝＋－＠]|[\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?|-")
_STEERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_TABBED = (".tsv", ".tab")


@dataclass(frozen=True)
class CsvStyle:
    """How delimited text is written: as learnt does, or as the file was that the answers are for."""

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    mark: bytes = b""  # of the encoding, at the start of the file
    line_end: str = "\n"

    def cell(self, text: str) -> str:
        """A text as a cell; quoted where it holds what ends one."""
        text = harmless(text)
        plain = self.delimiter == ","  # whoever opens the file may take other signs for delimiters
        if (_NEEDS_QUOTES.search(text) if plain else self._ends_early(text)) is not None:
            return '"' + text.replace('"', '""') + '"'
        return text

    def _ends_early(self, text: str) -> re.Match[str] | None:
        return re.search(rf'["\r\n{re.escape(self.delimiter)}]|^\s|\s$', text)

    def line(self, texts: Iterable[str]) -> str:
        return self.delimiter.join(map(self.cell, texts)) + self.line_end

    def encoded(self, content: bytes) -> bytes:
        """UTF-8 in the encoding of the file."""
        return content if self.encoding == "utf-8" else content.decode("utf-8").encode(self.encoding, "replace")

    def able_to_write(self, texts: Iterable[Any]) -> CsvStyle:
        """The same, or in UTF-8 if a text has characters that the encoding has not."""
        try:
            "".join(map(str, texts)).encode(self.encoding)
        except UnicodeEncodeError:
            return replace(self, encoding="utf-8", mark=codecs.BOM_UTF8)
        return self

    def for_file(self, output: Path | None) -> CsvStyle:
        """The same, as far as the name of the file agrees; what goes to standard output is always written alike."""
        if output is None:
            return PLAIN
        tabbed = output.suffix.lower() in _TABBED
        if tabbed or (self.delimiter == "\t" and output.suffix.lower() == ".csv"):
            other = ";" if self.decimal == "," else ","
            return replace(self, delimiter="\t" if tabbed else other)
        return self


PLAIN = CsvStyle()


def style_of(dialect: Dialect, start: bytes) -> CsvStyle:
    """The way of writing of a file that starts so."""
    encoding, mark = dialect.encoding, b""
    if encoding.startswith("utf-16"):
        mark = start[:2] if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else codecs.BOM_UTF16_LE
        encoding = "utf-16-be" if mark == codecs.BOM_UTF16_BE else "utf-16-le"
    elif start.startswith(codecs.BOM_UTF8):
        encoding, mark = "utf-8", codecs.BOM_UTF8
    line_end = "\r\n" if re.search(rb"\r\0?\n", start) else "\n"
    return CsvStyle("\t" if dialect.runs else dialect.delimiter, dialect.decimal, encoding, mark, line_end)


def harmless(text: str) -> str:
    """A text that no program runs, and no terminal obeys."""
    text = _STEERS.sub(lambda found: repr(found[0])[1:-1], text)
    return "'" + text if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def csv_cell(text: str) -> str:
    """A text as a cell of a line separated by commas.

    >>> csv_cell("plain"), csv_cell("-3.5"), csv_cell("=1+1"), csv_cell('say "no", twice')
    ('plain', '-3.5', "'=1+1", '"say ""no"", twice"')
    """
    return PLAIN.cell(text)


def csv_line(texts: Sequence[str]) -> str:
    return PLAIN.line(texts)
