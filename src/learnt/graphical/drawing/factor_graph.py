"""The messages of a factor graph along its edges: variables as boxes, factors as squares, numbers in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.graphical.drawing.layers import lay_out
from learnt.show.drawing import Drawing
from learnt.show.palette import BLUE, INK, LINE, PAPER, RUST, WHITE, mixed
from learnt.show.sheet import Arrow, Box, Sheet, Words, text_width
from learnt.show.words import count_of

if TYPE_CHECKING:
    from learnt.graphical.undirected.messages import Messages

SIZE, SMALL, MARGIN = 12.0, 10.0, 18.0
APART = 5.0  # between the messages up and down an edge
UPRIGHT = 22.0  # the lowest part of an edge, beside which its messages stand


def draw_messages(messages: Messages, path: Any = None) -> Drawing:
    """Each edge with its two messages: up to the root in blue, down from it in rust, with the number of each."""
    below: dict[str, list[str]] = {}
    names: dict[str, tuple[str, bool]] = {}
    for message in messages:
        variable, factor = f"v{message.variable}", f"f{message.factor}"
        names[variable] = (messages.variables[message.variable], False)
        names[factor] = (messages.factors[message.factor], True)
        below.setdefault(variable, [])
        below.setdefault(factor, [])
        if message.sweep == "up":  # to the root, which stands on top
            child, parent = (factor, variable) if message.to_variable else (variable, factor)
            below[child].append(parent)
    words = {}
    for i, message in enumerate(messages, 1):
        key = (message.factor, message.variable, message.sweep)
        words[key] = f"{i}: {messages.words(message)}"
    widest = max((text_width(text, SMALL) for text in words.values()), default=0.0)
    sizes = {n: (max(text_width(text, SIZE, bold=not f) + 16, 2 * widest + 28), 24.0) for n, (text, f) in names.items()}
    layout = lay_out(below, sizes, below=72.0)
    sheet = Sheet(layout.width + 2 * MARGIN, layout.height + 2 * MARGIN)
    for (parent, child), points in layout.ways.items():
        ends = [(x + MARGIN, y + MARGIN) for x, y in points]
        ends.insert(-1, (ends[-1][0], ends[-1][1] - UPRIGHT))
        variable = parent if parent.startswith("v") else child
        factor = child if variable is parent else parent
        edge = (int(factor[1:]), int(variable[1:]))
        up = tuple((x - APART, y) for x, y in reversed(ends))
        down = tuple((x + APART, y) for x, y in ends)
        sheet.add(Arrow(up, BLUE), Arrow(down, RUST))
        x, y = ends[-1]  # beside the lower end, where the edge is upright and no other near
        if text := words.get((*edge, "up")):
            sheet.add(Words(x - APART - 7, y - 9, text, SMALL, colour=BLUE, anchor="end"))
        if text := words.get((*edge, "down")):
            sheet.add(Words(x + APART + 7, y - 9, text, SMALL, colour=RUST))
    for name, (x, y) in layout.places.items():
        text, is_factor = names[name]
        width = text_width(text, SIZE, bold=not is_factor) + 16
        fill, radius = (mixed(LINE, WHITE, 0.5), 0.0) if is_factor else (PAPER, 9.0)
        left = x + MARGIN - width / 2
        sheet.add(Box(left, y + MARGIN - 12, width, 24, fill, INK if is_factor else LINE, radius))
        sheet.add(Words(x + MARGIN, y + MARGIN + 4, text, SIZE, bold=not is_factor, anchor="middle"))
    drawing = Drawing(sheet, f"a factor graph with {count_of(len(messages), 'message')}")
    if path is not None:
        drawing.save(path)
    return drawing
