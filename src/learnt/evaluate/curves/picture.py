"""What all curves can do: draw themselves as SVG, show themselves in a notebook, be a line of small bars."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

BARS = "▁▂▃▄▅▆▇█"


class Picture:
    """Something with a text (`__str__`) and a picture (`plot`)."""

    def plot(self, ax: Any = None) -> Any:
        raise NotImplementedError

    def to_frame(self) -> Any:
        raise NotImplementedError

    def _repr_svg_(self) -> str:
        from learnt.show.figure_svg import svg_of

        return svg_of(self.plot)

    def _repr_html_(self) -> str:
        first = str(self).split("\n", 1)[0]
        return f"<figure>{self._repr_svg_()}<figcaption>{html.escape(first)}</figcaption></figure>"


def sparkline(values: Any) -> str:
    """Numbers from 0 to 1 as bars in a line.

    >>> sparkline([0, 0.3, 0.7, 1])
    '▁▃▆█'
    """
    levels = np.clip(np.asarray(values, dtype=np.float64), 0, 1)
    return "".join(BARS[int(v)] for v in np.round(np.nan_to_num(levels) * (len(BARS) - 1)))
