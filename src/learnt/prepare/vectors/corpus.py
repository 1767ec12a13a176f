"""Documents that can be read again and again: of a table, a scan, text files, or whatever gives them anew each time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learnt.data.files.scan import Scan
from learnt.data.table import Table
from learnt.data.texts import Texts, texts_of
from learnt.errors import FileError, InputError
from learnt.prepare.words.documents import TextSource, text_source

#: Documents, and characters in them, that are held at once of a corpus that is not in memory.
MOST_DOCUMENTS, MOST_CHARACTERS = 1 << 14, 1 << 22


@dataclass(frozen=True)
class Corpus:
    """Documents in their order. `start` begins a reading; what is in memory is one piece."""

    column: str | None
    in_memory: bool
    start: Callable[[], Iterator[Texts]]


def corpus_of(X: Any, column: str | None, others: Sequence[str], *, lowercase: bool) -> Corpus:
    """The documents of a list, a series, a column of a table or of a scan; the lines of files, given as paths; or what
    a function, or something that can be iterated over again and again, gives."""
    paths = _paths_of(X)
    if paths:
        return Corpus(None, False, lambda: _in_pieces(_lines(paths), lowercase))
    if isinstance(X, Iterator):
        raise InputError(
            f"A {type(X).__name__} gives its documents once. Word2Vec reads them once for the words and once in each "
            "epoch. Give a list, or a function that returns a new one."
        )
    if callable(X) and not hasattr(X, "__array__"):
        return Corpus(None, False, lambda: _in_pieces(_started(X), lowercase))
    if _gives_anew(X):
        return Corpus(None, False, lambda: _in_pieces(iter(X), lowercase))
    source: TextSource = text_source(X, column, others, lowercase=lowercase)
    return Corpus(source.column, source.in_memory, source.texts)


def _paths_of(X: Any) -> list[Path]:
    if isinstance(X, os.PathLike):
        return [Path(X)]
    many = isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(path, os.PathLike) for path in X)
    return [Path(path) for path in X] if many else []


def _gives_anew(X: Any) -> bool:
    """Whether X is of a class with `__iter__` and nothing else that a container of texts has."""
    known = isinstance(X, Table | Scan | dict | str | bytes | list | tuple)
    return (
        not known
        and isinstance(X, Iterable)
        and not any(hasattr(X, name) for name in ("__len__", "__array__", "shape"))
    )


def _started(function: Callable[[], Any]) -> Iterator[Any]:
    given = function()
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(
            f"The function that gives documents returned a {type(given).__name__}. Expected something to iterate over, "
            "such as a generator of texts."
        )
    return iter(given)


def _lines(paths: Sequence[Path]) -> Iterator[str]:
    for path in paths:
        try:
            # What is not UTF-8 becomes a sign that belongs to no word.
            with open(path, encoding="utf-8", errors="replace") as lines:
                yield from lines
        except OSError as error:
            raise FileError(f"The file {str(path)!r} cannot be read: {error.strerror or error}.") from error


def _in_pieces(documents: Iterator[Any], lowercase: bool) -> Iterator[Texts]:
    piece: list[Any] = []
    characters = first = 0
    for document in documents:
        piece.append(document)
        characters += len(document) if isinstance(document, str) else 0
        if len(piece) == MOST_DOCUMENTS or characters >= MOST_CHARACTERS:
            yield texts_of(piece, f"the documents from number {first} on", lowercase=lowercase)
            first, piece, characters = first + len(piece), [], 0
    if piece:
        yield texts_of(piece, f"the documents from number {first} on", lowercase=lowercase)
