"""The critical-difference diagram: learners on a line of mean ranks, bars joining those that are tied."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from learnt.errors import InputError
from learnt.evaluate.significance.friedman import within
from learnt.show.drawing import Drawing
from learnt.show.numbers import number
from learnt.show.palette import BLUE, FAINT, INK, LINE
from learnt.show.sheet import Box, Sheet, Words, text_width
from learnt.show.words import printable, short_name

MARGIN, ROW, LEVEL = 16.0, 21.0, 9.0  # around the picture; between labels; between bars
AXIS = 380.0  # length of the line of ranks
NAME, SMALL = 13.0, 11.0  # sizes of letters
GAP = 10.0  # between a label and its line
LONGEST = 36  # letters of a name
BAR = BLUE
CAPTION = "mean rank"


def rank_diagram(
    ranks: Mapping[str, float],
    groups: Sequence[Sequence[str]] | None = None,
    critical_difference: float | None = None,
    *,
    path: Any = None,
) -> Drawing:
    """Draw learners by mean rank, the best to the left; a bar joins those that are not told apart.

    | argument | meaning |
    |---|---|
    | `ranks` | the mean rank of each learner, 1 is best |
    | `groups` | names that are tied, such as `tied_groups(…).groups`; by default those within the critical difference |
    | `critical_difference` | drawn as a ruler, if given |
    | `path` | a file to write as well, .svg or .png |

    Where a group leaves out a learner that ranks between its members, its bar is thin and its members are marked.

    >>> rank_diagram({"tree": 1.4, "bayes": 1.9, "majority": 2.7}, critical_difference=0.9)
    <Drawing of mean ranks: tree 1.4, bayes 1.9, majority 2.7>
    """
    if not ranks:
        raise InputError("There are no ranks to draw. Expected the mean rank of each learner.")
    order = sorted(((str(name), float(rank)) for name, rank in ranks.items()), key=lambda item: item[1])
    for name, rank in order:
        if not math.isfinite(rank):
            raise InputError(f"The rank of {name!r} is {rank}. Expected a number. Leave out learners without a rank.")
    if groups is None:
        groups = within(dict(order), critical_difference) if critical_difference is not None else ()
    label = "mean ranks: " + ", ".join(f"{printable(name)} {number(rank)}" for name, rank in order)
    drawing = Drawing(_Diagram(order, groups, critical_difference).sheet, label)
    if path is not None:
        drawing.save(path)
    return drawing


class _Diagram:
    """Places everything from top to bottom: ruler, axis, bars, then a row of its own for each label."""

    def __init__(self, order: list[tuple[str, float]], groups: Sequence[Sequence[str]], reach: float | None):
        self.order = order
        self.names = [name for name, _ in order]
        self.texts = [short_name(name, LONGEST) for name in self.names]
        self.rank_width = max(text_width(self._rank(i), SMALL) for i in range(len(order))) + 4
        half = (len(order) + 1) // 2
        self.left, self.right = range(half), range(len(order) - 1, half - 1, -1)  # the outermost first
        low, high = math.floor(order[0][1]), math.ceil(order[-1][1])
        self.low, self.high = low, max(high, low + 1, low + math.ceil(reach or 0))
        self.start = MARGIN + max(self._widest(self.left), text_width(CAPTION, SMALL) + 6) + GAP
        self.sheet = Sheet(self.start + AXIS + GAP + self._widest(self.right) + MARGIN)
        y = MARGIN
        if reach is not None:
            y = self._ruler(reach, y)
        y = self._axis(y)
        y = self._bars([self._places(group) for group in groups if len(group) > 1], y)
        self._labels(y)

    def _widest(self, side: range) -> float:
        return max((self._width(i) for i in side), default=0.0)

    def _width(self, i: int) -> float:
        """Of a rank and its name."""
        return self.rank_width + text_width(self.texts[i], NAME)

    def _rank(self, i: int) -> str:
        return f"{self.order[i][1]:.2f}"

    def _places(self, group: Sequence[str]) -> list[int]:
        for name in group:
            if name not in self.names:
                raise InputError(f"The group of {name!r} has no rank for it. Expected names of the ranks.")
        return sorted(self.names.index(name) for name in group)

    def _x(self, rank: float) -> float:
        return self.start + AXIS * (rank - self.low) / (self.high - self.low)

    def _line(self, x: float, y: float, x2: float, y2: float, colour: str, thick: float = 1.0, title: str = "") -> None:
        """A line along one direction, as a thin box."""
        half = thick / 2
        self.sheet.add(Box(x - half, y - half, x2 - x + thick, y2 - y + thick, colour, title=title))

    def _words(self, x: float, y: float, text: str, size: float, colour: str = INK) -> None:
        self.sheet.add(Words(x, y, text, size, colour=colour))

    def _ruler(self, reach: float, y: float) -> float:
        x, x2 = self._x(self.low), self._x(self.low + reach)
        text = f"critical difference {number(reach)}"
        self._words(x2 + 8, y + 5, text, SMALL, FAINT)
        self.sheet.width = max(self.sheet.width, x2 + 8 + text_width(text, SMALL) + MARGIN)
        self._line(x, y, x2, y, INK)
        for end in (x, x2):
            self._line(end, y - 4, end, y + 4, INK)
        return y + 26

    def _axis(self, y: float) -> float:
        self._words(MARGIN, y + 9, CAPTION, SMALL, FAINT)
        step = max(1, math.ceil((self.high - self.low) / 13))
        for tick in range(self.low, self.high + 1, step):
            self._words(self._x(tick) - 3.2 * len(str(tick)), y + 9, str(tick), SMALL, FAINT)
            self._line(self._x(tick), y + 14, self._x(tick), y + 20, LINE)
        self.axis = y + 20
        self._line(self._x(self.low), self.axis, self._x(self.high), self.axis, INK, 1.4)
        return self.axis

    def _bars(self, groups: list[list[int]], y: float) -> float:
        """Bars on as few levels as hold them apart. Painted last, over the lines to the labels."""
        ends: list[float] = []  # where the last bar of each level ends
        self.bars: list[tuple[list[int], float]] = []
        for group in groups:
            x, x2 = self._x(self.order[group[0]][1]) - 5, self._x(self.order[group[-1]][1]) + 5
            level = next((i for i, end in enumerate(ends) if end + 6 < x), len(ends))
            ends[level : level + 1] = [x2]
            self.bars.append((group, y + 12 + level * LEVEL))
        return y + 12 + len(ends) * LEVEL

    def _labels(self, y: float) -> None:
        for side, outwards in ((self.left, -1), (self.right, 1)):
            for row, i in enumerate(side):
                self._label(i, y + 10 + row * ROW, outwards)
        for group, level in self.bars:
            self._bar(group, level)
        self.sheet.height = y + 10 + len(self.left) * ROW + MARGIN - 6

    def _label(self, i: int, y: float, outwards: int) -> None:
        x = self._x(self.order[i][1])
        self._line(x, self.axis, x, y, LINE)
        self.sheet.add(Box(x - 2.5, self.axis - 2.5, 5, 5, INK, radius=2.5, title=f"{self.names[i]}"))
        if outwards < 0:  # from the margin on, which is even in whatever font the viewer has
            end = MARGIN
            self._line(MARGIN + self._width(i) + 5, y, x, y, LINE)
        else:
            end = self.start + AXIS + GAP
            self._line(x, y, end - 5, y, LINE)
        self._words(end, y + 4.5, self._rank(i), SMALL, FAINT)
        self._words(end + self.rank_width, y + 4.5, self.texts[i], NAME)

    def _bar(self, group: list[int], y: float) -> None:
        xs = [self._x(self.order[i][1]) for i in group]
        title = "not told apart: " + ", ".join(self.names[i] for i in group)
        whole = group == list(range(group[0], group[-1] + 1))
        self._line(xs[0] - 3, y, xs[-1] + 3, y, BAR, 4.5 if whole else 1.2, title)
        for x in () if whole else xs:
            self._line(x - 1.5, y - 1.5, x + 1.5, y + 1.5, BAR, 3.0)
