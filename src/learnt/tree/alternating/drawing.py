"""An alternating tree drawn from left to right: prediction nodes and tests in turn, each last node on its own row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from learnt.data.schema import Schema
from learnt.show.drawing import Drawing
from learnt.show.palette import FAINT, INK, LINE, PAPER, WHITE, class_colour, mixed
from learnt.show.sheet import Box, Curve, Sheet, Words, text_width
from learnt.show.words import shorten_text
from learnt.tree.alternating.arrays import AlternatingTree
from learnt.tree.alternating.words import sign_class, tree_names, value_text

ROW, MARGIN, BEND = 34.0, 18.0, 34.0
NAME, SMALL, HEIGHT = 13.0, 11.0, 26.0


@dataclass
class _Place:
    """A node or a test of the drawing, with what hangs below it."""

    depth: int
    text: str
    label: str  # on the branch that leads there
    fill: str
    weight: float
    below: list[_Place] = field(default_factory=list)
    y: float = 0.0

    @property
    def width(self) -> float:
        return text_width(self.text, NAME, bold=True) + 22

    @property
    def room(self) -> float:
        return text_width(self.label, SMALL) + 14 if self.label else 8.0


def draw_alternating(trees: Sequence[AlternatingTree], schema: Schema, classes: Sequence[Any]) -> Drawing:
    """All trees, one below the other. Branches are as thick as the training weight they carry."""
    sheet, y = Sheet(), MARGIN
    for k, (tree, name) in enumerate(zip(trees, tree_names(classes), strict=True)):
        sheet.add(Words(MARGIN, y + NAME, f"score of {name}", NAME, bold=True))
        y = _paint_tree(sheet, _places(tree, schema, k, len(trees)), y + ROW)
    sheet.height = y + MARGIN
    n = sum(tree.n_tests for tree in trees)
    return Drawing(sheet, f"an alternating tree with {n} test{'' if n == 1 else 's'}")


def _places(tree: AlternatingTree, schema: Schema, k: int, n_trees: int) -> list[_Place]:
    """All places, those above before those below; the first is the root."""
    found: list[_Place] = []
    nodes: dict[int, _Place] = {}
    for node, value in enumerate(tree.value.tolist()):
        fill, weight = class_colour(sign_class(value, k, n_trees)), float(tree.weight[node])
        depth, label, above = 0, "", None
        if node:
            t, side = divmod(node - 1, 2)
            if side == 0:
                parent = nodes[int(tree.above[t])]
                column = shorten_text(schema.columns[tree.column[t]].name, 26)
                test = _Place(parent.depth + 1, f"({t + 1}) {column}", "", PAPER, parent.weight)
                parent.below.append(test)
                found.append(test)
            above, depth = test, test.depth + 1
            label = tree.condition(t, schema, second=bool(side)).short(40)
        place = _Place(depth, value_text(value), label, mixed(fill, WHITE, 0.3), weight)
        if above is not None:
            above.below.append(place)
        nodes[node] = place
        found.append(place)
    return found


def _paint_tree(sheet: Sheet, places: list[_Place], y: float) -> float:
    """Paints a tree from `y` down; returns where it ends."""
    levels = max(place.depth for place in places) + 1
    starts, x = [], MARGIN
    for depth in range(levels):
        here = [place for place in places if place.depth == depth]
        x += max(place.room for place in here) if depth else 0.0
        starts.append(x)
        x += max(place.width for place in here) + BEND
    y = _set_rows(places[0], y)
    whole = places[0].weight or 1.0
    for place in places:
        for child in place.below:
            thickness = 1.0 + 6.0 * (max(child.weight, 0.0) / whole) ** 0.5
            end = starts[child.depth]
            middle = end - max(p.room for p in places if p.depth == child.depth)
            sheet.add(Curve(starts[place.depth] + place.width - 1, place.y, middle, end, child.y, thickness))
            sheet.add(Words(middle + 6, child.y - thickness / 2 - 3.5, child.label, SMALL, colour=FAINT))
    for place in places:
        left, radius = starts[place.depth], 6 if place.fill == PAPER else 13
        sheet.add(
            Box(left, place.y - HEIGHT / 2, place.width, HEIGHT, place.fill, LINE, radius),
            Words(left + 11, place.y + 4.5, place.text, NAME, bold=True, colour=INK),
        )
        sheet.width = max(sheet.width, left + place.width + MARGIN)
    return y


def _set_rows(root: _Place, y: float) -> float:
    """Gives each last place a row, each other the middle of those below it; returns the next free row."""
    waiting: list[tuple[_Place, bool]] = [(root, False)]
    while waiting:
        place, done = waiting.pop()
        if not place.below:
            place.y = y + ROW / 2
            y += ROW
        elif done:
            place.y = (place.below[0].y + place.below[-1].y) / 2
        else:
            waiting.append((place, True))
            waiting += [(child, False) for child in reversed(place.below)]
    return y
