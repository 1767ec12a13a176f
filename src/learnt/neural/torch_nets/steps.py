"""Sequences as a net sees them: the numbers and codes of their steps, padded batch by batch."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.lazy import cached_property
from learnt.neural.inputs import NetInputs


@dataclass(frozen=True, eq=False)
class SequenceItems:
    """Steps of all sequences one after the other: sequence s has rows offsets[s] … offsets[s + 1], or those of `which`
    if it is one of a choice."""

    table: Table
    dense: Array
    codes: Array
    offsets: Array
    which: Array

    @classmethod
    def of(cls, inputs: NetInputs, table: Table, offsets: Array) -> SequenceItems:
        given, codes = inputs.encode(table)
        return cls(table, inputs.scaled(given), codes, offsets, np.arange(len(offsets) - 1))

    def __len__(self) -> int:
        return len(self.which)

    @cached_property
    def lengths(self) -> Array:
        found: Array = np.diff(self.offsets)[self.which]
        return found

    @property
    def places(self) -> float:
        """Steps of a sequence, on average."""
        return float(np.mean(self.lengths)) if len(self) else 0.0

    def take(self, places: Array) -> SequenceItems:
        return SequenceItems(self.table, self.dense, self.codes, self.offsets, self.which[places])

    def step_weights(self, weights: Array | None) -> Array:
        """How often each row of steps counts, by the weights of the sequences chosen."""
        by_sequence = np.bincount(self.which, weights, len(self.offsets) - 1).astype(np.float64)
        return np.repeat(by_sequence, np.diff(self.offsets))

    def batch(self, torch: Any, places: Array, device: Any, dtype: Any) -> tuple[Any, ...]:
        """Dense numbers and codes, sequences × steps of the longest × …, and lengths."""
        first = self.offsets[self.which[places]]
        lengths = self.offsets[self.which[places] + 1] - first
        step = np.arange(int(lengths.max(initial=0)))
        there = step < lengths[:, None]
        rows = np.where(there, first[:, None] + step, 0)
        dense = np.zeros((*rows.shape, self.dense.shape[1]))
        codes = np.full((*rows.shape, self.codes.shape[1]), -1, np.int64)
        if len(self.dense):
            dense[there], codes[there] = self.dense[rows[there]], self.codes[rows[there]]
        return (
            torch.from_numpy(dense).to(device, dtype),
            torch.from_numpy(codes).to(device),
            torch.from_numpy(lengths).to(device),
        )

    def keys(self) -> list[bytes]:
        """A key for each sequence, the same for the same steps."""
        found = []
        for s in self.which.tolist():
            rows = slice(int(self.offsets[s]), int(self.offsets[s + 1]))
            parts = (np.ascontiguousarray(self.dense[rows] + 0.0), np.ascontiguousarray(self.codes[rows]))
            found.append(hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=16).digest())
        return found
