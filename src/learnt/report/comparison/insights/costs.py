"""What errors cost, and where to draw the line between two classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.report.comparison.loss_slider import loss_slider
from learnt.report.comparison.section import Section

if TYPE_CHECKING:
    from learnt.evaluate.comparing.comparison import Comparison


def costs(comparison: Comparison) -> Section | None:
    """For the recommended learner, or, where that looks at no column, the best one that does."""
    candidates = [comparison.simplest_tied, *comparison.done]
    learner = next((o for o in candidates if not o.baseline), candidates[0])
    body = loss_slider(comparison, learner.name)
    return None if body is None else Section("slices", "What errors cost", "Costs of errors", body)
