"""A factor graph: variables on one side, factors on the other, and the messages that pass between them on a tree.

    from variable to factor   m_{x→f}(x) = e(x) Π_{g ≠ f} m_{g→x}(x)          e: what was seen of x
    from factor to variable   m_{f→x}(x) = Σ_{y…} f(x, y…) Π_{y} m_{y→f}(y)   with a maximum for the sum: max-product

Two sweeps, from the leaves to a root and back, give the marginals of all variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.graphical.factors.factor import Factor
from learnt.graphical.inference.answering import Answering
from learnt.graphical.inference.conflict import impossible
from learnt.graphical.inference.evidence import Findings, findings_of
from learnt.graphical.inference.posterior import Assignment, Posterior, Posteriors
from learnt.graphical.inference.scaled import scaled_product
from learnt.graphical.undirected.messages import Message, Messages
from learnt.lazy import cached_property
from learnt.show.words import count_of, short_name

Edge = tuple[int, int]  # factor, variable


class FactorGraph(Answering):
    """The factor graph of a network, of a Markov network, or of factors: sum-product and max-product in two sweeps.

    >>> from learnt import BayesianNetwork
    >>> chain = BayesianNetwork().add("rain", table={"no": 0.8, "yes": 0.2})
    >>> chain = chain.add("grass", ["rain"], states=["dry", "wet"], table=[[0.9, 0.1], [0.2, 0.8]])
    >>> graph = FactorGraph(chain)
    >>> print(graph.messages({"grass": "wet"}))
    1  up    grass → p(grass|rain)  dry 0, wet 1
    2  up    p(grass|rain) → rain   no 0.1, yes 0.8
    3  up    p(rain) → rain         no 0.8, yes 0.2
    4  down  rain → p(rain)         no 0.1, yes 0.8
    5  down  rain → p(grass|rain)   no 0.8, yes 0.2
    6  down  p(grass|rain) → grass  dry 0.76, wet 0.24
    >>> graph.marginals({"grass": "wet"})["rain"]["yes"].round(4)
    np.float64(0.6667)

    | setting | meaning |
    |---|---|
    | `model` | a `BayesianNetwork`, a `MarkovNetwork`, or a list of `Factor` |

    A graph with a loop has no leaves to begin at: `infer` answers by a junction tree, or with `method="loopy"`.

    Reference: Kschischang, Frey and Loeliger, Factor graphs and the sum-product algorithm, 2001.
    """

    def __init__(self, model: Answering | Iterable[Factor]):
        directed = getattr(model, "parents", None)
        self._given = tuple(model.factors) if isinstance(model, Answering) else tuple(model)
        self._given_cuts = dict(model._cuts()) if isinstance(model, Answering) else {}
        for factor in self._given:
            if not isinstance(factor, Factor):
                raise InputError("A factor graph is made of a network or of factors. Something else came.")
        self._factor_names = [_name(f, directed is not None) for f in self._given]
        self._compiled  # states that differ are an error now  # noqa: B018

    @property
    def factors(self) -> tuple[Factor, ...]:
        return self._given

    def _cuts(self) -> Mapping[str, Array]:
        return self._given_cuts

    @property
    def variables(self) -> tuple[str, ...]:
        return self._compiled.names

    def _states(self) -> Mapping[str, Sequence[Any]]:
        found: dict[str, tuple[Any, ...]] = {}
        for factor in self._given:
            for name in factor.variables:
                if found.setdefault(name, factor.states(name)) != factor.states(name):
                    raise InputError(f"Two factors give {name!r} different states. Make them the same, in one order.")
        return found

    @property
    def edges(self) -> list[tuple[str, str]]:
        """(factor, variable) of each edge, factors by their names in messages."""
        return [
            (self._factor_names[f], self.variables[v]) for f, scope in enumerate(self._compiled.scopes) for v in scope
        ]

    @cached_property
    def is_tree(self) -> bool:
        """Whether no loop leads from a variable back to itself, so that two sweeps are exact."""
        return self._loop() is None

    def _loop(self) -> list[str] | None:
        """A variable on each side of an edge that closes a loop."""
        root = list(range(len(self.variables) + len(self._given)))

        def find(i: int) -> int:
            while root[i] != i:
                root[i] = root[root[i]]
                i = root[i]
            return i

        for f, scope in enumerate(self._compiled.scopes):
            for v in scope:
                a, b = find(len(self.variables) + f), find(v)
                if a == b:
                    return [self._factor_names[f], self.variables[v]]
                root[a] = b
        return None

    # The two sweeps

    def messages(self, evidence: Mapping[str, Any] | None = None, *, maximum: bool = False) -> Messages:
        """All messages in the order in which they pass; with `maximum`, those of max-product."""
        return self._sweep(findings_of(self._compiled, evidence), maximum)

    def marginals(self, evidence: Mapping[str, Any] | None = None) -> Posteriors:
        """The posterior of every variable, by sum-product."""
        findings = findings_of(self._compiled, evidence)
        sent = self._sweep(findings, False)
        names, states = self._compiled.names, self._compiled.states
        found = {}
        for v, name in enumerate(names):
            belief = self._belief(v, findings, sent)
            total = belief.sum()
            if not total > 0:
                raise impossible(self._compiled, findings)
            found[name] = Posterior(
                (name,), (states[v],), belief / total, evidence=findings.words, method="sum-product"
            )
        return Posteriors(found)

    def max_product(self, evidence: Mapping[str, Any] | None = None) -> Assignment:
        """The most probable states of all variables together, by max-product and going back from the roots."""
        findings = findings_of(self._compiled, evidence)
        sent = self._sweep(findings, True)
        codes: dict[int, int] = {}
        log_joint = self._compiled.log_scale
        for root, steps in self._walks():
            belief = self._belief(root, findings, sent)
            if not belief.max() > 0:
                raise impossible(self._compiled, findings)
            codes[root] = int(belief.argmax())
            for f, above in steps:  # each factor's other variables, given the one that is decided
                scope = self._compiled.scopes[f]
                table = self._weighted(f, above, sent)
                place = [codes[v] if v == above else slice(None) for v in scope]
                part = table[tuple(place)]
                others = [v for v in scope if v != above]
                for v, code in zip(others, np.unravel_index(int(part.argmax()), part.shape), strict=True):
                    codes[v] = int(code)
        for scope, values in zip(self._compiled.scopes, self._compiled.values, strict=True):
            log_joint += float(np.log(values[tuple(codes[v] for v in scope)]))
        for v, soft in findings.soft.items():
            log_joint += float(np.log(soft[codes[v]]))
        log_evidence = float(
            self._compiled.posteriors(findings.codes, findings.likelihood(self._compiled), [(0,)])[1][0]
        )
        shown = {
            n: self._compiled.states[v][codes[v]] for v, n in enumerate(self.variables) if findings.codes[0, v] < 0
        }
        return Assignment(shown, float(np.exp(log_joint - log_evidence)), log_joint, findings.words)

    def _walks(self) -> list[tuple[int, list[tuple[int, int]]]]:
        """Of each tree of the forest: its root, and its factors from there outwards with the variable they hang on."""
        if not self.is_tree:
            where = self._loop()
            assert where is not None
            raise InputError(
                f"The factor graph has a loop through {where[0]} and {where[1]}, where two sweeps are not exact. Ask "
                "by infer(), which makes a junction tree, or with method='loopy'."
            )
        touching: list[list[int]] = [[] for _ in self.variables]
        for f, scope in enumerate(self._compiled.scopes):
            for v in scope:
                touching[v].append(f)
        seen: set[int] = set()
        done: set[int] = set()
        found = []
        for root in range(len(self.variables)):
            if root in seen:
                continue
            seen.add(root)
            queue, steps = [root], []
            for v in queue:
                for f in touching[v]:
                    if f in done:
                        continue
                    done.add(f)
                    steps.append((f, v))
                    others = [u for u in self._compiled.scopes[f] if u != v]
                    seen.update(others)
                    queue.extend(others)
            found.append((root, steps))
        return found

    def _sweep(self, findings: Findings, maximum: bool) -> Messages:
        sent = Messages(self.variables, self._compiled.states, self._factor_names, maximum)
        walks = self._walks()
        for _, steps in walks:  # up: the farthest factors first
            for f, above in reversed(steps):
                for v in self._compiled.scopes[f]:
                    if v != above:
                        self._send_up(v, f, findings, sent, "up")
                self._send_down(f, above, sent, "up", maximum)
        for _, steps in walks:
            for f, above in steps:
                self._send_up(above, f, findings, sent, "down")
                for v in self._compiled.scopes[f]:
                    if v != above:
                        self._send_down(f, v, sent, "down", maximum)
        return sent

    def _send_up(self, v: int, f: int, findings: Findings, sent: Messages, sweep: str) -> None:
        values = self._belief(v, findings, sent, but=f)
        sent.add(Message(sweep, f, v, False, values))

    def _send_down(self, f: int, v: int, sent: Messages, sweep: str, maximum: bool) -> None:
        table = self._weighted(f, v, sent)
        axes = tuple(i for i, u in enumerate(self._compiled.scopes[f]) if u != v)
        values = table.max(axis=axes) if maximum else table.sum(axis=axes)
        sent.add(Message(sweep, f, v, True, np.asarray(values)))

    def _belief(self, v: int, findings: Findings, sent: Messages, but: int = -1) -> Array:
        """What was seen of a variable times the messages from its factors, but one."""
        made = np.ones(self._compiled.counts[v])
        if findings.codes[0, v] >= 0:
            made = (np.arange(self._compiled.counts[v]) == findings.codes[0, v]).astype(np.float64)
        others = [values for f, values in sent.to_variable(v) if f != but]
        return scaled_product([made * findings.soft.get(v, 1.0), *others])

    def _weighted(self, f: int, but: int, sent: Messages) -> Array:
        """A factor times the messages from its variables, but one."""
        scope = self._compiled.scopes[f]
        table = self._compiled.values[f]
        parts = [table]
        for i, v in enumerate(scope):
            if v != but:
                message = sent.to_factor(f, v).reshape([-1 if j == i else 1 for j in range(len(scope))])
                parts.append(np.broadcast_to(message, table.shape))
        return scaled_product(parts)

    def __repr__(self) -> str:
        shape = "a tree" if self.is_tree else "with loops"
        return (
            f"FactorGraph({count_of(len(self.variables), 'variable')}, {count_of(len(self._given), 'factor')}, {shape})"
        )


def _name(factor: Factor, directed: bool) -> str:
    names = [short_name(n, 20) for n in factor.variables]
    if not directed or not names:
        return f"f({','.join(names)})"
    return f"p({names[-1]}|{','.join(names[:-1])})" if len(names) > 1 else f"p({names[0]})"
