"""A small drawing board. Coordinates are pixels, y downwards; colours are classes of the style sheet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass
class Drawing:
    """`title` is what a screen reader says of the picture; an empty one makes it decoration."""

    width: float
    height: float
    title: str = ""
    parts: list[Markup] = field(default_factory=list)

    def _add(self, form: str, *values: Any) -> None:
        from markupsafe import Markup

        self.parts.append(Markup(form).format(*(f"{v:.1f}" if isinstance(v, float) else v for v in values)))

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        self._add(
            '<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>', float(x1), float(y1), float(x2), float(y2), style
        )

    def dot(self, x: float, y: float, radius: float, style: str, tip: str = "") -> None:
        inside = self._tip(tip)
        self._add('<circle cx="{}" cy="{}" r="{}" class="{}">{}</circle>', float(x), float(y), radius, style, inside)

    def box(self, x: float, y: float, width: float, height: float, style: str, tip: str = "") -> None:
        self._add(
            '<rect x="{}" y="{}" width="{}" height="{}" class="{}">{}</rect>',
            float(x), float(y), float(width), float(height), style, self._tip(tip),
        )  # fmt: skip

    def path(self, points: Iterable[tuple[float, float]], style: str) -> None:
        way = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self._add('<path d="{}" class="{}"/>', way, style)

    def text(self, x: float, y: float, words: str, style: str = "", anchor: str = "start", tip: str = "") -> None:
        self._add(
            '<text x="{}" y="{}" text-anchor="{}" class="{}">{}{}</text>',
            float(x), float(y), anchor, style, words, self._tip(tip),
        )  # fmt: skip

    def _tip(self, tip: str) -> Markup:
        """Shown while the mouse rests on the shape."""
        from markupsafe import Markup

        return Markup("<title>{}</title>").format(tip) if tip else Markup("")

    def markup(self) -> Markup:
        from markupsafe import Markup

        said = Markup('role="img" aria-label="{}"').format(self.title) if self.title else Markup('aria-hidden="true"')
        return Markup('<svg class="chart" width="{w}" height="{h}" viewBox="0 0 {w} {h}" {said}>{parts}</svg>').format(
            w=f"{self.width:g}", h=f"{self.height:g}", said=said, parts=Markup("").join(self.parts)
        )
