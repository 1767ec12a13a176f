"""Version spaces: all hypotheses that agree with the examples, listed or held by their boundaries."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from learnt.concepts.base import ConceptLearner, Step, Steps
from learnt.concepts.language import Hypothesis, Language, Row, at_least_as_general
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.show.words import count_of, few_of

#: Hypotheses that are listed, at most.
MOST_LISTED = 500_000
#: Hypotheses on a boundary, at most.
MOST_ON_BOUNDARY = 10_000
_SHOWN = 6


class VersionSpaceLearner(ConceptLearner):
    """What can be asked of a version space."""

    def hypotheses(self) -> Iterator[Any]:
        """All hypotheses of the version space."""
        raise NotImplementedError

    def _decided(self, row: Row) -> bool | None:
        raise NotImplementedError

    @property
    def size_(self) -> int:
        """How many hypotheses are left."""
        self._check_fitted()
        return sum(1 for _ in self.hypotheses())

    def predict(self, X: Any) -> Array:
        """The label that all hypotheses agree on, None where they do not."""
        self._check_fitted()
        return self._labels([self._decided(row) for row in self.language_.rows(X)])

    def shares(self, X: Any) -> list[float]:
        """By row, the share of the hypotheses that call it positive."""
        self._check_fitted()
        rows = self.language_.rows(X)
        counts, n = [0] * len(rows), 0
        for hypothesis in self.hypotheses():
            n += 1
            for i, row in enumerate(rows):
                counts[i] += hypothesis.covers(row)
        if n == 0:
            raise InputError(self._collapse_words())
        return [count / n for count in counts]

    def best_query(self, X: Any) -> int:
        """The number of the row whose label would halve the version space best: ask for that one next."""
        shares = self.shares(X)
        if not shares:
            raise InputError("There are no rows to ask for.")
        return min(range(len(shares)), key=lambda i: (abs(shares[i] - 0.5), i))

    def _collapse_words(self) -> str:
        row = getattr(self, "collapsed_by_", None)
        where = "" if row is None else f" Row {row} left none."
        return (
            f"No hypothesis agrees with all examples.{where} A label is wrong, or the concept cannot be said in the "
            "language: ListThenEliminate(errors=1) allows for wrong labels."
        )


class ListThenEliminate(VersionSpaceLearner):
    """List all hypotheses, and strike out those that get an example wrong.

    `hypotheses` may be a list of your own: functions of a row as a dict, by name. `errors` is how many examples a
    hypothesis may get wrong and stay: for labels that are not all right.

    >>> rows = {"sky": ["sunny", "rainy"], "wind": ["weak", "weak"]}
    >>> learner = ListThenEliminate().fit(rows, ["yes", "no"])
    >>> learner.remaining_
    [⟨sunny, ?⟩, ⟨sunny, weak⟩]
    >>> learner.shares({"sky": ["sunny"], "wind": ["strong"]})
    [0.5]
    """

    def __init__(
        self,
        language: Language | None = None,
        *,
        hypotheses: Mapping[str, Callable[[dict[str, Any]], Any]] | None = None,
        errors: int = 0,
        positive: Any = None,
    ):
        super().__init__(language, positive=positive)
        self.given, self.errors = hypotheses, errors

    def _listed(self) -> list[Any]:
        if self.given is not None:
            return [Named(name, rule, self.language_.names) for name, rule in self.given.items()]
        if self.language_.size > MOST_LISTED:
            raise InputError(
                f"The language has {self.language_.size:,} hypotheses, more than can be listed "
                f"({MOST_LISTED:,}). CandidateElimination holds them by their boundaries."
            )
        return list(self.language_)

    def _learn(self, rows: list[Row], positive: list[bool]) -> None:
        left = [(hypothesis, 0) for hypothesis in self._listed()]
        self.steps_ = Steps([self._step(0, None, None, left)])
        self.collapsed_by_: int | None = None
        for i, (row, label) in enumerate(zip(rows, positive, strict=True)):
            judged = ((h, wrong + (h.covers(row) != label)) for h, wrong in left)
            left = [(h, wrong) for h, wrong in judged if wrong <= self.errors]
            self.steps_.append(self._step(i + 1, row, label, left))
            if not left and self.collapsed_by_ is None:
                self.collapsed_by_ = i
        self.remaining_ = [hypothesis for hypothesis, _ in left]
        self.errors_of_ = [wrong for _, wrong in left]

    def _step(self, number: int, row: Row | None, label: bool | None, left: Sequence[tuple[Any, int]]) -> Step:
        shown = few_of([str(h) for h, _ in left], _SHOWN) if len(left) <= 2 * _SHOWN else "…"
        return Step(number, row, label, (("left", f"{len(left):,}"), ("hypotheses", shown)))

    def hypotheses(self) -> Iterator[Any]:
        return iter(self.remaining_)

    def _decided(self, row: Row) -> bool | None:
        answers = {hypothesis.covers(row) for hypothesis in self.remaining_}
        return answers.pop() if len(answers) == 1 else None


class Named:
    """A hypothesis of the user's own: a name, and a function of a row as a dict."""

    def __init__(self, name: str, rule: Callable[[dict[str, Any]], Any], columns: tuple[str, ...]):
        self.name, self.rule, self.columns = name, rule, columns

    def covers(self, row: Row) -> bool:
        return bool(self.rule(dict(zip(self.columns, row, strict=True))))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name


