"""How documents are taken apart into words, and counted by the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from learnt import _core
from learnt.data.table import Array
from learnt.data.texts import Texts, characters, encoded_terms

#: indptr, indices and data of a matrix in compressed rows.
Rows = tuple[Array, Array, Array]

#: The terms in order, as UTF-8 one after the other; for each where it ends, in how many documents it is, how often.
Counted = tuple[Array, Array, Array, Array]


@dataclass(frozen=True)
class Tokens:
    """How documents are taken apart: lower case or as written, how many words a term has, which words are left out."""

    lowercase: bool = True
    ngram_range: tuple[int, int] = (1, 1)
    stop_words: tuple[str, ...] = ()
    single: bool = False  # whether counts are float32

    def rules(self, texts: Texts) -> Any:
        stops = _core.Terms(*encoded_terms(list(dict.fromkeys(self.stop_words)))) if self.stop_words else None
        return _core.TokenRules(self.lowercase, *self.ngram_range, stops, None if texts.ascii else characters())

    def count(self, texts: Texts) -> Counted:
        """All terms."""
        return _core.count_words(texts.documents, self.rules(texts))

    def encode(self, texts: Texts, columns: Any) -> Rows:
        """Counts in the columns of a vocabulary, or of so many hashes."""
        rules = self.rules(texts)
        if isinstance(columns, int):
            return _core.hash_words(texts.documents, rules, columns, self.single)
        return _core.encode_words(texts.documents, rules, columns, self.single)

    def count_and_encode(self, texts: Texts) -> tuple[Counted, Rows]:
        """All terms, and the counts of each document, in one look."""
        return _core.count_and_encode_words(texts.documents, self.rules(texts), self.single)
