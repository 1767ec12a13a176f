"""Borders without mistakes: told where there are none, found where there are, and proofs of either."""

import time

import numpy as np
import pytest
from scipy.optimize import linprog

from learnt import SVC, Kernel
from learnt.errors import InputError
from learnt.kernel.functions import FunctionKernel
from learnt.kernel.machines.separability import hulls_of
from learnt.kernel.machines.solving import KernelRows

INF = float("inf")


def separable_by_programming(x, y):
    """Whether some w and b have y (w·x + b) ≥ 1 for all rows: a linear programme."""
    sign = np.where(y == y[0], 1.0, -1.0)
    system = -sign[:, None] * np.column_stack([x, np.ones(len(x))])
    return linprog(np.zeros(x.shape[1] + 1), system, -np.ones(len(x)), bounds=(None, None)).status == 0


@pytest.mark.parametrize("seed", range(12))
def test_hulls_meet_where_a_linear_programme_has_no_solution(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 40)), int(rng.integers(1, 6))
    x = rng.normal(size=(n, p))
    y = np.where(x[:, 0] + 0.1 * (seed % 4) * rng.normal(size=n) > 0, 1, 0)
    y[:2] = 0, 1
    for rows in (
        KernelRows.of(Kernel("linear", 1.0), x, "it"),
        KernelRows.of(None, x @ x.T, "it"),
        KernelRows.of(FunctionKernel(lambda a, b: a @ b.T, 1.0), x, "it"),
    ):
        found = hulls_of(rows, np.flatnonzero(y == y[0]), np.flatnonzero(y != y[0]))
        assert found.are_apart == separable_by_programming(x, y) or np.isnan(found.distance)
        assert found.meet != separable_by_programming(x, y) or np.isnan(found.distance)


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "cosine"])
def test_rows_that_cannot_be_separated_are_told_at_once(kernel):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 5))
    y = np.where(x[:, 0] + 0.5 * rng.normal(size=500) > 0, "a", "b")
    spent = time.process_time()
    with pytest.raises(InputError, match=r"cannot be separated. A border .* rows? of 'a' and .* of 'b' are the same"):
        SVC(C=INF, kernel=kernel, degree=2, coef0=1.0).fit(x, y)
    assert time.process_time() - spent < 4  # it had taken eleven seconds


def test_rows_that_can_be_separated_by_a_hair_are():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 20))
    y = np.where(x @ rng.normal(size=20) > 0, "a", "b")
    model = SVC(C=INF, kernel="linear", probability=False).fit(x, y)
    assert model.score(x, y) == 1.0
    assert 0 <= model.gap_ < 0.05 * model.objective_


def test_what_is_no_kernel_ends_in_words():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(60, 3))
    with pytest.raises(InputError, match="cannot be separated"):
        SVC(C=INF, kernel="sigmoid").fit(x, rng.integers(0, 2, 60))


def test_of_several_classes_the_pair_is_named():
    x = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0]])
    with pytest.raises(InputError, match="between 'b' and 'c'"):
        SVC(C=INF, kernel="linear").fit(x[:, :1], ["b", "c", "b", "c", "a", "a"])


def test_the_gap_of_a_border_without_mistakes_is_finite():
    x = [[0.0], [1.0], [3.0], [4.0]]
    model = SVC(C=INF, kernel="linear", tol=1e-8, standardize=False).fit(x, ["a", "a", "b", "b"])
    assert 0 <= model.gap_ < 1e-6
    assert model.margin_ == pytest.approx(1.0)
