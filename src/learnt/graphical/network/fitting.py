"""Learning the tables of a network whose arrows are known: by counting, or by EM where cells are missing.

counts   θ_v(x | parents) = (n(x, parents) + α) / (n(parents) + α·k)
EM       the same with expected counts, Σ_i w_i p(x, parents | row i), again and again
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from learnt.data.files.scan import Scan
from learnt.data.table import Array, Table
from learnt.engine.cluster.context import as_scan
from learnt.engine.counted_rows import without_weightless_labels
from learnt.engine.training import Training, checked_weights
from learnt.errors import InputError
from learnt.graphical.inference.compiled import MEMORY
from learnt.graphical.inference.evidence import codes_of_table
from learnt.graphical.network.counting import family_counts, pseudo_count, table_from_counts
from learnt.graphical.network.node import Node
from learnt.learner.parameters import Domain, OneOf, Real, Seed, Whole, check_parameters
from learnt.prepare import Discretizer
from learnt.show.words import label, list_of

if TYPE_CHECKING:
    from learnt.graphical.network.bayesian_network import BayesianNetwork

Method = Literal["counts", "em"]
Prior = Literal["bdeu", "k2"] | float | None

_DOMAINS: dict[str, Domain] = {
    "method": OneOf("counts", "em"),
    "prior": OneOf(None, "bdeu", "k2") | Real(0),
    "equivalent_sample_size": Real(above=0),
    "max_iter": Whole(1),
    "tol": Real(0),
    "n_starts": Whole(1),
    "random_state": Seed(),
}


class Fitted:
    """`fit` and `fit_codes` of a network."""

    _nodes: dict[str, Node]

    def fit(
        self,
        X: Any,
        *,
        method: Method = "counts",
        prior: Prior = None,
        equivalent_sample_size: float = 10.0,
        sample_weight: Any = None,
        max_iter: int = 200,
        tol: float = 1e-6,
        n_starts: int = 1,
        n_bins: int = 5,
        random_state: Any = 0,
        memory: float = MEMORY,
    ) -> Self:
        """Learn the tables from rows; columns are found by the names of variables, further ones are ignored.

        A `scan` of files larger than memory is counted batch by batch; its numbers are cut into intervals of equal
        width, where a table's are cut into intervals of equally many rows.

        | setting | default | meaning |
        |---|---|---|
        | `method` | `"counts"` | a row with a missing cell counts in the tables that do not need it; `"em"` uses all that it tells, and learns variables that have no column |
        | `prior` | none | maximum likelihood, a Dirichlet prior: `"bdeu"`, `"k2"` (1 is added to every entry), or what is added |
        | `equivalent_sample_size` | 10 | how many rows the `"bdeu"` prior is worth |
        | `sample_weight` | none | of each row |
        | `max_iter`, `tol` | 200, 1e-6 | of EM: steps, and the gain of the mean log-likelihood below which it ends |
        | `n_bins` | 5 | intervals of equally many rows that a numeric column becomes, where it has no states yet |
        | `n_starts`, `random_state` | 1, 0 | of EM: random starts, of which the best is kept |

        Where no row has some combination of the parents' states and nothing is added, all states are equally probable.
        """  # noqa: E501
        check_parameters("BayesianNetwork.fit", {"n_bins": Whole(1)}, {"n_bins": n_bins})
        X, _, sample_weight = as_scan(X, None, sample_weight)
        if isinstance(X, Scan):
            self._fit_scan(X, method, prior, equivalent_sample_size, sample_weight, n_bins)
            return self
        table = X if isinstance(X, Table) else Table(X)
        weights = None
        if sample_weight is not None:
            table, weights = _counted_rows(table, checked_weights(_weights_of(table, sample_weight), table.n_rows), X)
        named = self._with_states(table, weights, n_bins)
        if not named._nodes:
            raise InputError("The BayesianNetwork has no variables yet. Add some, or give a structure, before fit().")
        nodes = list(named._nodes.values())
        cuts = {v: node.cuts for v, node in enumerate(nodes) if node.cuts is not None}
        states = [node.states for node in nodes]
        codes = codes_of_table(table, tuple(named._nodes), states, cuts, absent=method == "em")
        named.fit_codes(
            codes,
            weights,
            method=method,
            prior=prior,
            equivalent_sample_size=equivalent_sample_size,
            max_iter=max_iter,
            tol=tol,
            n_starts=n_starts,
            random_state=random_state,
            memory=memory,
        )
        self.__dict__ = named.__dict__
        return self

    def _fit_scan(
        self: Any, scan: Scan, method: str, prior: Any, sample_size: float, weights: Any, n_bins: int
    ) -> None:
        from learnt.graphical.network.scanned import check_scan, nodes_of_scan, tables_of_scan

        given = {"method": method, "prior": prior, "equivalent_sample_size": sample_size}
        check_parameters("BayesianNetwork.fit", {name: _DOMAINS[name] for name in given}, given)
        check_scan(method)
        twin = self.copy()
        structure = twin.__dict__.pop("_structure", None)
        if structure is not None:
            twin._nodes = nodes_of_scan(scan, structure, weights, n_bins)
        tables = tables_of_scan(twin, scan, prior, sample_size, weights)
        twin._nodes = {n: replace(node, table=t) for (n, node), t in zip(twin._nodes.items(), tables, strict=True)}
        twin.__dict__.pop("log_likelihoods_", None)
        twin._forget()
        self.__dict__ = twin.__dict__

    def fit_codes(
        self,
        codes: Array,
        weights: Array | None = None,
        *,
        method: Method = "counts",
        prior: Prior = None,
        equivalent_sample_size: float = 10.0,
        max_iter: int = 200,
        tol: float = 1e-6,
        n_starts: int = 1,
        random_state: Any = 0,
        memory: float = MEMORY,
    ) -> Self:
        """The same from rows × variables of states by number, −1 where a cell is missing."""
        given = {
            "method": method,
            "prior": prior,
            "equivalent_sample_size": equivalent_sample_size,
            "max_iter": max_iter,
            "tol": tol,
            "n_starts": n_starts,
            "random_state": random_state,
        }
        check_parameters("BayesianNetwork.fit", _DOMAINS, given)
        codes = self._checked_codes(codes)
        place = {name: v for v, name in enumerate(self._nodes)}
        counts = [len(node.states) for node in self._nodes.values()]
        families = [[*(place[p] for p in node.parents), place[name]] for name, node in self._nodes.items()]
        added = [pseudo_count(prior, [counts[v] for v in family], equivalent_sample_size) for family in families]
        history: list[float] | None = None
        if method == "em":
            from learnt.graphical.network.expectation import fit_by_em

            tables, history = fit_by_em(
                self._em_model(families, counts), codes, weights, added, max_iter, tol, n_starts, random_state, memory
            )
        else:
            tables = [
                table_from_counts(family_counts(codes, family, counts, weights), more)
                for family, more in zip(families, added, strict=True)
            ]
        self._nodes = {n: replace(node, table=t) for (n, node), t in zip(self._nodes.items(), tables, strict=True)}
        self.__dict__.pop("log_likelihoods_", None)
        if history is not None:
            self.log_likelihoods_ = history
        self._forget()
        return self

    def _forget(self) -> None:
        raise NotImplementedError

    def _checked_codes(self, codes: Any) -> Array:
        given = np.ascontiguousarray(codes, dtype=np.int32)
        if given.ndim != 2 or given.shape[1] != len(self._nodes) or len(given) == 0:
            raise InputError(
                f"The codes have the shape {given.shape}. Expected rows × {len(self._nodes)} variables, at least a row."
            )
        most = given.max(axis=0)
        for v, node in enumerate(self._nodes.values()):
            if most[v] >= len(node.states):
                raise InputError(
                    f"The codes of {node.name!r} go up to {most[v]}, but it has {len(node.states)} states."
                )
        return given

    def _em_model(self, families: list[list[int]], counts: list[int]) -> Any:
        from learnt.graphical.inference.compiled import Compiled

        compiled = Compiled({n: node.states for n, node in self._nodes.items()}, [])
        compiled.scopes = [tuple(family) for family in families]
        compiled.values = [
            node.table if node.table is not None else np.full([counts[v] for v in family], np.nan)
            for node, family in zip(self._nodes.values(), families, strict=True)
        ]
        return compiled

    def _with_states(self: Any, table: Table, weights: Array | None, n_bins: int) -> BayesianNetwork:
        """A copy whose variables have states: where none were given, labels of columns, or intervals of numbers."""
        twin: BayesianNetwork = self.copy()
        structure = twin.__dict__.pop("_structure", None)
        if structure is not None:
            twin._nodes = {
                name: _node_of(table, weights, name, tuple(parents), n_bins) for name, parents in structure.items()
            }
        return twin


def _counted_rows(table: Table, weights: Array, X: Any) -> tuple[Table, Array]:
    """Without the rows of weight 0: they are none, and their labels no states."""
    counts = weights > 0
    if counts.all():
        return table, weights
    source = without_weightless_labels(Training(table, table.schema, weights=weights), X, None).source
    assert isinstance(source, Table)
    return source.take(np.flatnonzero(counts)), weights[counts]


def _node_of(table: Table, weights: Array | None, name: str, parents: tuple[str, ...], n_bins: int) -> Node:
    if name not in table:
        raise InputError(
            f"The table has no column {name!r}, and its states are not known. Its columns are "
            f"{list_of([label(n) for n in table.names], most=9)}. Give states={{{name!r}: […]}} for EM."
        )
    column = table[name]
    if column.missing.all():
        raise InputError(
            f"Column {name!r} has only missing cells, so that its states are not known. Give states={{{name!r}: […]}}."
        )
    if column.kind != "numeric":
        return Node(name, tuple(column.categories), parents)
    alone = Table.of_columns([column])
    discretizer = Discretizer(n_bins=n_bins).fit(alone, sample_weight=weights)
    cut = discretizer.transform(alone)
    return Node(name, tuple(cut[name].categories), parents, cuts=np.asarray(discretizer.edges_[name], np.float64))


def _weights_of(table: Table, sample_weight: Any) -> Any:
    if isinstance(sample_weight, str):
        if sample_weight not in table:
            raise InputError(f"sample_weight names the column {sample_weight!r}, which is not there.")
        return table[sample_weight].values
    return sample_weight
