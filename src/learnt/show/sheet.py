"""Boxes, curves and words on a sheet, written as SVG by hand or as PNG with matplotlib."""

from __future__ import annotations

import io
import unicodedata
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import Any

from learnt.show.palette import INK, LINE

FONT = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True)
class Box:
    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str = "none"
    radius: float = 0.0
    dashed: bool = False
    title: str = ""  # shown when the mouse rests on it


@dataclass(frozen=True)
class Curve:
    """From (x, y) in an S to (middle, end_y), then straight on to (end_x, end_y)."""

    x: float
    y: float
    middle: float
    end_x: float
    end_y: float
    thickness: float


#: What matplotlib calls the places of an anchor.
ALIGNED = {"start": "left", "middle": "center", "end": "right"}


@dataclass(frozen=True)
class Words:
    """`x`, `y` is where the baseline begins; or, by `anchor`, its "middle" or its "end", whatever font is found."""

    x: float
    y: float
    text: str
    size: float
    bold: bool = False
    colour: str = INK
    anchor: str = "start"


@dataclass(frozen=True)
class Arrow:
    """From point to point, leaving and arriving upright; a head at the end, pointing the way it came."""

    points: tuple[tuple[float, float], ...]
    colour: str = LINE
    thickness: float = 1.2
    head: float = 7.0  # its length; 0 for none

    def bends(self) -> list[tuple[tuple[float, float], tuple[float, float], tuple[float, float]]]:
        """Two control points and an end for each part of the way."""
        found = []
        for (x, y), (to_x, to_y) in pairwise(self.points):
            middle = (y + to_y) / 2
            found.append(((x, middle), (to_x, middle), (to_x, to_y)))
        return found

    def triangle(self) -> tuple[tuple[float, float], ...]:
        (x, y), former = self.points[-1], self.points[-2][1]
        back = y - self.head if former <= y else y + self.head
        return ((x, y), (x - 0.45 * self.head, back), (x + 0.45 * self.head, back))


Shape = Box | Curve | Words | Arrow


