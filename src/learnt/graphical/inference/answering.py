"""`infer` and `most_probable`: written once for networks, undirected models and factor graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.errors import InputError, ParameterError
from learnt.graphical.factors.factor import Factor
from learnt.graphical.inference.compiled import MEMORY, Compiled, Width
from learnt.graphical.inference.conflict import impossible, not_drawn
from learnt.graphical.inference.elimination import eliminate, sum_out_all
from learnt.graphical.inference.evidence import (
    Findings,
    codes_of_rows,
    distinct_rows,
    findings_of,
    is_rows,
    unknown_variable,
)
from learnt.graphical.inference.loopy import propagate, warn_unsettled
from learnt.graphical.inference.posterior import Assignment, Posterior, Posteriors
from learnt.graphical.inference.sampling import CHAINS, Sampled, gibbs_answer, weighted_answer
from learnt.lazy import cached_property
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, check_parameters, seed_from
from learnt.show.words import spell

METHODS = ("auto", "junction", "elimination", "loopy", "weighting", "gibbs")
_DOMAINS = {
    "method": OneOf(*METHODS),
    "joint": Flag(),
    "memory": Real(above=0),
    "n_samples": Whole(1),
    "random_state": Seed(),
    "damping": Real(0, below=1),
    "max_iter": Whole(1),
    "tol": Real(0),
}


class Answering:
    """Questions to a model that is a product of factors. A member gives `_states()` and `factors`."""

    #: Of a network: its variables, parents first, by number; None where there are no parents.
    _order: Sequence[int] | None = None

    def _states(self) -> Mapping[str, Sequence[Any]]:
        raise NotImplementedError

    def _cuts(self) -> Mapping[str, Array]:
        """Where numeric columns are cut, by variable."""
        return {}

    @property
    def factors(self) -> tuple[Factor, ...]:
        raise NotImplementedError

    @cached_property
    def _compiled(self) -> Compiled:
        states = self._states()
        if not states:
            raise InputError(f"The {type(self).__name__} has no variables yet. Add some.")
        return Compiled(states, self.factors, self._cuts())

    def width(self) -> Width:
        """How large the tables of an exact answer get, and the memory they take: found before any is taken."""
        return self._compiled.width()

    def infer(
        self,
        query: str | Sequence[str] | None = None,
        evidence: Any = None,
        *,
        method: str = "auto",
        joint: bool = False,
        memory: float = MEMORY,
        n_samples: int = 10_000,
        random_state: Any = 0,
        damping: float = 0.0,
        max_iter: int = 200,
        tol: float = 1e-9,
    ) -> Any:
        """The probabilities of the states of `query` given `evidence`.

        `query` is a variable, which gives a `Posterior`; several, which give one each by name, or with `joint` that of
        their combinations; or None for all that were not seen. `evidence` is a dict of states, where a list or a dict of
        likelihoods is soft evidence; or a table, each row a case of its own and missing cells not seen, for which arrays of
        rows × states are given. Impossible evidence raises `ImpossibleEvidence`; a row of a table gives NaN.

        | setting | default | meaning |
        |---|---|---|
        | `method` | `"auto"` | `"junction"` tree (what auto takes; compiled once and kept), variable `"elimination"`, `"loopy"` propagation, likelihood `"weighting"`, `"gibbs"` sampling; the last three are approximate |
        | `joint` | `False` | the distribution of combinations instead of each variable's own |
        | `memory` | 1 GiB | bytes that an exact answer may take; a wider model is refused before they are taken |
        | `n_samples`, `random_state` | 10,000, 0 | of `"weighting"` and `"gibbs"` |
        | `damping`, `max_iter`, `tol` | 0, 200, 1e-9 | of `"loopy"`: the share of the former message that is kept; rounds; how far a message may move in the end |
        """  # noqa: E501
        if method != "auto" or joint or memory is not MEMORY:
            settings = {
                "method": method,
                "joint": joint,
                "memory": memory,
                "n_samples": n_samples,
                "random_state": random_state,
                "damping": damping,
                "max_iter": max_iter,
                "tol": tol,
            }
            check_parameters(f"{type(self).__name__}.infer", _DOMAINS, settings)
        compiled = self._compiled
        if is_rows(evidence):
            return self._infer_rows(compiled, query, evidence, method, joint, memory)
        findings = findings_of(compiled, evidence)
        asked = _asked(compiled, query, findings)
        targets = [tuple(asked)] if joint else [(v,) for v in asked]
        if method in ("auto", "junction", "elimination"):
            answers = self._exact(compiled, targets, findings, method, memory)
        elif method == "loopy":
            if joint:
                raise ParameterError(
                    "Loopy propagation gives each variable's own probabilities, not those of combinations. Leave out "
                    "joint=True, or take method='gibbs'."
                )
            settled = propagate(compiled, findings, damping, max_iter, tol)
            if settled.marginals is None:
                self._refuse(compiled, findings, memory)
            warn_unsettled(settled, tol)
            answers = [_posterior(compiled, (v,), settled.marginals[v], findings, np.nan, method) for v in asked]
        else:
            rng = np.random.default_rng(seed_from(random_state))
            drawn = self._sampled(compiled, targets, findings, method, n_samples, rng, memory)
            answers = [
                _posterior(compiled, target, share, findings, drawn.log_evidence, method, error)
                for target, share, error in zip(targets, drawn.shares, drawn.errors, strict=True)
            ]
        if joint or isinstance(query, str):
            return answers[0]
        return Posteriors({answer.variables[0]: answer for answer in answers})

    def _exact(
        self, compiled: Compiled, targets: Sequence[tuple[int, ...]], findings: Findings, method: str, memory: float
    ) -> list[Posterior]:
        if method == "elimination":
            return [self._eliminated(compiled, target, findings, memory) for target in targets]
        found, log_evidence = compiled.posteriors(findings.codes, findings.likelihood(compiled), targets, memory)
        log_p = float(log_evidence[0])
        if log_p == -np.inf:
            raise impossible(compiled, findings, memory)
        return [
            _posterior(
                compiled,
                target,
                p[0] if len(target) == 1 else p[0].reshape(compiled.counts[list(target)]),
                findings,
                log_p,
                "junction",
            )
            for target, p in zip(targets, found, strict=True)
        ]

    def _eliminated(self, compiled: Compiled, target: tuple[int, ...], findings: Findings, memory: float) -> Posterior:
        names = [compiled.names[v] for v in target]
        made, log_total = eliminate(self._seen_factors(compiled, names, findings), names, memory=memory)
        if log_total == -np.inf:
            self._refuse(compiled, findings, memory)
        return _posterior(compiled, target, made.values, findings, log_total, "elimination")

    def _seen_factors(self, compiled: Compiled, kept: Sequence[str], findings: Findings) -> list[Factor]:
        """The factors that matter, where the states seen hold; of variables that are asked for, as likelihoods."""
        seen = {v: int(c) for v, c in enumerate(findings.codes[0]) if c >= 0}
        hard = {compiled.names[v]: compiled.states[v][c] for v, c in seen.items() if compiled.names[v] not in kept}
        soft = dict(findings.soft)
        for v, c in seen.items():
            if compiled.names[v] in kept:
                soft[v] = (np.arange(compiled.counts[v]) == c) * soft.get(v, 1.0)
        more = [Factor({compiled.names[v]: compiled.states[v]}, s) for v, s in soft.items()]
        return [f.reduce(hard) for f in [*self._relevant([*kept, *findings.words]), *more]]

    def _relevant(self, names: Sequence[str]) -> Sequence[Factor]:
        """The factors that can matter for these variables; networks leave out what hangs below."""
        return self.factors

    def _sampled(
        self,
        compiled: Compiled,
        targets: Sequence[tuple[int, ...]],
        findings: Findings,
        method: str,
        n: int,
        rng: np.random.Generator,
        memory: float,
    ) -> Sampled:
        if method == "gibbs":
            start = self._start_rows(compiled, findings, rng)
            drawn = gibbs_answer(compiled, start, findings, n, rng, targets)
        elif self._order is None:
            raise ParameterError(
                "Likelihood weighting draws parents first, and this model has none. Use method='gibbs'."
            )
        else:
            drawn = weighted_answer(compiled, self._order, findings, n, rng, targets)
        if drawn is None:
            raise not_drawn(compiled, findings, n, memory)
        return drawn

    def _start_rows(self, compiled: Compiled, findings: Findings, rng: np.random.Generator) -> Array:
        rows = rng.integers(0, compiled.counts, (CHAINS, len(compiled.names))).astype(np.int32)
        return np.where(findings.codes >= 0, findings.codes, rows)

    def _refuse(self, compiled: Compiled, findings: Findings, memory: float) -> NoReturn:
        raise impossible(compiled, findings, memory)

    # Many rows at once

    def _infer_rows(
        self, compiled: Compiled, query: Any, evidence: Any, method: str, joint: bool, memory: float
    ) -> Any:
        if method not in ("auto", "junction"):
            raise ParameterError(
                f"A table of evidence is answered by the junction tree. method={method!r} takes one dict."
            )
        table = evidence if isinstance(evidence, Table) else Table(evidence)
        asked = _asked(compiled, query, None)
        hidden = [n for v, n in enumerate(compiled.names) if v in asked]
        codes = codes_of_rows(compiled, table.select([n for n in table.names if n not in hidden]))
        targets = [tuple(asked)] if joint else [(v,) for v in asked]
        found = self._posteriors_of_codes(codes, targets, memory)
        if joint:
            return found[0].reshape(len(codes), *compiled.counts[asked])
        if isinstance(query, str):
            return found[0]
        return {compiled.names[v]: p for v, p in zip(asked, found, strict=True)}

    def infer_codes(self, query: str | Sequence[str], codes: Array, *, memory: float = MEMORY) -> Any:
        """The same for rows × variables of codes, −1 where nothing was seen; NaN in rows that are impossible."""
        asked = _asked(self._compiled, query, None)
        given = np.ascontiguousarray(codes, dtype=np.int32)
        found = self._posteriors_of_codes(given, [(v,) for v in asked], memory)
        return found[0] if isinstance(query, str) else found

    def _posteriors_of_codes(self, codes: Array, targets: Sequence[tuple[int, ...]], memory: float) -> list[Array]:
        rows, place = distinct_rows(codes)
        found, _ = self._compiled.posteriors(rows, None, targets, memory)
        return [p[place] for p in found]

    def log_evidence_of_codes(self, codes: Array, *, memory: float = MEMORY) -> Array:
        """log p of the states seen in each row, −1 where nothing was seen; −∞ where they are impossible."""
        rows, place = distinct_rows(np.ascontiguousarray(codes, dtype=np.int32))
        return self._compiled.posteriors(rows, None, [(0,)], memory)[1][place]

    # The most probable states

    def most_probable(self, evidence: Any = None, query: Sequence[str] | None = None, *, memory: float = MEMORY) -> Any:
        """The most probable states together of all variables not seen, or of those in `query`, others summed out.

        For a table of evidence, the table with its missing cells filled so.
        """
        compiled = self._compiled
        if is_rows(evidence):
            if query is not None:
                raise ParameterError("A table of evidence is completed as a whole. Leave out query, or ask row by row.")
            return self._completed(compiled, evidence if isinstance(evidence, Table) else Table(evidence), memory)
        findings = findings_of(compiled, evidence)
        if query is not None:
            return self._marginal_map(compiled, _asked(compiled, list(query), findings), findings, memory)
        codes, log_joint = compiled.most_probable(findings.codes, findings.likelihood(compiled), memory)
        if log_joint[0] == -np.inf:
            raise impossible(compiled, findings, memory)
        _, log_evidence = compiled.posteriors(findings.codes, findings.likelihood(compiled), [(0,)], memory)
        shown = [v for v in range(len(compiled.names)) if findings.codes[0, v] < 0]
        states = {compiled.names[v]: compiled.states[v][codes[0, v]] for v in shown}
        return Assignment(states, float(np.exp(log_joint[0] - log_evidence[0])), float(log_joint[0]), findings.words)

    def _marginal_map(self, compiled: Compiled, asked: list[int], findings: Findings, memory: float) -> Assignment:
        names = [compiled.names[v] for v in asked]
        seen = [factor.log() for factor in self._seen_factors(compiled, names, findings)]
        left = sum_out_all(seen, names, memory=memory)
        part = Compiled({n: compiled.states[compiled.place[n]] for n in names}, left)
        blank = np.full((1, len(names)), -1, np.int32)
        codes, log_joint = part.most_probable(blank, None, memory)
        if log_joint[0] == -np.inf:
            self._refuse(compiled, findings, memory)
        log_evidence = float(part.posteriors(blank, None, [(0,)], memory)[1][0])
        states = {n: part.states[v][codes[0, v]] for v, n in enumerate(names)}
        return Assignment(states, float(np.exp(log_joint[0] - log_evidence)), float(log_joint[0]), findings.words)

    def _completed(self, compiled: Compiled, table: Table, memory: float) -> Table:
        given = codes_of_rows(compiled, table)
        codes, _ = compiled.most_probable(given, None, memory)
        columns = [
            Column(n, "nominal", np.ascontiguousarray(codes[:, v]), s)
            for v, (n, s) in enumerate(zip(compiled.names, compiled.states, strict=True))
        ]
        return Table.of_columns(columns, n_rows=len(given))


def _asked(compiled: Compiled, query: Any, findings: Findings | None) -> list[int]:
    """The variables asked for, by number."""
    if query is None:
        seen = findings.words if findings is not None else {}
        return [v for v, name in enumerate(compiled.names) if name not in seen] or [0]
    names = [query] if isinstance(query, str) else list(query)
    for name in names:
        if not isinstance(name, str) or name not in compiled.place:
            raise InputError(unknown_variable(name, compiled.names))
    if not names or len(set(names)) < len(names):
        raise InputError(f"The query is {spell(names)[:80]}. Expected at least one variable, each once.")
    return [compiled.place[name] for name in names]


def _posterior(
    compiled: Compiled,
    target: tuple[int, ...],
    probabilities: Array,
    findings: Findings,
    log_evidence: float,
    method: str,
    error: Array | None = None,
) -> Posterior:
    names, states = tuple(compiled.names[v] for v in target), tuple(compiled.states[v] for v in target)
    return Posterior(
        names, states, probabilities, evidence=findings.words, log_evidence=log_evidence, method=method, error=error
    )
