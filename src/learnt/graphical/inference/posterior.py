"""What a question about a model is answered with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.graphical.factors.factor import Factor
from learnt.show.html import html_table
from learnt.show.numbers import fixed
from learnt.show.text_table import aligned_lines
from learnt.show.words import short_name

BAR = 20  # letters of the longest bar
SHOWN = 40
FINDINGS = 12  # named above an answer


class Posterior(Factor):
    """The probability of each state, or of each combination of states, given what was seen.

    `posterior["yes"]` is one of them, `probabilities` all as an array with one axis a variable, `to_dict()` by state.
    `log_evidence` is the logarithm of the probability of the evidence, `error` the standard error where answers are
    drawn at random.
    """

    __slots__ = ("error", "evidence", "log_evidence", "method")

    def __init__(
        self,
        variables: tuple[str, ...],
        states: tuple[tuple[Any, ...], ...],
        probabilities: Array,
        *,
        evidence: Mapping[str, str] | None = None,
        log_evidence: float = 0.0,
        method: str = "",
        error: Array | None = None,
    ):
        self.variables, self._states, self.logs = variables, states, False
        self.values = probabilities
        self.evidence: Mapping[str, str] = evidence or {}
        self.log_evidence, self.method, self.error = log_evidence, method, error

    @property
    def probabilities(self) -> Array:
        return self.values

    def to_dict(self) -> dict[Any, float]:
        """Probabilities by state; by tuples of states where there are several variables."""
        return {key[0] if len(key) == 1 else key: p for key, p in self._entries()}

    def _entries(self) -> Iterator[tuple[tuple[Any, ...], float]]:
        for place in np.ndindex(*self.values.shape):
            yield tuple(s[i] for s, i in zip(self._states, place, strict=True)), float(self.values[place])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    @property
    def title(self) -> str:
        known = _findings_text(self.evidence)
        asked = ", ".join(short_name(n, 30) for n in self.variables)
        return f"P({asked}{' | ' + known if known else ''})"

    def _rows(self) -> list[list[str]]:
        shown = [pair for pair, _ in zip(self._entries(), range(SHOWN), strict=False)]
        return [[*(short_name(s, 28) for s in key), fixed(p, 4), "█" * round(BAR * p)] for key, p in shown]

    def __str__(self) -> str:
        n = len(self.variables)
        lines = ["  " + line for line in aligned_lines(self._rows(), left=(*range(n), n + 1))]
        more = self.values.size - SHOWN
        return "\n".join([self.title, *lines, *([f"  and {more:,} more"] if more > 0 else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        left = (*range(len(self.variables)), len(self.variables) + 1)
        return str(html_table([*self.variables, self.title, ""], self._rows(), left=left))


class Posteriors(dict[str, Posterior]):
    """A posterior for each variable asked for."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.values()))

    __repr__ = __str__


@dataclass(frozen=True)
class Assignment(Mapping[str, Any]):
    """The most probable states together, by variable; `probability` is that of them given the evidence."""

    states: Mapping[str, Any]
    probability: float
    log_joint: float  # of the states and the evidence
    evidence: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.states[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.states)

    def __len__(self) -> int:
        return len(self.states)

    def __str__(self) -> str:
        known = _findings_text(self.evidence)
        rows = [[short_name(n, 28), short_name(s, 28)] for n, s in self.states.items()]
        head = f"Most probable{' given ' + known if known else ''}, probability {fixed(self.probability, 4)}:"
        return "\n".join([head, *("  " + line for line in aligned_lines(rows, left=(0, 1)))])


def _findings_text(evidence: Mapping[str, str]) -> str:
    told = [f"{short_name(n, 30)} = {w}" for n, w in evidence.items()]
    more = len(told) - FINDINGS
    return ", ".join(told) if more <= 0 else f"{', '.join(told[:FINDINGS])} and {more:,} more"


class ImpossibleEvidence(InputError):
    """What was seen has the probability 0; `conflict` names findings that cannot all be true, none of them needless."""

    def __init__(self, message: str, conflict: tuple[str, ...] = ()):
        super().__init__(message)
        self.conflict = conflict

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.conflict)
