"""A network drawn: boxes with the probabilities of their states as bars, arrows from parents to children."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.graphical.drawing.layers import lay_out
from learnt.show.drawing import Drawing
from learnt.show.numbers import percent
from learnt.show.palette import BLUE, FAINT, INK, LINE, ORANGE, PAPER, WHITE, mixed
from learnt.show.sheet import Arrow, Box, Sheet, Words, text_width
from learnt.show.words import count_of, short_name

if TYPE_CHECKING:
    from learnt.graphical.network.bayesian_network import BayesianNetwork

MANY = 16  # nodes from which on only the most probable state is shown
STATES = 6  # bars of one node at most
MARGIN = 16.0
SIZE, SMALL, LINE_HEIGHT = 12.0, 10.5, 15.0
BAR, NUMBER = 54.0, 42.0  # widths, the bar's at least


def draw_network(
    network: BayesianNetwork, evidence: Mapping[str, Any] | None = None, path: Any = None, *, bars: bool = True
) -> Drawing:
    """The network with the marginals of its variables given the evidence; what was seen is marked."""
    answers = network.infer(network.variables, evidence) if bars and network.variables else {}
    seen = set(evidence or {})
    most = STATES if len(network.variables) < MANY else 1
    boxes = {name: _Node(name, answers.get(name), name in seen, most) for name in network.variables}
    layout = lay_out(network.structure, {name: box.size for name, box in boxes.items()})
    sheet = Sheet(layout.width + 2 * MARGIN, layout.height + 2 * MARGIN)
    for points in layout.ways.values():
        sheet.add(Arrow(tuple((x + MARGIN, y + MARGIN) for x, y in points), mixed(INK, WHITE, 0.45)))
    for name, box in boxes.items():
        x, y = layout.places[name]
        box.paint(sheet, x + MARGIN, y + MARGIN)
    known = f" given {count_of(len(seen), 'finding')}" if seen else ""
    drawing = Drawing(sheet, f"a network of {count_of(len(network.variables), 'variable')}{known}")
    if path is not None:
        drawing.save(path)
    return drawing


class _Node:
    """A box: the name, and a line for each state that is shown."""

    def __init__(self, name: str, posterior: Any, seen: bool, most: int):
        self.name, self.seen = short_name(name, 32), seen
        self.lines: list[tuple[str, float | None]] = []
        self.title = name
        if posterior is not None:
            states: Sequence[Any] = posterior.states(name)
            values = np.asarray(posterior.probabilities)
            order = range(len(states)) if len(states) <= most else np.argsort(-values, kind="stable")[:most]
            self.lines = [(short_name(states[i], 16), float(values[i])) for i in order]
            left = len(states) - len(self.lines)
            if left and most > 1:
                self.lines.append((f"{left} more", None))
            self.title = f"{name}\n" + "\n".join(
                f"{s}: {percent(float(p))}" for s, p in zip(states, values, strict=True)
            )
        self.label_width = max((text_width(word, SMALL) for word, _ in self.lines), default=0.0)
        inside = self.label_width + 8 + BAR + NUMBER if self.lines else 0.0
        width = max(text_width(self.name, SIZE, bold=True), inside) + 18
        self.size = (width, 24 + LINE_HEIGHT * len(self.lines) + (4 if self.lines else 0))

    def paint(self, sheet: Sheet, x: float, y: float) -> None:
        """Around its middle."""
        width, height = self.size
        left, top = x - width / 2, y - height / 2
        colour = ORANGE if self.seen else BLUE
        fill = mixed(ORANGE, WHITE, 0.14) if self.seen else PAPER
        sheet.add(Box(left, top, width, height, fill, ORANGE if self.seen else LINE, 5.0, title=self.title))
        sheet.add(Words(x, top + 16, self.name, SIZE, bold=True, anchor="middle"))
        for i, (word, share) in enumerate(self.lines):
            base = top + 24 + LINE_HEIGHT * i
            sheet.add(Words(left + 9, base + 10, word, SMALL, colour=INK if share is not None else FAINT))
            if share is None:
                continue
            at = left + 9 + self.label_width + 8
            bar = width - 18 - self.label_width - 8 - NUMBER  # a box as wide as its name has longer bars
            sheet.add(Box(at, base + 2, bar, 8, mixed(LINE, WHITE, 0.4)))
            if share > 0:
                sheet.add(Box(at, base + 2, max(bar * share, 0.5), 8, colour))
            sheet.add(Words(left + width - 9, base + 10, percent(share, 0), SMALL, colour=FAINT, anchor="end"))
