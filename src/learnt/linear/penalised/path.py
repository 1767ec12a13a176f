"""The lasso or the elastic net for many penalties: from one that leaves nothing to one that hardly matters."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.engines import run
from learnt.engine.passes import Pass
from learnt.engine.training import Training, prepare
from learnt.errors import ParameterError, convergence_warning
from learnt.learner.parameters import Flag, Real, Whole, check_parameters
from learnt.learner.text.counting import with_words
from learnt.linear.penalised.descent import alpha_grid, follow
from learnt.linear.penalised.penalty import Penalty
from learnt.linear.penalised.sparse_regressor import take
from learnt.show.numbers import number
from learnt.show.text_table import aligned_lines
from learnt.show.words import short_name

_DOMAINS = {
    "l1_ratio": Real(above=0, high=1),
    "n_alphas": Whole(1),
    "eps": Real(above=0, below=1),
    "fit_intercept": Flag(),
    "standardize": Flag(),
    "positive": Flag(),
    "tol": Real(0),
    "max_iter": Whole(1),
}


@dataclass(frozen=True, eq=False)
class PenaltyPath:
    """Coefficients by falling penalty. Unpacks as `alphas, coefs, dual_gaps`; prints, and draws itself.

    `coefs` is columns × alphas, `names` says what its rows belong to; `explained` is the share of the target's
    variance (R²) on the rows themselves; `dual_gaps` bound how far each objective lies above its minimum.
    """

    alphas: Array
    coefs: Array
    dual_gaps: Array
    intercepts: Array
    explained: Array
    names: tuple[str, ...]

    def __iter__(self) -> Iterator[Array]:
        return iter((self.alphas, self.coefs, self.dual_gaps))

    def entries(self) -> list[tuple[int, list[str]]]:
        """Where columns enter (`+name`) or leave (`−name`), by place in `alphas`."""
        there, found = np.zeros(len(self.names), bool), []
        for k in range(len(self.alphas)):
            now = self.coefs[:, k] != 0
            moves = [("+" if now[j] else "−") + self.names[j] for j in np.flatnonzero(now != there)]
            if moves:
                found.append((k, moves))
            there = now
        return found

    def __str__(self, most: int = 20) -> str:
        rows = [("alpha", "columns", "R²", "what changes")]
        changes = self.entries()
        for k, moves in changes[:most]:
            count, share = int(np.count_nonzero(self.coefs[:, k])), number(max(self.explained[k], 0.0))
            rows.append((number(self.alphas[k]), str(count), share, short_name(" ".join(moves), 70)))
        lines = aligned_lines(rows, left=(3,))
        if len(changes) > most:
            lines.append(f"… {len(changes) - most} more changes down to alpha {number(self.alphas[-1])}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Each coefficient against the penalty, the largest ones named; returns the matplotlib axes."""
        from learnt.plot.linear import plot_path

        return plot_path(self, ax)


def lasso_path(
    X: Any,
    y: Any = None,
    *,
    alphas: Any = None,
    n_alphas: int = 100,
    eps: float = 1e-3,
    sample_weight: Any = None,
    fit_intercept: bool = True,
    standardize: bool = False,
    positive: bool = False,
    tol: float = 1e-4,
    max_iter: int = 10_000,
) -> PenaltyPath:
    """The lasso for many penalties, each solution the start of the next.

    `alphas` are the penalties, sorted to fall; if None, `n_alphas` of them in equal ratios, from the smallest that
    makes all coefficients zero down to `eps` of it. The duality gap of each solution is at most `tol` of the
    objective at zero. The other settings are those of `Lasso`; fitting the intercept, as here by default, is what
    scikit-learn's function expects its users to have done by centring.
    """
    return elastic_net_path(**locals(), l1_ratio=1.0)  # all that was given, by its name


def elastic_net_path(
    X: Any,
    y: Any = None,
    *,
    l1_ratio: float = 0.5,
    alphas: Any = None,
    n_alphas: int = 100,
    eps: float = 1e-3,
    sample_weight: Any = None,
    fit_intercept: bool = True,
    standardize: bool = False,
    positive: bool = False,
    tol: float = 1e-4,
    max_iter: int = 10_000,
) -> PenaltyPath:
    """The same for the elastic net; `l1_ratio` as there."""
    settings = {name: value for name, value in locals().items() if name in _DOMAINS}
    check_parameters("elastic_net_path", _DOMAINS, settings)
    grid = None if alphas is None else _checked_alphas(alphas)
    training = with_words(prepare(X, y, sample_weight, "numbers", "elastic_net_path"), "counts", "elastic_net_path")
    path: PenaltyPath = run(_plan(training, grid, settings), training, "elastic_net_path")
    return path


def _plan(training: Training, grid: Array | None, settings: dict[str, Any]) -> Generator[Pass, Any, PenaltyPath]:
    taken = yield from take(training, bool(settings["fit_intercept"]))
    problem = taken.whole
    penalty = Penalty.of_columns(taken.design.n_columns, float(settings["l1_ratio"]), bool(settings["positive"]))
    if settings["standardize"]:
        penalty = penalty.scaled(problem.spread)
    alphas = alpha_grid(problem, penalty, settings["n_alphas"], settings["eps"]) if grid is None else grid
    found = list(follow(problem, penalty, alphas, settings["tol"], settings["max_iter"]))
    stopped = [number(a) for f, a in zip(found, alphas.tolist(), strict=True) if not f.converged]
    if stopped:
        words = f"{len(stopped)} of {len(found)} penalties (the first is {stopped[0]}) did not reach the gap asked for."
        warnings.warn(convergence_warning(f"{words} Increase max_iter or tol, or scale the columns."), stacklevel=2)
    coefs = np.array([f.coef for f in found]).T
    left = [2 * (f.objective - penalty.cost(f.coef, a)) for f, a in zip(found, alphas.tolist(), strict=True)]
    whole = problem.target_square
    return PenaltyPath(
        alphas,
        coefs,
        np.array([f.gap for f in found]),
        np.array([problem.constant_term(f.coef) for f in found]),
        1 - np.array(left) / whole if whole > 0 else np.zeros(len(found)),
        taken.design.names,
    )


def _checked_alphas(alphas: Any) -> Array:
    try:
        grid = np.sort(np.asarray(alphas, dtype=np.float64).ravel())[::-1]
    except (TypeError, ValueError):
        grid = np.zeros(0)
    if len(grid) == 0 or not np.isfinite(grid).all() or grid[-1] <= 0:
        raise ParameterError(f"elastic_net_path: alphas={alphas!r} is not allowed. Expected numbers above 0.")
    return grid
