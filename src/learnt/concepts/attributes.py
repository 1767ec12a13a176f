"""What a hypothesis may ask of one column: a value, a branch of a hierarchy, a range, or nothing at all."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from learnt.errors import InputError
from learnt.show.numbers import number
from learnt.show.words import spell


class _Any:
    """The constraint that every cell meets, missing ones too."""

    def __repr__(self) -> str:
        return "?"


#: Asks nothing of a column.
ANY = _Any()


class Attribute(Protocol):
    """A column of the language. Constraints other than `ANY` are whatever the attribute makes of them.

    For each constraint and cell there is one least general constraint that covers both: constraints form a tree, or are
    ranges. A missing cell, None, is covered by `ANY` only.
    """

    @property
    def name(self) -> str: ...

    def of(self, cell: Any) -> Any:
        """The most specific constraint that covers a cell."""

    def covers(self, constraint: Any, cell: Any) -> bool: ...

    def includes(self, one: Any, other: Any) -> bool:
        """Whether a constraint covers all that another covers."""

    def join(self, constraint: Any, cell: Any) -> Any:
        """The least general constraint that covers what another does, and this cell."""

    def without(self, constraint: Any, cell: Any) -> list[Any]:
        """The most general constraints below another that do not cover this cell."""

    def every(self) -> Iterator[Any]:
        """All constraints, the most general first."""

    def text(self, constraint: Any) -> str: ...


@dataclass(frozen=True)
class Nominal:
    """One of its values, or any."""

    name: str
    values: tuple[Any, ...]

    def of(self, cell: Any) -> Any:
        return ANY if cell is None else cell

    def covers(self, constraint: Any, cell: Any) -> bool:
        return constraint is ANY or (cell is not None and constraint == cell)

    def includes(self, one: Any, other: Any) -> bool:
        return one is ANY or (other is not ANY and one == other)

    def join(self, constraint: Any, cell: Any) -> Any:
        return constraint if self.covers(constraint, cell) else ANY

    def without(self, constraint: Any, cell: Any) -> list[Any]:
        if constraint is not ANY:
            return []
        return [value for value in self.values if value != cell]

    def every(self) -> Iterator[Any]:
        yield ANY
        yield from self.values

    def text(self, constraint: Any) -> str:
        return "?" if constraint is ANY else str(constraint)


@dataclass(frozen=True)
class Hierarchy:
    """A tree of names: `parents` gives for each value or branch the branch it belongs to.

    >>> animal = Hierarchy("animal", {"dog": "mammal", "cat": "mammal", "owl": "bird"})
    >>> animal.join("dog", "cat"), animal.join("dog", "owl"), animal.without(ANY, "dog")
    ('mammal', ?, ['bird', 'cat'])
    """

    name: str
    parents: Mapping[Any, Any]
    _children: dict[Any, list[Any]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        children: dict[Any, list[Any]] = {}
        for child, parent in self.parents.items():
            children.setdefault(parent, []).append(child)
            seen, node = {child}, parent
            while node in self.parents:
                if node in seen:
                    raise InputError(f"The hierarchy of {self.name!r} leads from {spell(child)} back to itself.")
                seen.add(node)
                node = self.parents[node]
        object.__setattr__(self, "_children", children)

    def _path(self, node: Any) -> list[Any]:
        """From a node up to its root, then ANY."""
        path = []
        while node is not ANY:
            path.append(node)
            node = self.parents.get(node, ANY)
        return [*path, ANY]

    def of(self, cell: Any) -> Any:
        return ANY if cell is None else cell

    def covers(self, constraint: Any, cell: Any) -> bool:
        return constraint is ANY or (cell is not None and constraint in self._path(cell))

    def includes(self, one: Any, other: Any) -> bool:
        return one is ANY or (other is not ANY and one in self._path(other))

    def join(self, constraint: Any, cell: Any) -> Any:
        if constraint is ANY or cell is None:
            return ANY
        above = self._path(cell)
        return next(node for node in self._path(constraint) if node in above)

    def without(self, constraint: Any, cell: Any) -> list[Any]:
        roots = [node for node in self._children if node not in self.parents]
        below = roots if constraint is ANY else self._children.get(constraint, [])
        found = []
        for node in below:
            found += self.without(node, cell) if self.covers(node, cell) else [node]
        return sorted(found, key=str)

    def every(self) -> Iterator[Any]:
        yield ANY
        yield from dict.fromkeys([*self._children, *self.parents])

    def text(self, constraint: Any) -> str:
        return "?" if constraint is ANY else str(constraint)


@dataclass(frozen=True)
class Ordered:
    """A range of values in their order, `values[i]` to `values[j]`; for numbers, those that are known.

    >>> size = Ordered("size", ("S", "M", "L", "XL"))
    >>> size.text(size.join(size.of("M"), "L")), [size.text(c) for c in size.without(ANY, "M")]
    ('M…L', ['S', 'L…XL'])
    """

    name: str
    values: tuple[Any, ...]
    _place: dict[Any, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_place", {value: place for place, value in enumerate(self.values)})

    def _range(self, constraint: Any) -> tuple[int, int]:
        return (0, len(self.values) - 1) if constraint is ANY else constraint

    def _made(self, low: int, high: int) -> Any:
        """A range as a constraint: that of all values asks nothing."""
        return ANY if (low, high) == (0, len(self.values) - 1) and len(self.values) > 1 else (low, high)

    def of(self, cell: Any) -> Any:
        if cell is None or cell not in self._place:
            return ANY
        return self._place[cell], self._place[cell]

    def covers(self, constraint: Any, cell: Any) -> bool:
        if constraint is ANY:
            return True
        if cell is None:
            return False
        low, high = constraint
        if cell in self._place:
            return bool(low <= self._place[cell] <= high)
        try:  # a number between known ones
            return bool(self.values[low] <= cell <= self.values[high])
        except TypeError:
            return False

    def includes(self, one: Any, other: Any) -> bool:
        if one is ANY or other is ANY:
            return one is ANY
        return bool(one[0] <= other[0] and other[1] <= one[1])

    def join(self, constraint: Any, cell: Any) -> Any:
        if constraint is ANY or cell is None or cell not in self._place:
            return ANY
        place = self._place[cell]
        return self._made(min(constraint[0], place), max(constraint[1], place))

    def without(self, constraint: Any, cell: Any) -> list[Any]:
        low, high = self._range(constraint)
        if cell is None or cell not in self._place:  # every proper range leaves it out
            parts = [(low, high - 1), (low + 1, high)] if constraint is ANY else []
        else:
            parts = [(low, self._place[cell] - 1), (self._place[cell] + 1, high)]
        return [part for part in dict.fromkeys(parts) if part[0] <= part[1]]

    def every(self) -> Iterator[Any]:
        yield ANY
        n = len(self.values)
        for length, low in itertools.product(range(n - 1, 0, -1), range(n)):
            if low + length <= n:
                yield low, low + length - 1
        if n == 1:
            yield 0, 0

    def text(self, constraint: Any) -> str:
        if constraint is ANY:
            return "?"
        low, high = (self.values[i] for i in constraint)
        low, high = (number(v) if isinstance(v, float) else str(v) for v in (low, high))
        return low if low == high else f"{low}…{high}"


def distinct(cells: Sequence[Any]) -> tuple[Any, ...]:
    """The different cells that are there, in their order if they have one, else as they come."""
    there = list(dict.fromkeys(cell for cell in cells if cell is not None))
    try:
        return tuple(sorted(there))
    except TypeError:
        return tuple(there)
