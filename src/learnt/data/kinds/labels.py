"""Columns of labels, and of texts too long to be labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnt.data.form import TEXT
from learnt.data.kinds.decision import Decision
from learnt.data.kinds.missing import kept_notes, missing_labels_note, missing_notes
from learnt.data.kinds.numeric import has_leading_zeros
from learnt.data.kinds.seen import Seen
from learnt.data.kinds.wording import quoted_text, undone_by_kind
from learnt.data.long_texts import are_long_texts
from learnt.data.notes import Note
from learnt.data.table import Array

_ARROW = 10_000  # labels that Arrow sorts faster


def as_labels(seen: Seen) -> Decision:
    """Nominal, with the markers of missing cells kept as labels unless the user or the file's quotes say otherwise."""
    if seen.n_numbers:
        return Decision(seen.name, "nominal", as_words=True)
    bare = ~seen.words.quoted & seen.markers & ~seen.empty
    notes: list[Note] = []
    gone = np.zeros(len(seen.words), dtype=bool)
    said = seen.options.said(seen.name)
    codes = said is None and len(seen.rest) > 0 and has_leading_zeros(seen) and not _other_words(seen)
    if seen.options.missing is not None:
        gone = bare
    elif codes:  # otherwise numeric, but for the zeros
        gone = bare
        notes += missing_notes(seen)
    elif len(seen.rest) and bool(seen.words.quoted[seen.rest].all()) and bare.any():
        gone = bare
        notes.append(missing_labels_note(seen, np.flatnonzero(gone)))
    kept = seen.markers & ~seen.empty & ~gone
    if seen.options.missing is None:
        notes += kept_notes(seen, np.flatnonzero(kept))
    labels = seen.texts_at(np.flatnonzero(~gone & ~seen.empty))
    form = None
    if codes:
        notes.append(_zeros_note(seen))
    elif said == "text" or (said is None and are_long_texts(seen.sample, len(seen.rest), int(seen.counts.sum()))):
        form = TEXT
        if said is None:
            notes.append(_text_note(seen))
    categories = sorted_labels(labels) if len(labels) < _ARROW else _kept_labels(seen, labels, ~gone & ~seen.empty)
    return Decision(
        seen.name,
        "nominal",
        form=form,
        categories=categories,
        missing=frozenset(seen.texts_at(np.flatnonzero(gone))),
        notes=tuple(notes),
    )


def sorted_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """The different labels in order."""
    return tuple(sorted(set(labels)))


def _kept_labels(seen: Seen, labels: Sequence[str], present: Array) -> tuple[str, ...]:
    """The same of very many, by Arrow, which sorts texts as Python does; their codes are kept for who reads them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = pa.array(labels, pa.large_string()).dictionary_encode()
    order = pc.array_sort_indices(encoded.dictionary)
    rank = np.empty(len(order), np.int32)
    rank[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    categories = tuple(encoded.dictionary.take(order).to_pylist())
    codes = np.full(len(seen.words), -1, np.int32)
    codes[present] = rank[encoded.indices.to_numpy()]
    seen.words.known["labels"] = categories, codes
    return categories


def _other_words(seen: Seen) -> bool:
    return not all(text.isdigit() for text in seen.texts)


def _zeros_note(seen: Seen) -> Note:
    example = next(text for text in seen.texts if text[0] == "0" and len(text) > 1)
    text = f"{seen.name!r} holds numbers with leading zeros, like {quoted_text(example)}, and is read as labels."
    return undone_by_kind(seen.name, text, "numeric")


def _text_note(seen: Seen) -> Note:
    text = (
        f"{seen.name!r} holds long texts and is read as text: learners count its words or, where that makes no sense, "
        "leave it out."
    )
    return undone_by_kind(seen.name, text, "nominal")
