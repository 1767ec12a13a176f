"""The findings on clusters as one HTML page with pictures, which loads nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from learnt.report.attempt import Failed, picture
from learnt.report.clusters.text import EFFECT, class_words, headline, judgements
from learnt.report.page import Page, drawing
from learnt.report.section import NamedSentence, Words
from learnt.show.words import printable, short_name

if TYPE_CHECKING:
    from learnt.report.clusters.findings import Findings

ALIKE = 0.999  # agreement from which on there is nothing to see


def findings_page(found: Findings) -> str:
    with drawing():
        page = Page(f"Clusters in {short_name(found.source, 80)}", headline(found) + ".", notes=found.table.notes)
        if found.notices:
            page.add("Worth knowing", "", *map(Words, found.notices))
        page.add("The clusters in the plane", "", *_pictures(found))
        page.add("What makes them different", EFFECT, found.profile, picture(lambda: found.profile.plot()))
        page.add(
            "How sure it is", "", *(NamedSentence(name, words) for name, words in judgements(found)), *_doubts(found)
        )
        if found.choice is not None:
            page.add("How the clusters were sought", str(found.choice.words), *_choice_pictures(found))
        if found.versus is not None:
            page.add(f"Clusters and ‘{short_name(found.class_name, 60)}’", class_words(found), found.versus)
        page.add("How to repeat it", "", *_method(found))
        return page.render()


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
