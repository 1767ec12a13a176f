"""Messages of a factor graph, in the order in which they were sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from learnt.data.table import Array
from learnt.show.drawing import Drawing
from learnt.show.numbers import number
from learnt.show.text_table import aligned_lines
from learnt.show.words import short_name


@dataclass(frozen=True, eq=False)
class Message:
    """Numbers over the states of a variable, on its way to a factor or from it."""

    sweep: str  # "up", to the root, or "down"
    factor: int
    variable: int
    to_variable: bool
    values: Array


class Messages(Sequence[Message]):
    """All messages of two sweeps; prints as a list, `draw` shows them along the arrows."""

    def __init__(
        self, variables: Sequence[str], states: Sequence[Sequence[Any]], factors: Sequence[str], maximum: bool
    ):
        self.variables, self.states, self.factors, self.maximum = variables, states, factors, maximum
        self._sent: list[Message] = []
        self._to_variable: dict[int, dict[int, Array]] = {}
        self._to_factor: dict[tuple[int, int], Array] = {}

    def add(self, message: Message) -> None:
        self._sent.append(message)
        if message.to_variable:
            self._to_variable.setdefault(message.variable, {})[message.factor] = message.values
        else:
            self._to_factor[message.factor, message.variable] = message.values

    def to_variable(self, v: int) -> Iterator[tuple[int, Array]]:
        """(factor, numbers) of the messages that have arrived at a variable."""
        yield from self._to_variable.get(v, {}).items()

    def to_factor(self, f: int, v: int) -> Array:
        return self._to_factor[f, v]

    def __len__(self) -> int:
        return len(self._sent)

    def __getitem__(self, i: Any) -> Any:
        return self._sent[i]

    def ends(self, message: Message) -> tuple[str, str]:
        """From whom to whom, by name."""
        names = short_name(self.factors[message.factor], 60), short_name(self.variables[message.variable], 30)
        return names if message.to_variable else names[::-1]

    def words(self, message: Message) -> str:
        states = self.states[message.variable]
        return ", ".join(f"{short_name(s, 20)} {number(float(x))}" for s, x in zip(states, message.values, strict=True))

    def __str__(self) -> str:
        rows = [[str(i), m.sweep, " → ".join(self.ends(m)), "", self.words(m)] for i, m in enumerate(self._sent, 1)]
        return "\n".join(aligned_lines([[*r[:3], r[4]] for r in rows], left=(1, 2, 3)))

    __repr__ = __str__

    def draw(self, path: Any = None) -> Drawing:
        """The factor graph with its messages beside the edges, written to `path` (.svg or .png) if one is given."""
        from learnt.graphical.drawing.factor_graph import draw_messages

        return draw_messages(self, path)
