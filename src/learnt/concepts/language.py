"""A language of conjunctions: which hypotheses can be said, from the most general to the one that is never true."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from learnt.concepts.attributes import ANY, Attribute, Hierarchy, Nominal, Ordered, distinct
from learnt.data.table import Table
from learnt.errors import InputError
from learnt.show.words import plain, spell

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Hypothesis:
    """A constraint for each column, all of which a row must meet; `constraints=None` is met by no row."""

    language: Language = field(compare=False)
    constraints: tuple[Any, ...] | None

    def covers(self, row: Row) -> bool:
        """Whether a row, the cells in the order of the columns, is an instance of the concept."""
        if self.constraints is None:
            return False
        pairs = zip(self.language.attributes, self.constraints, row, strict=True)
        return all(attribute.covers(constraint, cell) for attribute, constraint, cell in pairs)

    def __str__(self) -> str:
        if self.constraints is None:
            return f"⟨{', '.join('∅' for _ in self.language.attributes)}⟩"
        parts = zip(self.language.attributes, self.constraints, strict=True)
        return f"⟨{', '.join(attribute.text(constraint) for attribute, constraint in parts)}⟩"

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Language:
    """The hypotheses that a column each can be asked for: `Nominal`, `Hierarchy` or `Ordered`.

    >>> weather = Language((Nominal("sky", ("sunny", "cloudy", "rainy")), Nominal("wind", ("weak", "strong"))))
    >>> weather.size, weather.most_general
    (13, ⟨?, ?⟩)
    >>> [str(h) for h in weather.specialise(weather.most_general, ("rainy", "weak"))]
    ['⟨sunny, ?⟩', '⟨cloudy, ?⟩', '⟨?, strong⟩']
    """

    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        if not self.attributes:
            raise InputError("The language has no columns.")

    @classmethod
    def of(
        cls,
        X: Any,
        *,
        hierarchies: Mapping[str, Mapping[Any, Any]] | None = None,
        ordered: Mapping[str, Sequence[Any]] | None = None,
        values: Mapping[str, Sequence[Any]] | None = None,
    ) -> Language:
        """The language of a table: ranges of its numbers, values of its other columns.

        | argument | meaning |
        |---|---|
        | `hierarchies` | by column: to which branch each value and each branch belongs |
        | `ordered` | by column: its values in order; ordinal columns have theirs |
        | `values` | by column: all values there are, where rows show only some |
        """
        table = Table(X)
        said = {**(hierarchies or {}), **(ordered or {}), **(values or {})}
        unknown = [name for name in said if name not in table.names]
        if unknown:
            raise InputError(f"There is no column {spell(unknown[0])}.")
        attributes: list[Attribute] = []
        for column in table.columns:
            cells = [plain(cell) for cell in column.labels()]
            if hierarchies and column.name in hierarchies:
                attributes.append(Hierarchy(column.name, dict(hierarchies[column.name])))
            elif ordered and column.name in ordered:
                attributes.append(Ordered(column.name, tuple(ordered[column.name])))
            elif values and column.name in values:
                attributes.append(Nominal(column.name, tuple(values[column.name])))
            elif column.kind == "numeric":
                attributes.append(Ordered(column.name, distinct(cells)))
            elif column.kind == "ordinal":
                attributes.append(Ordered(column.name, tuple(map(plain, column.categories))))
            else:
                attributes.append(Nominal(column.name, tuple(map(plain, column.categories))))
        return cls(tuple(attributes))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def most_general(self) -> Hypothesis:
        return Hypothesis(self, tuple(ANY for _ in self.attributes))

    @property
    def nothing(self) -> Hypothesis:
        """The hypothesis that no row meets."""
        return Hypothesis(self, None)

    @property
    def size(self) -> int:
        """How many hypotheses there are that differ, |H|."""
        return 1 + math.prod(sum(1 for _ in attribute.every()) for attribute in self.attributes)

    def __iter__(self) -> Iterator[Hypothesis]:
        """All hypotheses, general ones before special ones of the same columns."""
        for constraints in itertools.product(*(tuple(attribute.every()) for attribute in self.attributes)):
            yield Hypothesis(self, constraints)
        yield self.nothing

    def rows(self, X: Any) -> list[Row]:
        """The rows of a table as tuples of cells, in the order of the columns of the language."""
        table = Table(X)
        lost = [name for name in self.names if name not in table.names]
        if lost:
            raise InputError(f"There is no column {lost[0]!r}.")
        return list(zip(*([plain(cell) for cell in table[name].labels()] for name in self.names), strict=True))

    def hypothesis(self, **constraints: Any) -> Hypothesis:
        """A hypothesis of values by column; columns left out are asked for nothing."""
        wrong = [name for name in constraints if name not in self.names]
        if wrong:
            raise InputError(f"There is no column {wrong[0]!r}.")
        return Hypothesis(
            self, tuple(a.of(constraints[a.name]) if a.name in constraints else ANY for a in self.attributes)
        )

    def generalise(self, hypothesis: Hypothesis, row: Row) -> Hypothesis:
        """The least general hypothesis that covers what another does, and this row."""
        if hypothesis.constraints is None:
            return Hypothesis(self, tuple(a.of(cell) for a, cell in zip(self.attributes, row, strict=True)))
        parts = zip(self.attributes, hypothesis.constraints, row, strict=True)
        return Hypothesis(self, tuple(a.join(constraint, cell) for a, constraint, cell in parts))

    def specialise(self, hypothesis: Hypothesis, row: Row) -> list[Hypothesis]:
        """The most general hypotheses below another that do not cover this row."""
        if hypothesis.constraints is None or not hypothesis.covers(row):
            return [hypothesis]
        found = []
        for j, (attribute, cell) in enumerate(zip(self.attributes, row, strict=True)):
            for narrower in attribute.without(hypothesis.constraints[j], cell):
                constraints = (*hypothesis.constraints[:j], narrower, *hypothesis.constraints[j + 1 :])
                found.append(Hypothesis(self, constraints))
        return found or [self.nothing]


def at_least_as_general(one: Hypothesis, other: Hypothesis) -> bool:
    """Whether every row that meets `other` meets `one`."""
    if other.constraints is None:
        return True
    if one.constraints is None:
        return False
    parts = zip(one.language.attributes, one.constraints, other.constraints, strict=True)
    return all(attribute.includes(a, b) for attribute, a, b in parts)


def more_general(one: Hypothesis, other: Hypothesis) -> str:
    """How two hypotheses stand to each other: "more general", "more specific", "equal" or "neither".

    >>> weather = Language((Nominal("sky", ("sunny", "rainy")), Nominal("wind", ("weak", "strong"))))
    >>> sunny, calm = weather.hypothesis(sky="sunny"), weather.hypothesis(sky="sunny", wind="weak")
    >>> more_general(sunny, calm), more_general(calm, sunny), more_general(calm, calm)
    ('more general', 'more specific', 'equal')
    >>> more_general(sunny, weather.hypothesis(wind="weak"))
    'neither'
    """
    above, below = at_least_as_general(one, other), at_least_as_general(other, one)
    if above and below:
        return "equal"
    return "more general" if above else "more specific" if below else "neither"
