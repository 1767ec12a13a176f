"""What makes clusters different as an HTML table; everything from the data is escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.show.html import escaped
from learnt.show.numbers import percent
from learnt.show.palette import class_colour
from learnt.show.words import short_name

if TYPE_CHECKING:
    from learnt.cluster.judging.profile import ClusterProfile, Profile

MOST_CLUSTERS = 100


def profile_html(profile: Profile, most: int = 6) -> str:
    """A line per telling column; the cluster and its size stand in front of its first."""
    titles = ("cluster", "weight" if profile.weighted else "rows", "share", "column", "inside", "whole", "effect")
    left = " style='text-align:left'"
    head = "".join(f"<th{left if title == 'column' else ''}>{title}</th>" for title in titles)
    body = "".join(_cluster_rows(cluster, most) for cluster in profile.clusters[:MOST_CLUSTERS])
    more = len(profile) - MOST_CLUSTERS
    rest = f"<p>… and {more:,} more clusters</p>" if more > 0 else ""
    return f"<table class='learnt-clusters'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cluster_rows(cluster: ClusterProfile, most: int) -> str:
    told = cluster.telling(most)
    spot = class_colour(cluster.label)
    span = f" rowspan='{max(len(told), 1)}'"
    front = (
        f"<td{span}><span class='spot' aria-hidden='true' style='color:{spot}'>●</span> {escaped(cluster.name)}</td>"
        f"<td{span}>{cluster.size:,g}</td><td{span}>{percent(cluster.share, 1)}</td>"
    )
    if not told:
        return f"<tr>{front}<td colspan='4' style='text-align:left'>much like the whole table</td></tr>"
    rows = []
    for trait in told:
        cells = (trait.inside_words, trait.whole_words, trait.effect_words)
        rows.append(
            f"<td style='text-align:left'>{_safe(trait.column)}</td>" + "".join(f"<td>{_safe(c)}</td>" for c in cells)
        )
    return f"<tr>{front}{rows[0]}</tr>" + "".join(f"<tr>{row}</tr>" for row in rows[1:])


def _safe(words: str) -> str:
    return escaped(short_name(words, 60))
