"""Cells of a CSV file that do no harm wherever the file is opened.

Spreadsheets run cells that begin with = + − or @ as formulas; such texts get a ' in front, which shows them as they
are. Numbers stay numbers. Characters that steer a terminal, or turn the direction of all that follows, are spelt out.
"""

from __future__ import annotations

import re

_NEEDS_QUOTES = re.compile(r'[",;\t\r\n]|^\s|\s$')
_FORMULA = re.compile(r"[\s\ufeff]*[=+\-@＝＋－＠]|[\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?|-")
_STEERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def csv_cell(text: str) -> str:
    """A text as a cell of a line separated by commas.

    >>> csv_cell("plain"), csv_cell("-3.5"), csv_cell("=1+1"), csv_cell('say "no", twice')
    ('plain', '-3.5', "'=1+1", '"say ""no"", twice"')
    """
    text = _STEERS.sub(lambda found: repr(found[0])[1:-1], text)
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        text = "'" + text
    if _NEEDS_QUOTES.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text


def csv_line(texts: list[str]) -> str:
    return ",".join(map(csv_cell, texts)) + "\n"
