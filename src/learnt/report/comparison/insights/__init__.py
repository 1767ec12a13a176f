"""What the out-of-fold answers tell beyond scores. Each insight makes a section of the report, or None."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from learnt.report.comparison.insights.costs import costs

if TYPE_CHECKING:
    from learnt.evaluate.comparing.comparison import Comparison
    from learnt.report.comparison.section import Section

#: By the place on the page that each stands at; see `page.py`.
INSIGHTS: Mapping[str, Callable[[Comparison], Section | None]] = {"slices": costs}
