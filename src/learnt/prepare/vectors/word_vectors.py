"""Words and their vectors: which are alike, and which complete an analogy."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from numbers import Number
from typing import Any

import numpy as np

from learnt.data.naming import nearest_name
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.learner.parameters import Whole, check_parameters
from learnt.prepare.vectors.vector_files import read_vectors, write_vectors
from learnt.show.words import count_of, list_of, spell

#: Words that a wrong spelling is looked for among: the first, which are the most frequent.
MOST_SPELLINGS = 20_000


class WordVectors:
    """Vectors of words, found by the word.

    >>> vectors = WordVectors(["king", "queen", "man", "woman"], [[2, 1], [2, -1], [0, 1], [0, -1]])
    >>> vectors["queen"]
    array([ 2., -1.], dtype=float32)
    >>> vectors.analogy("man", "king", "woman")
    'queen'

    `words` are in the order of the rows of `array`. Likeness is the cosine of the angle between two vectors: 1 for the
    same direction, 0 for a right angle.
    """

    def __init__(self, words: Sequence[str], array: Any):
        self.words = tuple(str(word) for word in words)
        self.array = np.array(array, np.float32)
        self.array.flags.writeable = False
        if self.array.ndim != 2 or len(self.array) != len(self.words) or self.array.shape[1] == 0:
            raise InputError(
                f"{count_of(len(self.words), 'word')} and vectors of shape {self.array.shape}. Expected one vector, a "
                "row of at least one number, for each word."
            )
        if not np.isfinite(self.array).all():
            raise InputError("A vector holds what is not a finite number. Expected numbers alone.")
        self._rows = {word: i for i, word in enumerate(self.words)}
        if len(self._rows) < len(self.words):
            twice = next(word for i, word in enumerate(self.words) if self._rows[word] != i)
            raise InputError(f"The word {spell(twice)} is there twice. Expected each once. Leave one out.")
        squares = np.einsum("ij,ij->i", self.array, self.array, dtype=np.float64)  # which floats could not hold
        lengths = np.sqrt(squares)[:, None]
        self._unit = np.divide(
            self.array, lengths, out=np.zeros_like(self.array), where=lengths > 0, casting="same_kind"
        )

    # One word

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __getitem__(self, word: str) -> Array:
        vector: Array = self.array[self.row(word)]
        return vector

    def row(self, word: str) -> int:
        """The number of a word's row; words that are not there are an error that names the nearest spelling."""
        if isinstance(word, str) and word in self._rows:
            return self._rows[word]
        if not isinstance(word, str):
            raise InputError(f"{spell(word)} is not a word. Expected a text.")
        if word.lower() in self._rows:
            near: str | None = word.lower()
        else:
            near = nearest_name(word, self.words[:MOST_SPELLINGS])
        hint = f"Did you mean {spell(near)}?" if near is not None else "None of the words is spelt like it."
        raise InputError(f"There is no vector of the word {spell(word)} among {count_of(len(self), 'word')}. {hint}")

    # Likeness

    def similarity(self, one: str, other: str) -> float:
        """The cosine of the angle between the vectors of two words, from −1 to 1."""
        return float(np.clip(self._unit[self.row(one)] @ self._unit[self.row(other)], -1.0, 1.0))

    def most_similar(self, positive: Any, negative: Any = (), n: int = 10) -> list[tuple[str, float]]:
        """The words most like a word, a vector, or the sum of several; without the words of `negative`.

        Each word counts by its direction alone. The words asked about are left out of the answer.
        """
        check_parameters("most_similar", {"n": Whole(1)}, {"n": n})
        added, asked = self._direction(positive)
        taken, also = self._direction(negative)
        if not (asked or also or added.any() or taken.any()):
            raise InputError("No word was given. Expected one, several, or a vector that is not 0.")
        direction = added - taken
        length = float(np.linalg.norm(direction))
        likeness = self._unit @ (direction / length if length > 0 else direction).astype(np.float32)
        order = np.argsort(-likeness, kind="stable")
        left_out = {*asked, *also}
        chosen = [int(i) for i in order[: n + len(left_out)] if int(i) not in left_out][:n]
        return [(self.words[i], float(likeness[i])) for i in chosen]

    def analogy(self, one: str, other: str, third: str) -> str:
        """What is to `third` as `other` is to `one`: the word most like other − one + third."""
        found = self.most_similar([other, third], [one], n=1)
        if not found:
            raise InputError(f"There are {count_of(len(self), 'word')}. Expected more than the three of an analogy.")
        return found[0][0]

    def _direction(self, given: Any) -> tuple[Array, list[int]]:
        """The sum of the directions of words and vectors, and the rows of the words."""
        parts = [given] if isinstance(given, str) or _is_vector(given) else list(given)
        total, rows = np.zeros(self.array.shape[1]), []
        for part in parts:
            if isinstance(part, str):
                rows.append(self.row(part))
                total += self._unit[rows[-1]]
                continue
            vector = np.asarray(part, np.float64)
            if vector.shape != total.shape or not np.isfinite(vector).all():
                raise InputError(
                    f"Expected words, or vectors of {count_of(len(total), 'finite number')}; got {spell(part)}."
                )
            length = np.linalg.norm(vector)
            total += vector / length if length > 0 else vector
        return total, rows

    # Pictures and files

    def plot(self, words: Sequence[str] | None = None, ax: Any = None) -> Any:
        """Words in the plane in which they differ most, that of their first two principal components: those given, or
        the first sixty; returns the axes."""
        from learnt.plot.words import plot_words

        chosen = list(self.words[:60]) if words is None else list(dict.fromkeys(words))
        return plot_words(chosen, self._unit[[self.row(word) for word in chosen]], ax)

    def write(self, path: str | os.PathLike[str], *, binary: bool = False) -> None:
        """Write the plain format of word2vec, text or binary, which other programs read. Spaces within phrases become
        underscores there."""
        write_vectors(path, self.words, self.array, binary=binary)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> WordVectors:
        """Read the plain format of word2vec, text or binary."""
        return cls(*read_vectors(path))

    def __repr__(self) -> str:
        some = list_of([spell(word) for word in self.words[:4]], most=3) if self.words else "none"
        return f"<WordVectors: {count_of(len(self), 'word')}, {count_of(self.array.shape[1], 'number')} each: {some}>"


def _is_vector(given: Any) -> bool:
    return len(given) > 0 and all(isinstance(part, Number) for part in given)
