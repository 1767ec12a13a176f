"""A tree drawn from left to right: every leaf has a row of its own, so that labels never meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.show.drawing import Drawing
from learnt.show.numbers import number
from learnt.show.palette import FAINT, INK, LINE, PAPER, WHITE, class_colour, mixed
from learnt.show.sheet import Box, Curve, Sheet, Words, text_width
from learnt.show.words import shorten_text
from learnt.tree.arrays import Array, TreeArrays
from learnt.tree.show.conditions import conjunction, path_conditions
from learnt.tree.show.node_words import NodeWords, TreePart, amount_text, shown_part

MOST_LEAVES = 50
MOST_IN_LEGEND = 12

ROW, MARGIN, LEGEND = 34.0, 18.0, 34.0  # heights
INNER, LEAF = 40.0, 26.0  # heights of boxes
BEND = 34.0  # the width in which branches spread
NAME, SMALL = 13.0, 11.0  # sizes of letters
INNER_BAR, LEAF_BAR = 48.0, 28.0  # lengths of the bars of classes
LOW, HIGH = "#e8f0f8", "#2f6ba8"  # ends of the colour scale of numbers


def draw(
    tree: TreeArrays,
    schema: Schema,
    classes: Any = None,
    path: Any = None,
    *,
    answers: Array | None = None,
    most: int | None = MOST_LEAVES,
) -> Drawing:
    """Draw a tree, and write it to `path` (.svg or .png) if one is given.

    Branches are as thick as the training weight they carry, boxes have the colour of their class, a bar
    shows the classes mixed in them. Of a tree with more than `most` leaves the heavy branches are
    drawn and the others end in dashed boxes that say how many leaves they stand for; None draws all.
    """
    names = NodeWords(tree, schema, classes, answers)
    drawing = Drawing(_Painter(names, shown_part(tree, most)).sheet, f"a tree with {tree.n_leaves} leaves")
    if path is not None:
        drawing.save(path)
    return drawing


def tree_svg(
    tree: TreeArrays,
    schema: Schema,
    classes: Any = None,
    *,
    answers: Array | None = None,
    most: int | None = MOST_LEAVES,
) -> str:
    """The drawing of a tree as the text of an SVG file; see `draw`."""
    return draw(tree, schema, classes, answers=answers, most=most).svg


class _Painter:
    """Places all nodes, then paints branches, boxes and the legend."""

    def __init__(self, names: NodeWords, part: TreePart):
        self.names, self.part, self.tree = names, part, part.tree
        self.parents, self.depths = self.tree.parents(), self.tree.depths()
        self.paths = names.tree.parents()
        self.number = [int(i) for i in part.origin]  # of each node in the whole tree
        self.branches = [self._branch(i) for i in range(self.tree.node_count)]
        reached = self.tree.weight > 0
        numbers = self.tree.value[reached if reached.any() else slice(None), 0]
        self.range = float(numbers.min()), float(numbers.max())
        self.widths = [self._width(i) for i in range(self.tree.node_count)]
        self.y = self._rows()
        self.x = self._columns()
        self.sheet = Sheet()
        for i in range(1, self.tree.node_count):
            self._paint_branch(i)
        for i in range(self.tree.node_count):
            self._paint_node(i)
        right = max(x + w for x, w in zip(self.x, self.widths, strict=True))
        self.sheet.width = max(right, self._paint_legend()) + MARGIN
        self.sheet.height = LEGEND + ROW * self.tree.n_leaves + MARGIN

    # Where

    def _rows(self) -> list[float]:
        y = np.zeros(self.tree.node_count)
        y[self.tree.is_leaf] = LEGEND + MARGIN / 2 + ROW * (np.arange(self.tree.n_leaves) + 0.5)
        for i in range(self.tree.node_count - 1, -1, -1):  # children come after their parents
            children = self.tree.children_of(i)
            if len(children):
                y[i] = (y[children[0]] + y[children[-1]]) / 2
        rows: list[float] = y.tolist()
        return rows

    def _columns(self) -> list[float]:
        """A leaf may reach into the next column, since nothing else is in its row."""
        levels = self.tree.max_depth + 1
        boxes, labels = np.zeros(levels), np.zeros(levels)
        for i, depth in enumerate(self.depths.tolist()):
            labels[depth] = max(labels[depth], text_width(self.branches[i], SMALL) + 14 if i else 0.0)
            if not self.tree.is_leaf[i]:
                boxes[depth] = max(boxes[depth], self.widths[i] + BEND)
        self.label_room = labels
        starts = MARGIN + np.cumsum(labels) + np.concatenate([[0.0], np.cumsum(boxes)[:-1]])
        columns: list[float] = starts[self.depths].tolist()
        return columns

    def _width(self, i: int) -> float:
        head, small = self._head(i), self._small(i)
        if not self.tree.is_leaf[i]:
            bar = INNER_BAR + 6 if self.names.classes else 0.0
            return max(text_width(head, NAME, bold=True), text_width(small, SMALL) + bar) + 20
        bar = LEAF_BAR + 6 if self.names.classes else 0.0
        return text_width(head, NAME, bold=True) + text_width(small, SMALL) + bar + 29

    # What is said

    def _branch(self, i: int) -> str:
        if i == 0:
            return ""
        above = int(self.parents[i])
        j = int(np.flatnonzero(self.tree.children_of(above) == i)[0])
        return self.names.branch(self.number[above], j).short(40)

    def _head(self, i: int) -> str:
        leaf = self.tree.is_leaf[i]
        return shorten_text(self.names.answer(self.number[i]) if leaf else self.names.column(self.number[i]), 26)

    def _small(self, i: int) -> str:
        weight = amount_text(self.tree.weight[i])
        if not self.tree.is_leaf[i]:
            return weight if self.names.classes else f"{number(self.tree.value[i, 0])} ({weight})"
        hidden = int(self.part.hidden_leaves[i])
        amount = self.names.amount(self.number[i]) if self.names.classes else weight
        return amount + (f" · {hidden} leaves" if hidden else "")

    def _title(self, i: int) -> str:
        whole, tree = self.number[i], self.names.tree
        lines = [conjunction(path_conditions(tree, whole, self.names.schema, self.paths))]
        lines.append(f"{self.names.answer(whole)} ({self.names.amount(whole)})")
        if self.names.classes and tree.weight[whole] > 0:
            pairs = zip(self.names.classes, tree.value[whole].tolist(), strict=True)
            lines += [f"{name}: {amount_text(weight)}" for name, weight in pairs if weight > 0]
        return "\n".join(lines)

    # What is painted

    def _paint_branch(self, i: int) -> None:
        above = int(self.parents[i])
        start = self.x[i] - self.label_room[self.depths[i]]
        share = self.tree.weight[i] / self.tree.weight[0] if self.tree.weight[0] > 0 else 0.0
        thickness = 1.0 + 6.0 * float(np.sqrt(share))
        corner = self.x[above] + self.widths[above] - 1
        self.sheet.add(Curve(corner, self.y[above], start, self.x[i], self.y[i], thickness))
        self.sheet.add(Words(start + 6, self.y[i] - thickness / 2 - 3.5, self.branches[i], SMALL, colour=INK))

    def _paint_node(self, i: int) -> None:
        x, y, width, title = self.x[i], self.y[i], self.widths[i], self._title(i)
        if not self.tree.is_leaf[i]:
            self.sheet.add(
                Box(x, y - INNER / 2, width, INNER, PAPER, LINE, 6, title=title),
                Words(x + 10, y - 3.5, self._head(i), NAME, bold=True),
                Words(x + 10, y + 12.5, self._small(i), SMALL, colour=FAINT),
            )
            self._paint_bar(i, x + 16 + text_width(self._small(i), SMALL), y + 6, INNER_BAR)
            return
        fill, stub = self._fill(i), bool(self.part.hidden_leaves[i])
        edge = mixed(self._colour(i), WHITE, 0.75)
        used = text_width(self._head(i), NAME, bold=True) + 18
        dark = self.names.classes is None and self._level(i) > 0.55
        ink, faint = (WHITE, "#e8f0f8") if dark else (INK, mixed(FAINT, INK, 0.6))
        if self.tree.weight[i] <= 0:  # no training row stands behind it
            fill, edge, ink, faint = WHITE, LINE, FAINT, FAINT
        self.sheet.add(
            Box(x, y - LEAF / 2, width, LEAF, fill, edge, 13 if not stub else 5, dashed=stub, title=title),
            Words(x + 11, y + 4.5, self._head(i), NAME, bold=True, colour=ink),
            Words(x + used, y + 4.5, self._small(i), SMALL, colour=faint),
        )
        self._paint_bar(i, x + width - LEAF_BAR - 11, y - 3, LEAF_BAR)

    def _paint_bar(self, i: int, x: float, y: float, width: float) -> None:
        """The classes at a node as parts of a bar."""
        if self.names.classes is None or self.tree.weight[i] <= 0:
            return
        for c, share in enumerate(self.tree.value[i] / self.tree.value[i].sum()):
            if share > 0:
                self.sheet.add(Box(x, y, width * float(share), 6, class_colour(c)))
                x += width * float(share)

    def _colour(self, i: int) -> str:
        if self.names.classes is None:
            return mixed(HIGH, LOW, self._level(i))
        return class_colour(int(self.names.answers[self.number[i]]))

    def _fill(self, i: int) -> str:
        """Paler the more classes are mixed."""
        if self.names.classes is None:
            return self._colour(i)
        counts = self.tree.value[i]
        k, total = len(counts), counts.sum()
        share = float(counts[self.names.answers[self.number[i]]] / total) if total > 0 else 0.0
        clear = max(0.0, (share - 1 / k) / (1 - 1 / k)) if k > 1 else 1.0
        return mixed(self._colour(i), WHITE, 0.08 + 0.26 * clear)

    def _level(self, i: int) -> float:
        """Where a number lies between the smallest and the largest drawn."""
        low, high = self.range
        return min(1.0, max(0.0, (float(self.tree.value[i, 0]) - low) / (high - low))) if high > low else 0.0

    def _paint_legend(self) -> float:
        """Returns how far to the right it reaches."""
        x, y = MARGIN, 22.0
        if self.names.classes is None:
            low, high = (number(end) for end in self.range)
            self.sheet.add(Words(x, y, low, SMALL, colour=FAINT))
            x += text_width(low, SMALL) + 4
            for step in range(20):
                self.sheet.add(Box(x + step * 6, y - 9, 6.3, 10, mixed(HIGH, LOW, step / 19)))
            self.sheet.add(Words(x + 126, y, high, SMALL, colour=FAINT))
            return x + 126 + text_width(high, SMALL)
        for c, name in enumerate(self.names.classes[:MOST_IN_LEGEND]):
            text = shorten_text(name, 28)
            self.sheet.add(Box(x, y - 9, 11, 11, class_colour(c), radius=3), Words(x + 16, y, text, SMALL))
            x += 16 + text_width(text, SMALL) + 14
        more = len(self.names.classes) - MOST_IN_LEGEND
        if more > 0:
            self.sheet.add(Words(x, y, f"and {more} more", SMALL, colour=FAINT))
            x += 80
        return x
