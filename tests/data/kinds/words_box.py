"""Columns of text files, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.kinds import Decision, ReadOptions, decide, finish
from learnt.data.raw import RawColumn, Words
from learnt.data.table import Column


def is_plain_number(cell: str, decimal: str = ".") -> bool:
    if cell[0] in '"' or (cell.lstrip("+-")[:1] == "0" and cell.lstrip("+-").isdigit() and len(cell) > 1):
        return False
    if decimal == ",":
        cell = cell.replace(".", "!").replace(",", ".")
    try:
        return np.isfinite(float(cell)) and "_" not in cell and cell.isascii()
    except ValueError:
        return False


def raw_column(cells: Sequence[str], *, as_words: bool = False, decimal: str = ".", name: str = "x") -> RawColumn:
    """What a parser makes of cells; a quoted one is written with its quotes, an empty one is ""."""
    places: dict[str, int] = {}
    counts: list[int] = []
    lines: list[int] = []
    codes: list[int] = []
    numbers = np.full(len(cells), np.nan)
    rows: list[int] = []
    for i, cell in enumerate(cells):
        if not as_words and cell and is_plain_number(cell, decimal):
            numbers[i] = float(cell.replace(decimal, "."))
            continue
        if not cell:
            codes += [-1] if as_words else []
            continue
        code = places.setdefault(cell, len(places))
        if code == len(counts):
            counts.append(0)
            lines.append(i + 2)
        counts[code] += 1
        codes.append(code)
        rows.append(i)
    texts = tuple(cell[1:-1] if cell[0] == '"' else cell for cell in places)
    quoted = np.array([cell[0] == '"' for cell in places], dtype=bool)
    words = Words(texts, quoted, np.array(counts, dtype=np.int64), np.array(lines, dtype=np.int64))
    codes32 = np.array(codes, dtype=np.int32)
    if as_words:
        return RawColumn(name, words, codes32)
    return RawColumn(name, words, codes32, numbers, np.array(rows, dtype=np.int64))


def read_cells(cells: Sequence[str], *, name: str = "x", **options: Any) -> tuple[Column, Decision]:
    """The column that cells become, and what was decided; read again as words where that is asked for."""
    settings = ReadOptions(**options)
    for as_words in (False, True):
        raw = raw_column(cells, as_words=as_words, decimal=settings.decimal, name=name)
        n_empty = sum(not cell for cell in cells)
        n_numbers = len(cells) - n_empty - int(raw.words.counts.sum())
        decision = decide(name, raw.words, n_numbers, n_empty, settings)
        if not decision.as_words:
            return finish(raw, decision), decision
    raise AssertionError("A decision on words alone asks for words")
