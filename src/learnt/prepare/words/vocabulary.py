"""Given vocabularies, and what is left of one when terms are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.data.tokens import Rows
from learnt.errors import ParameterError
from learnt.prepare.words.term_counts import TermCounts


def given_terms(vocabulary: Any) -> list[str]:
    """The terms of a given vocabulary in the order of their columns."""
    if isinstance(vocabulary, Mapping):
        numbers = sorted((int(number), str(term)) for term, number in vocabulary.items())
        if [number for number, _ in numbers] != list(range(len(numbers))):
            raise ParameterError(
                f"BagOfWords: vocabulary does not number its {len(numbers)} terms from 0 to {len(numbers) - 1}. "
                "Expected each number once. Number the columns without gaps."
            )
        return [term for _, term in numbers]
    terms = sorted(vocabulary) if isinstance(vocabulary, Set) else [str(term) for term in vocabulary]
    if len(set(terms)) < len(terms):
        twice = Counter(terms).most_common(1)[0][0]
        raise ParameterError(f"BagOfWords: vocabulary has the term {twice!r} twice. Expected each once. Leave one out.")
    return terms


def terms_kept(counts: TermCounts, kept: Array) -> tuple[Array, Array]:
    if len(kept) == len(counts.ends):
        return counts.text, counts.ends
    starts = np.concatenate([[0], counts.ends[:-1]])
    stays = np.zeros(len(counts.ends), bool)
    stays[kept] = True
    text = counts.text[np.repeat(stays, counts.ends - starts)]
    return text, np.cumsum((counts.ends - starts)[kept])


def columns_kept(rows: Rows, kept: Array) -> Rows:
    """The same rows with some of their columns, which move up."""
    indptr, indices, values = rows
    last = int(indices.max(initial=-1)) + 1
    if len(kept) >= last and np.array_equal(kept[:last], np.arange(last)):
        return rows
    place = np.full(max(last, int(kept[-1]) + 1), -1, np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    moved = place[indices]
    stays = moved >= 0
    before = np.concatenate([[0], np.cumsum(stays)])
    return before[indptr], moved[stays], values[stays]