class CandidateElimination(VersionSpaceLearner):
    """Hold the version space by its boundaries: S, the most special hypotheses, and G, the most general ones.

    >>> rows = {"sky": ["sunny", "rainy", "sunny"], "wind": ["weak", "weak", "strong"]}
    >>> learner = CandidateElimination().fit(rows, ["yes", "no", "yes"])
    >>> print(learner.steps_)
       example          S                G
    0  start            {⟨∅, ∅⟩}         {⟨?, ?⟩}
    1  + sunny, weak    {⟨sunny, weak⟩}  {⟨?, ?⟩}
    2  − rainy, weak    {⟨sunny, weak⟩}  {⟨sunny, ?⟩}
    3  + sunny, strong  {⟨sunny, ?⟩}     {⟨sunny, ?⟩}

    `specific_` and `general_` are the boundaries. If no hypothesis is left, `collapsed_by_` is the number of the row
    that struck out the last; else None. `converged_` says that one is left.
    """

    def _learn(self, rows: list[Row], positive: list[bool]) -> None:
        specific, general = [self.language_.nothing], [self.language_.most_general]
        self.steps_ = Steps([_boundaries(0, None, None, specific, general)])
        self.boundaries_ = [(tuple(specific), tuple(general))]
        self.collapsed_by_: int | None = None
        for i, (row, label) in enumerate(zip(rows, positive, strict=True)):
            if label:
                general = [g for g in general if g.covers(row)]
                specific = _generalised(self.language_, specific, general, row)
            else:
                specific = [s for s in specific if not s.covers(row)]
                general = _specialised(self.language_, specific, general, row)
            if (not specific or not general) and self.collapsed_by_ is None:
                specific, general, self.collapsed_by_ = [], [], i
            self.steps_.append(_boundaries(i + 1, row, label, specific, general))
            self.boundaries_.append((tuple(specific), tuple(general)))
        self.specific_, self.general_ = specific, general
        self.converged_ = len(specific) == 1 and specific == general

    def _decided(self, row: Row) -> bool | None:
        if not self.specific_:
            return None
        if all(s.covers(row) for s in self.specific_):
            return True
        return None if any(g.covers(row) for g in self.general_) else False

    def hypotheses(self) -> Iterator[Hypothesis]:
        """All hypotheses between the boundaries, each once."""
        seen: set[tuple[Any, ...] | None] = set()
        for s, g in itertools.product(self.specific_, self.general_):
            for constraints in _between(self.language_, s, g):
                if constraints not in seen:
                    seen.add(constraints)
                    if len(seen) > MOST_LISTED:
                        raise InputError(f"There are more than {MOST_LISTED:,} hypotheses between the boundaries.")
                    yield Hypothesis(self.language_, constraints)

    def plot(self, ax: Any = None) -> Any:
        """Draw the version space as a lattice, general hypotheses on top."""
        from learnt.plot.concepts import plot_lattice

        self._check_fitted()
        return plot_lattice(list(self.hypotheses()), self.specific_, self.general_, ax)


def _between(language: Language, s: Hypothesis, g: Hypothesis) -> Iterator[tuple[Any, ...] | None]:
    if not at_least_as_general(g, s):
        return
    if s.constraints is None:
        yield None
    if g.constraints is None:
        return
    low = s.constraints
    choices = []
    for j, (attribute, high) in enumerate(zip(language.attributes, g.constraints, strict=True)):
        here = [c for c in attribute.every() if attribute.includes(high, c)]
        choices.append([c for c in here if low is None or attribute.includes(c, low[j])])
    yield from itertools.product(*choices)


def _generalised(
    language: Language, specific: Iterable[Hypothesis], general: Sequence[Hypothesis], row: Row
) -> list[Hypothesis]:
    found = [s if s.covers(row) else language.generalise(s, row) for s in specific]
    found = [s for s in dict.fromkeys(found) if any(at_least_as_general(g, s) for g in general)]
    return [s for s in found if not any(o != s and at_least_as_general(s, o) for o in found)]


def _specialised(
    language: Language, specific: Sequence[Hypothesis], general: Iterable[Hypothesis], row: Row
) -> list[Hypothesis]:
    found: dict[Hypothesis, None] = {}
    for g in general:
        for narrower in language.specialise(g, row):
            if any(at_least_as_general(narrower, s) for s in specific):
                found[narrower] = None
        if len(found) > MOST_ON_BOUNDARY:
            raise InputError(
                f"The boundary G has more than {MOST_ON_BOUNDARY:,} hypotheses: it can double with every negative row. "
                "Give positive rows first, or fewer columns."
            )
    every = list(found)
    return [g for g in every if not any(o != g and at_least_as_general(o, g) for o in every)]


def _boundaries(
    number: int, row: Row | None, label: bool | None, specific: Sequence[Hypothesis], general: Sequence[Hypothesis]
) -> Step:
    return Step(number, row, label, (("S", _set(specific)), ("G", _set(general))))


def _set(hypotheses: Sequence[Hypothesis]) -> str:
    if not hypotheses:
        return "{} (no hypothesis is left)"
    shown = ", ".join(str(h) for h in hypotheses[:_SHOWN])
    more = len(hypotheses) - _SHOWN
    rest = f", … and {count_of(more, 'other')}" if more > 0 else ""
    return f"{{{shown}{rest}}}"