@dataclass
class Sheet:
    """Shapes in the order they are painted; sizes in pixels, y downwards."""

    width: float = 0.0
    height: float = 0.0
    shapes: list[Shape] = field(default_factory=list)

    def add(self, *shapes: Shape) -> None:
        self.shapes += shapes

    def svg(self, label: str) -> str:
        """An SVG document; `label` is what screen readers say."""
        width, height = f"{self.width:.0f}", f"{self.height:.0f}"
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="{_safe(label)}" font-family="{escape(FONT)}">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            *map(_svg_shape, self.shapes),
            "</svg>",
        ]
        return "\n".join(lines)

    def png(self, scale: float = 2.0) -> bytes:
        """The sheet painted by matplotlib, `scale` pixels per unit."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        largest = 2**16 - 1  # what matplotlib can paint in one direction
        scale = min(scale, largest / max(self.width, self.height))
        figure = Figure(figsize=(self.width / 100, self.height / 100), dpi=100 * scale)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, self.width)
        axes.set_ylim(self.height, 0)
        for shape in self.shapes:
            _paint(axes, shape)
        content = io.BytesIO()
        figure.savefig(content, format="png", facecolor="white")
        return content.getvalue()


def _svg_shape(shape: Shape) -> str:
    if isinstance(shape, Arrow):
        return _svg_arrow(shape)
    if isinstance(shape, Words):
        look = ' font-weight="600"' if shape.bold else ""
        look += f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
        return (
            f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" font-size="{shape.size:g}" fill="{shape.colour}"{look} '
            f'pointer-events="none" xml:space="preserve">{_safe(shape.text)}</text>'
        )
    if isinstance(shape, Curve):
        bend = (shape.x + shape.middle) / 2
        way = (
            f"M{shape.x:.1f} {shape.y:.1f}C{bend:.1f} {shape.y:.1f} {bend:.1f} {shape.end_y:.1f} "
            f"{shape.middle:.1f} {shape.end_y:.1f}H{shape.end_x:.1f}"
        )
        return f'<path d="{way}" fill="none" stroke="{LINE}" stroke-width="{shape.thickness:.2f}"/>'
    dash = ' stroke-dasharray="4 3"' if shape.dashed else ""
    start = (
        f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}" '
        f'rx="{shape.radius:g}" fill="{shape.fill}" stroke="{shape.stroke}"{dash}'
    )
    return f"{start}><title>{_safe(shape.title)}</title></rect>" if shape.title else f"{start}/>"


def _svg_arrow(shape: Arrow) -> str:
    def spot(point: tuple[float, float]) -> str:
        return f"{point[0]:.1f} {point[1]:.1f}"

    way = f"M{spot(shape.points[0])}" + "".join("C" + " ".join(map(spot, bend)) for bend in shape.bends())
    line = f'<path d="{way}" fill="none" stroke="{shape.colour}" stroke-width="{shape.thickness:.2f}"/>'
    if not shape.head:
        return line
    return f'{line}<path d="M{"L".join(map(spot, shape.triangle()))}Z" fill="{shape.colour}"/>'


def _safe(text: str) -> str:
    """Escaped, and without the characters XML cannot hold even when escaped (NUL, lone surrogates, …)."""
    fine = (
        c if c in "\n\t" or (c >= " " and c not in "\ufffe\uffff" and not _surrogate(c)) else "\ufffd" for c in text
    )
    return escape("".join(fine))


def _surrogate(c: str) -> bool:
    return "\ud800" <= c <= "\udfff"


def _paint(axes: Any, shape: Shape) -> None:
    from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon
    from matplotlib.path import Path

    point = 0.72  # a hundredth of an inch in the points that matplotlib measures letters and lines in
    if isinstance(shape, Words):
        weight = "bold" if shape.bold else "normal"
        text = "".join("\ufffd" if _surrogate(c) else c for c in shape.text)
        axes.text(
            *(shape.x, shape.y, text),
            fontsize=shape.size * point,
            fontweight=weight,
            color=shape.colour,
            ha=ALIGNED[shape.anchor],
            parse_math=False,
        )
    elif isinstance(shape, Arrow):
        spots = [shape.points[0], *(spot for bend in shape.bends() for spot in bend)]
        way = Path(spots, [Path.MOVETO, *[Path.CURVE4] * (len(spots) - 1)])
        axes.add_patch(PathPatch(way, fill=False, edgecolor=shape.colour, linewidth=shape.thickness * point))
        if shape.head:
            axes.add_patch(Polygon(shape.triangle(), facecolor=shape.colour, edgecolor="none"))
    elif isinstance(shape, Curve):
        bend = (shape.x + shape.middle) / 2
        ends = [(shape.x, shape.y), (bend, shape.y), (bend, shape.end_y), (shape.middle, shape.end_y)]
        way = Path([*ends, (shape.end_x, shape.end_y)], [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO])
        axes.add_patch(PathPatch(way, fill=False, edgecolor=LINE, linewidth=shape.thickness * point))
    else:
        style = f"round,pad=0,rounding_size={shape.radius}" if shape.radius else "square,pad=0"
        look: dict[str, Any] = {"linestyle": (0, (4, 3)) if shape.dashed else "solid", "linewidth": point}
        place = ((shape.x, shape.y), shape.width, shape.height)
        axes.add_patch(FancyBboxPatch(*place, boxstyle=style, facecolor=shape.fill, edgecolor=shape.stroke, **look))


#: How wide DejaVu Sans draws the characters from the blank on, in hundredths of their size: PNG files are painted with
#: it, and the fonts that viewers of SVG choose are narrower.
_WIDTHS = bytes.fromhex(
    "20282e54405f4e1b272732542024202240404040404040404040222254545435644445464d3f3a4d4b1d1d4238564b4f"
    "3c4f453f3d494463453d452722275432323d3f373f3e233f3f1c1c3a1c613f3d3f3f2934273f3b523b3b3440224054"
)
_BOLD_WIDTHS = bytes.fromhex(
    "232e34544664571f2e2e3454262a26254646464646464646464628285454543a644d4c49534444525425254d40645455"
    "49554d4844514d6e4d48492e252e54323243483b48442c4847222243226847454848313c3047415c41413a47254754"
)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is at most, whichever common font shows it."""
    widths = _BOLD_WIDTHS if bold else _WIDTHS
    total = 0
    for c in text:
        if " " <= c <= "~":
            total += widths[ord(c) - 32]
        elif not unicodedata.combining(c):
            total += 105 if unicodedata.east_asian_width(c) in "WF" else 100 if c in "…—" else 84
    return total / 100 * size
