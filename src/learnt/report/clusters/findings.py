"""What is known of the clusters that a learner found in a table. Each part that fails says so in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from learnt.cluster.judging.profile import NOISE, Profile, labels_for, profile_clusters
from learnt.data.table import Array, Column, Table
from learnt.report.attempt import Failed, attempt
from learnt.report.clusters.measures import (
    Agreement,
    Parting,
    against_classes,
    parting_of,
    resamples_of,
    restarts_of,
)


@dataclass
class Findings:
    """The clusters of a table: who they are, how well they part, how firmly they stand, which classes they hold."""

    source: str
    model: Any
    table: Table
    labels: Array
    profile: Profile
    parting: Parting | Failed | None
    restarts: Agreement | Failed | None
    resamples: Agreement | Failed | None
    versus: Any  # of clusters and classes; None without classes
    choice: Any = None  # how the number of clusters was chosen; None if it was given
    class_name: str | None = None
    without_class: int = 0  # rows that have none: they are left out of the comparison with classes
    notices: Sequence[str] = field(default_factory=tuple)
    command: str = ""

    @property
    def n_clusters(self) -> int:
        return sum(cluster.label != NOISE for cluster in self.profile)

    @property
    def noise(self) -> int:
        return int((self.labels == NOISE).sum())

    def to_dict(self) -> dict[str, Any]:
        from learnt.report.clusters.text import findings_dict

        return findings_dict(self)

    def to_text(self, width: int = 100) -> str:
        from learnt.report.clusters.text import findings_text

        return findings_text(self, width)

    def to_html(self) -> str:
        from learnt.report.clusters.page import findings_page

        return findings_page(self)


def find(
    source: str,
    model: Any,
    table: Table,
    *,
    classes: Column | None = None,
    choice: Any = None,
    notices: Sequence[str] = (),
    command: str = "",
    seed: int = 0,
) -> Findings:
    """Look at a fitted clusterer and the table it was fitted to."""
    labels = labels_for(table, model)
    return Findings(
        source,
        model,
        table,
        labels,
        profile=profile_clusters(table, labels),
        parting=attempt(lambda: parting_of(model, table, labels, seed)),
        restarts=attempt(lambda: restarts_of(model, table, seed)),
        resamples=attempt(lambda: resamples_of(model, table, seed)),
        versus=None if classes is None else attempt(lambda: against_classes(labels, classes)),
        choice=choice,
        class_name=None if classes is None else classes.name,
        without_class=0 if classes is None else int(classes.missing.sum()),
        notices=notices,
        command=command,
    )
