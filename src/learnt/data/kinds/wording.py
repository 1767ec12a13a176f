"""How notes about a column are worded, so that all of them say the same things in the same way."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from learnt.data.notes import Note
from learnt.data.raw import Words
from learnt.data.schema import KindName
from learnt.data.table import Array
from learnt.show.words import count_of, list_of, shorten_text, spell

_MOST_WORDS = 5


def undone_by_kind(name: str, text: str, kind: KindName) -> Note:
    """A note that saying a kind undoes."""
    return Note(name, text, f"--kind {shlex.quote(f'{name}={kind}')}", f"kinds={{{name!r}: {kind!r}}}")


def undone_by_missing(name: str, text: str, markers: Iterable[str]) -> Note:
    """A note that saying which texts are missing undoes."""
    markers = list(markers)
    flags = " ".join(f"--missing {shlex.quote(marker)}" for marker in markers)
    return Note(name, text, flags, f"missing={markers!r}")


def quoted_text(text: str) -> str:
    return spell(shorten_text(text, 40))


def words_with_cells(words: Words, places: Array) -> str:
    """ "'-' (383 cells, first in line 12) and 'n.a.' (1 cell, line 40)"."""
    ranked = sorted(places.tolist(), key=lambda i: -int(words.counts[i]))
    return list_of([_word_with_cells(words, i) for i in ranked], most=_MOST_WORDS)


def _word_with_cells(words: Words, i: int) -> str:
    count, line = int(words.counts[i]), int(words.lines[i])
    where = "" if line <= 0 else f", first in line {line:,}" if count > 1 else f", line {line:,}"
    return f"{quoted_text(words.texts[i])} ({count_of(count, 'cell')}{where})"
