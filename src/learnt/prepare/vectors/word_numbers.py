"""Which words get vectors, and documents as the numbers of these."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.data.texts import Texts, decoded_terms
from learnt.data.tokens import Tokens
from learnt.prepare.vectors.phrases import join_pairs


@dataclass(frozen=True)
class WordNumbers:
    """Words of the texts, phrases made of them round by round, and the row of each among the vectors, −1 for none.

    `joined` has a row for each pair that becomes a phrase: first, second, and what they become. Words have the numbers
    below the number of terms, phrases those above, in the order of their coming. `rounds` says where each round ends.
    """

    text: Array
    ends: Array
    joined: Array
    rounds: Array
    places: Array

    def sequences(self, texts: Texts, tokens: Tokens, terms: Any = None) -> tuple[Array, Array]:
        """Where the words of each document begin, and their rows in the order of the text."""
        known = _core.Terms(self.text, self.ends) if terms is None else terms
        offsets, ids = _core.encode_sequences(texts.documents, tokens.rules(texts), known)
        for first, last in pairwise([0, *self.rounds.tolist()]):
            offsets, ids = join_pairs(offsets, ids, self.joined[first:last])
        rows = np.append(self.places, np.int32(-1))[ids]  # the last for those that are not known
        return np.ascontiguousarray(offsets, np.int64), np.ascontiguousarray(rows, np.int32)

    def all_words(self) -> list[str]:
        """Words and phrases in the order of their numbers; the words of a phrase are joined by a space."""
        words = decoded_terms(self.text, self.ends)
        for first, second, becomes in self.joined.tolist():
            if becomes == len(words):
                words.append(f"{words[first]} {words[second]}")
        return words

    def words(self) -> list[str]:
        """Those that have vectors, in the order of these."""
        every = np.array(self.all_words(), dtype=object)
        kept = np.flatnonzero(self.places >= 0)
        found: list[str] = every[kept[np.argsort(self.places[kept])]].tolist()
        return found

    def with_phrases(self, pairs: Array) -> WordNumbers:
        """One round of phrases more. Two pairs may become one phrase: new + york times, and new york + times."""
        words = self.all_words()
        number = {word: i for i, word in enumerate(words)}
        rows = []
        for first, second in pairs.tolist():
            phrase = f"{words[first]} {words[second]}"
            rows.append((first, second, number.setdefault(phrase, len(number))))
        joined = np.array([*map(tuple, self.joined.tolist()), *rows], np.int32).reshape(-1, 3)
        rounds = np.append(self.rounds, len(joined)).astype(np.int64)
        return WordNumbers(self.text, self.ends, joined, rounds, np.arange(len(number), dtype=np.int32))

    def kept(self, totals: Array, least: int) -> tuple[WordNumbers, Array]:
        """Those that are there often enough get rows, frequent ones first; and their numbers in that order."""
        order = np.argsort(-totals, kind="stable")
        chosen = order[totals[order] >= least]
        places = np.full(len(totals), -1, np.int32)
        places[chosen] = np.arange(len(chosen), dtype=np.int32)
        return WordNumbers(self.text, self.ends, self.joined, self.rounds, places), chosen


def plain_numbers(text: Array, ends: Array) -> WordNumbers:
    """Terms without phrases, each in its own place."""
    none = np.zeros((0, 3), np.int32)
    return WordNumbers(text, ends, none, np.zeros(0, np.int64), np.arange(len(ends), dtype=np.int32))
