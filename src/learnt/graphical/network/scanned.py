"""Tables of a network counted in batches, from files larger than memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.files.scan import Scan
from learnt.data.schema import ColumnSchema
from learnt.data.table import Array, Column, Table
from learnt.engine.counted_rows import without_weightless_labels
from learnt.engine.engines import Plan, run
from learnt.engine.passes import Batch, Pass
from learnt.engine.training import Training, prepare
from learnt.errors import InputError, ParameterError
from learnt.graphical.inference.evidence import codes_of_table
from learnt.graphical.network.counting import family_counts, pseudo_count, table_from_counts
from learnt.graphical.network.node import Node
from learnt.prepare import Discretizer
from learnt.show.words import label, list_of
from learnt.statistics.sums import ArraySums

if TYPE_CHECKING:
    from learnt.graphical.network.bayesian_network import BayesianNetwork


def tables_of_scan(
    network: BayesianNetwork, scan: Scan, prior: Any, equivalent_sample_size: float, sample_weight: Any
) -> list[Array]:
    """By variable the table that the counts of all rows give; memory holds a batch and the counts."""
    nodes = list(network._nodes.values())
    place = {node.name: v for v, node in enumerate(nodes)}
    sizes, states = [len(node.states) for node in nodes], [node.states for node in nodes]
    cuts = {v: node.cuts for v, node in enumerate(nodes) if node.cuts is not None}
    families = [[*(place[p] for p in node.parents), v] for v, node in enumerate(nodes)]
    training = _counted(scan, sample_weight)
    counting = _CountFamilies(tuple(place), sizes, states, cuts, families)
    counts = run(_one_pass(counting), training, "BayesianNetwork").arrays
    return [table_from_counts(total, pseudo_count(prior, total.shape, equivalent_sample_size)) for total in counts]


@dataclass(frozen=True)
class _CountFamilies(Pass):
    """For each variable the counts of its states and those of its parents."""

    names: tuple[str, ...]
    sizes: list[int]
    states: list[tuple[Any, ...]]
    cuts: dict[int, Any]
    families: list[list[int]]

    def summarize(self, batch: Batch) -> ArraySums:
        codes = codes_of_table(batch.table, self.names, self.states, self.cuts, absent=False)
        counts = (family_counts(codes, family, self.sizes, batch.weights) for family in self.families)
        return ArraySums(batch.n_rows, tuple(counts))


def _one_pass(request: Pass) -> Plan:
    return (yield request)


def nodes_of_scan(scan: Scan, structure: dict[str, Any], weights: str | None, n_bins: int) -> dict[str, Node]:
    """Variables with the states that the columns of a scan have: labels, or intervals of equal width."""
    absent = [name for name in structure if name not in scan.schema.names]
    if absent:
        raise InputError(
            f"The scan has no column {absent[0]!r}. Its columns are "
            f"{list_of([label(n) for n in scan.schema.names], most=9)}."
        )
    schema = scan.schema if weights is None else _counted(scan, weights).schema
    numeric = [name for name in structure if schema[name].kind == "numeric"]
    if scan.target in numeric:
        raise InputError(f"{scan.target!r} is the target of the scan, and no column to cut. Scan without target=.")
    edges: dict[str, Array] = {}
    labels: dict[str, tuple[Any, ...]] = {}
    if numeric:
        cutter = Discretizer(n_bins=n_bins, strategy="width").fit(scan, sample_weight=weights)
        edges = {name: np.asarray(cutter.edges_[name], np.float64) for name in numeric}
        gaps = Table.of_columns([_gap(column) for column in schema if column.name not in (scan.target, weights)])
        cut = Table(cutter.transform(gaps))
        labels = {name: tuple(cut[name].categories) for name in numeric}
    return {
        name: Node(name, labels[name], tuple(parents), cuts=edges[name])
        if name in edges
        else Node(name, tuple(schema[name].categories), tuple(parents))
        for name, parents in structure.items()
    }


def _counted(scan: Scan, weights: str | None) -> Training:
    """The rows of a scan in the labels of those that count."""
    training = prepare(scan, None, weights, None, "BayesianNetwork.fit", with_target=True)
    return without_weightless_labels(training, scan, None)


def _gap(column: ColumnSchema) -> Column:
    """One missing cell."""
    return Column.like(column, np.array([-1], np.int32) if column.coded else np.array([np.nan]))


def check_scan(method: str) -> None:
    if method == "em":
        raise ParameterError(
            "BayesianNetwork.fit: method='em' goes over all rows again and again, in memory. Read a part of the files "
            "by learnt.read, or use method='counts'."
        )
