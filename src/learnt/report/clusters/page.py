"""The findings on clusters as one HTML page with pictures, which loads nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from learnt.report.clusters.text import EFFECT, class_words, headline, judgements
from learnt.report.comparison.insights.attempt import Failed, attempted
from learnt.report.page import Page
from learnt.show.words import printable, shortened

if TYPE_CHECKING:
    from learnt.report.clusters.findings import Findings

ALIKE = 0.999  # agreement from which on there is nothing to see


def findings_page(found: Findings) -> str:
    with drawing():
        page = Page(f"Clusters in {shortened(printable(found.source), 80)}", headline(found) + ".")
        if found.notices:
            page.add("Worth knowing", "", *map(Words, found.notices))
        page.add("The clusters in the plane", "", *_pictures(found))
        page.add("What makes them different", EFFECT, found.profile, picture(lambda: found.profile.plot()))
        page.add("How sure it is", "", *(Named(name, words) for name, words in judgements(found)), *_doubts(found))
        if found.choice is not None:
            page.add("How the clusters were sought", str(found.choice.words), *_choice_pictures(found))
        if found.versus is not None:
            page.add(
                f"Clusters and ‘{shortened(printable(str(found.class_name)), 60)}’", class_words(found), found.versus
            )
        page.add("How to repeat it", "", *_method(found))
        return page.render()


class Ready(str):
    """HTML of our own making."""

    def _repr_html_(self) -> str:
        return str(self)


class Words(str):
    """A sentence that shows itself as a paragraph."""

    def _repr_html_(self) -> str:
        return f"<p>{escape(printable(self))}</p>"


@dataclass(frozen=True)
class Named:
    """A sentence under a name."""

    name: str
    words: str

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(self.name)}</b> {escape(printable(self.words))}</p>"


@contextmanager
def drawing() -> Iterator[None]:
    """Pictures that are the same each time, and closed afterwards."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    with warnings.catch_warnings(), mpl.rc_context({"svg.hashsalt": "learnt"}):
        warnings.simplefilter("ignore")  # a letter that the font lacks is no news
        try:
            yield
        finally:
            for figure in set(plt.get_fignums()) - before:
                plt.close(figure)


def picture(draw: Callable[[], Any]) -> Any:
    """The figure that is drawn, or why it is not."""
    made = attempted(draw)
    one = made.flat[0] if hasattr(made, "flat") else made  # some draw on several axes of one figure
    return one if isinstance(one, Failed) else getattr(one, "figure", one)


def _pictures(found: Findings) -> Iterator[Any]:
    from learnt.plot.clusters import draw_clusters

    yield picture(lambda: draw_clusters(found.table, found.model))
    if hasattr(found.model, "dendrogram") and found.table.n_rows > 1:
        yield picture(found.model.dendrogram)
    if hasattr(found.model, "covariances_") and found.table.n_columns > 1:
        yield picture(lambda: found.model.plot(found.table))


def _doubts(found: Findings) -> Iterator[Any]:
    if found.parting is not None and not isinstance(found.parting, Failed):
        yield picture(found.parting.result.plot)
    for name, again in (("restarts", found.restarts), ("resamples", found.resamples)):
        if again is not None and not isinstance(again, Failed) and again.mean < ALIKE:
            yield Words(f"Which rows come together in {name}:")
            yield picture(again.result.plot)


def _choice_pictures(found: Findings) -> Iterator[Any]:
    if hasattr(found.choice, "plot"):
        yield picture(found.choice.plot)


def _method(found: Findings) -> Iterator[str]:
    if found.command:
        yield found.command
    yield f"{found.model!r}\nclustered by: {', '.join(map(printable, found.table.names[:200]))}"
