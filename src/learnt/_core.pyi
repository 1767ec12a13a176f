"""Kernels of learnt, compiled from core/: passes over tables on all threads.

Arrays are never converted: tables (`x`) are float32 or float64 with any strides, all others have exactly the
type stated and no gaps; centres have the type of the rows. `weights` may be None for ones. Outputs come last.
"""

from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Reals: TypeAlias = NDArray[np.float32] | NDArray[np.float64] | NDArray[np.floating[Any]]
Doubles: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.int64]
Bytes: TypeAlias = NDArray[np.uint8]
Offsets: TypeAlias = NDArray[np.int32] | NDArray[np.int64] | NDArray[np.signedinteger[Any]]

class Stopped(RuntimeError):
    """A kernel ended because of request_stop()."""

def get_threads() -> int:
    """How many threads kernels use."""

def set_threads(n: int) -> None:
    """Use n threads from now on."""

def simd_level() -> str:
    """The instruction set in use: 'baseline', 'avx2' or 'avx512'."""

def set_simd_level(name: str) -> None:
    """Use another instruction set that this processor has."""

def request_stop() -> None:
    """Make all kernels raise Stopped, running ones included, until clear_stop()."""

def clear_stop() -> None:
    """Let kernels run again."""

def column_moments(
    x: Reals,
    weights: Doubles | None,
    weight: Doubles,
    mean: Doubles,
    deviation: Doubles,
    minimum: Doubles,
    maximum: Doubles,
    missing: Counts,
    infinite: Counts,
) -> None:
    """Overwrite every column's Σw, mean, Σw(x−mean)², range, and numbers of NaN and infinite cells."""

def add_gram(x: Reals, y: Doubles | None, weights: Doubles | None, shift: Doubles, gram: Doubles) -> None:
    """Add Σ w z zᵀ to gram, z = [1, x − shift[:p], y − shift[p]]."""

def all_finite(x: Reals) -> bool:
    """Whether no cell is NaN or infinite."""

def first_nonfinite(x: Reals, infinite_only: bool = False) -> tuple[int, int]:
    """Row and column of the first cell that is NaN or infinite, row by row, or (-1, -1)."""

def predict_linear(x: Reals, coef: Doubles, intercept: float, out: Doubles) -> None:
    """Overwrite out with intercept + x · coef."""

def predict_linear_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    coef: Doubles,
    intercept: float,
    out: Doubles,
) -> None:
    """predict_linear on sparse rows."""

def hash_uniform(seed: int, first_row: int, out: Doubles) -> None:
    """Overwrite out with numbers in (0, 1) that depend on the seed and the row number alone."""

def assign_and_sum(
    x: Reals,
    weights: Doubles | None,
    centers: Reals,
    shift: Doubles,
    labels: Codes | None,
    sums: Doubles | None,
    cluster_weight: Doubles | None,
) -> float:
    """Label rows by the nearest centre, add Σ w x and Σ w per cluster, return Σ w d²."""

def assign_and_sum_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    weights: Doubles | None,
    centers: Reals,
    labels: Codes | None,
    sums: Doubles | None,
    cluster_weight: Doubles | None,
) -> float:
    """assign_and_sum on sparse rows."""

def distances_to_centers(x: Reals, centers: Reals, out: Doubles) -> None:
    """Overwrite out (rows × centres) with distances."""

def distances_to_centers_csr(
    data: Reals, indices: Codes, indptr: Offsets, n_columns: int, centers: Reals, out: Doubles
) -> None:
    """distances_to_centers on sparse rows."""

def update_nearest(
    x: Reals,
    weights: Doubles | None,
    centers: Reals,
    nearest: Doubles,
    potentials: Doubles,
) -> None:
    """Overwrite potentials with Σ w min(nearest, d²) for every centre."""

def update_nearest_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    weights: Doubles | None,
    centers: Reals,
    nearest: Doubles,
    potentials: Doubles,
) -> None:
    """update_nearest on sparse rows."""

def lower_nearest(x: Reals, center: Reals, nearest: Doubles) -> None:
    """Lower nearest to d² where the centre is closer."""

def lower_nearest_csr(
    data: Reals, indices: Codes, indptr: Offsets, n_columns: int, center: Reals, nearest: Doubles
) -> None:
    """lower_nearest on sparse rows."""

def farthest_rows(x: Reals, centers: Reals, labels: Codes, rows: Counts, distances: Doubles) -> None:
    """Overwrite rows and distances with the len(rows) rows of largest d² to their own centre."""

def farthest_rows_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    centers: Reals,
    labels: Codes,
    rows: Counts,
    distances: Doubles,
) -> None:
    """farthest_rows on sparse rows."""

def weighted_pick(values: Doubles, weights: Doubles | None, targets: Doubles, out: Counts) -> None:
    """Overwrite out with the first row at which the running sum of w · value passes each target."""

def encode_dense(
    columns: list[NDArray[Any]],
    starts: Counts,
    widths: Counts,
    fill: Doubles,
    center: Doubles,
    scale: Doubles,
    dropped: Codes,
    out: Reals,
) -> None:
    """Write typed columns into a numeric matrix: numbers, or indicators of codes where width > 0."""

def count_csr(
    columns: list[NDArray[Any]],
    starts: Counts,
    widths: Counts,
    fill: Doubles,
    center: Doubles,
    scale: Doubles,
    dropped: Codes,
    indptr: Counts,
) -> None:
    """Overwrite indptr with the row offsets encode_csr needs."""

def encode_csr(
    columns: list[NDArray[Any]],
    starts: Counts,
    widths: Counts,
    fill: Doubles,
    center: Doubles,
    scale: Doubles,
    dropped: Codes,
    indptr: Counts,
    indices: Codes,
    data: Reals,
) -> None:
    """encode_dense into a sparse matrix: the cells that are not zero, columns rising in every row."""

def grow_tree(
    columns: list[NDArray[Any]],
    n_categories: Codes,
    labels: Codes | None,
    n_classes: int,
    targets: Doubles | None,
    weights: Doubles | None,
    criterion: str,
    nominal: str,
    missing: str,
    max_depth: int,
    min_samples_split: float,
    min_samples_leaf: float,
    min_impurity_decrease: float,
    max_leaf_nodes: int,
    max_features: int,
    seed: int,
    random_cuts: bool,
    monotonic: Codes | None,
    feature_costs: Doubles | None,
    min_branches: bool,
    mdl_correction: bool,
    average_gain: bool,
    j48_numeric_minimum: bool,
    thresholds_from_data: bool,
    n_declared_classes: int,
) -> tuple[NDArray[Any], ...]:
    """The exact tree of typed columns (n_categories 0: ordered), as the fields of TreeArrays."""

def tree_apply(
    feature: Codes,
    threshold: Doubles,
    child_start: Counts,
    n_children: Codes,
    children: Codes,
    route_start: Counts,
    n_routes: Codes,
    route_codes: Codes,
    routes: Codes,
    otherwise: Codes,
    missing: Codes,
    weight: Doubles,
    value: Doubles,
    n_categories: Codes,
    x: Reals | list[NDArray[Any]],
    out: Codes,
) -> None:
    """Overwrite out with the leaf of every row; shared rows follow the heaviest child."""

def tree_predict(
    feature: Codes,
    threshold: Doubles,
    child_start: Counts,
    n_children: Codes,
    children: Codes,
    route_start: Counts,
    n_routes: Codes,
    route_codes: Codes,
    routes: Codes,
    otherwise: Codes,
    missing: Codes,
    weight: Doubles,
    value: Doubles,
    n_categories: Codes,
    classes: bool,
    x: Reals | list[NDArray[Any]],
    out: Doubles,
) -> None:
    """Overwrite out (rows × outputs) with class shares, or predictions, of the leaves each row reaches."""

def moments_by_class(
    x: Reals,
    codes: Codes,
    weights: Doubles | None,
    weight: Doubles,
    mean: Doubles,
    deviation: Doubles,
    infinite: Counts,
) -> None:
    """Update weight, mean and Σw(x−mean)² of every class (rows) and column, NaN left out; count infinite cells."""

def gaussian_evidence(x: Reals, mean: Doubles, variance: Doubles, out: Doubles) -> None:
    """Add Σ_j log N(x_j; mean, variance) to out, classes × rows; NaN adds nothing."""

class Documents:
    """Texts that kernels read: ASCII str, UTF-8 bytes or None; or pieces of one run of UTF-8, as Arrow keeps them."""

    @overload
    def __init__(self, texts: tuple[str | bytes | None, ...]) -> None: ...
    @overload
    def __init__(self, text: Bytes, offsets: Counts, there: NDArray[np.bool_] | None) -> None: ...
    def __len__(self) -> int: ...

class Characters:
    """Ranges of word characters; the lower case of large letters, and what follows it, 0 for nothing."""

    def __init__(self, ranges: Codes, large: Codes, small: Codes, more: Codes) -> None: ...

class Terms:
    """A vocabulary: UTF-8 one after the other, and where each term ends."""

    def __init__(self, text: Bytes, ends: Counts) -> None: ...
    def __len__(self) -> int: ...

class TokenRules:
    """How documents are taken apart. Without characters, all that is beyond ASCII ends words."""

    def __init__(
        self, lowercase: bool, least: int, most: int, stops: Terms | None, characters: Characters | None
    ) -> None: ...

WordCounts: TypeAlias = tuple[Bytes, Counts, Counts, Counts]
WordRows: TypeAlias = tuple[Counts, Codes, NDArray[Any]]

def count_words(documents: Documents, rules: TokenRules) -> WordCounts:
    """The terms in order: text and ends; for each, in how many documents it is, and how often."""

def count_and_encode_words(documents: Documents, rules: TokenRules, single: bool) -> tuple[WordCounts, WordRows]:
    """The same, and indptr, indices and data of the counts of each document."""

def encode_words(documents: Documents, rules: TokenRules, terms: Terms, single: bool) -> WordRows:
    """The counts of the terms of a vocabulary in each document."""

def hash_words(documents: Documents, rules: TokenRules, n_columns: int, single: bool) -> WordRows:
    """The counts of hashed terms in each document."""

def join_terms(text: Bytes, ends: Counts, more_text: Bytes, more_ends: Counts) -> tuple[Bytes, Counts, Codes, Codes]:
    """The terms of both in order, and the places of each there."""

def weigh_words(
    indptr: Counts, indices: Codes, factor: Doubles | None, sublinear: bool, norm: int, values: NDArray[Any]
) -> None:
    """Values ← (1 + log, if sublinear) × factor of the column; rows to sum 1 (norm 1) or length 1 (norm 2)."""

def descend_dense(
    x: Reals,
    mean: Doubles,
    share: Doubles | None,
    starts: Counts,
    step: Doubles,
    l1: Doubles,
    l2: Doubles,
    positive: bool,
    gap: float,
    strong: float,
    epochs: int,
    coef: Doubles,
    residual: Doubles,
    seen_residual: Doubles,
    seen_correlation: Doubles,
) -> tuple[float, float, int]:
    """Coordinate descent for ½ Σ s r² + Σ l1 |b_g| + ½ Σ l2 |b_g|² on a matrix in Fortran order.

    Updates coef, residual (s·r and an offset) and what was seen; returns gap, objective and rounds.
    """

def descend_csc(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_rows: int,
    mean: Doubles,
    share: Doubles | None,
    starts: Counts,
    step: Doubles,
    l1: Doubles,
    l2: Doubles,
    positive: bool,
    gap: float,
    strong: float,
    epochs: int,
    coef: Doubles,
    residual: Doubles,
    seen_residual: Doubles,
    seen_correlation: Doubles,
) -> tuple[float, float, int]:
    """The same on columns that store their non-zero cells."""

def descend_gram(
    gram: Doubles,
    target_products: Doubles,
    target_square: float,
    starts: Counts,
    step: Doubles,
    l1: Doubles,
    l2: Doubles,
    positive: bool,
    gap: float,
    strong: float,
    epochs: int,
    coef: Doubles,
    correlation: Doubles,
) -> tuple[float, float, int]:
    """The same on cross products; correlation is target_products − gram @ coef, kept up to date."""

def add_logistic_gram(
    x: Reals, codes: Codes, weights: Doubles | None, coef: Doubles, intercept: float, shift: Doubles, gram: Doubles
) -> float:
    """Returns the loss of two classes; adds Σ w p (1−p) z zᵀ to gram, z = [1, x − shift, (y−p) / (p (1−p))]."""

def logistic_gradient(
    x: Reals,
    codes: Codes,
    weights: Doubles | None,
    coef: Doubles,
    intercept: Doubles,
    shares: Doubles,
    gradient: Doubles,
    gradient0: Doubles,
) -> float:
    """Returns the loss; overwrites shares (scores × rows), adds to the gradient by coefficients and intercepts."""

def logistic_curvature(
    x: Reals,
    weights: Doubles | None,
    shares: Doubles,
    direction: Doubles,
    direction0: Doubles,
    out: Doubles,
    out0: Doubles,
) -> None:
    """Add the second derivatives of the loss times a direction."""

def logistic_gradient_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    codes: Codes,
    weights: Doubles | None,
    coef: Doubles,
    intercept: Doubles,
    shares: Doubles,
    gradient: Doubles,
    gradient0: Doubles,
) -> float:
    """logistic_gradient on sparse rows; coefficients and gradient are columns × scores."""

def logistic_curvature_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    weights: Doubles | None,
    shares: Doubles,
    direction: Doubles,
    direction0: Doubles,
    out: Doubles,
    out0: Doubles,
) -> None:
    """logistic_curvature on sparse rows; directions are columns × scores."""

def descend_quadratic(
    curvature: Doubles, penalty: Doubles, tolerance: float, most: int, point: Doubles, gradient: Doubles
) -> int:
    """Coordinate descent on a quadratic with an L1 penalty, from point; returns the sweeps made."""

# Learners that take rows one after the other; core/online*.hpp say what the groups of arguments are.
# course: rows, weights, seed, epoch, drawn. measures: loss and its width; rate, eta0, power, t0.
# settings: alpha, l1_ratio, intercept, optimizer, momentum, batch_size, steps taken before.

def descend(
    x: Reals,
    shift: Doubles,
    spread: Doubles,
    values: Doubles | None,
    codes: Codes | None,
    course: tuple[Any, ...],
    first: int,
    last: int,
    measures: tuple[Any, ...],
    settings: tuple[Any, ...],
    units: Codes,
    weights: tuple[Doubles, Doubles],
    sums: tuple[Doubles, Doubles] | None,
    memory: tuple[Doubles, Doubles] | None,
    loss: Doubles,
) -> None:
    """Gradient steps of units b + w·(x − shift)·spread over the course; by batches if there is a memory."""

def descend_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    mean: Doubles | None,
    values: Doubles | None,
    codes: Codes | None,
    course: tuple[Any, ...],
    first: int,
    last: int,
    measures: tuple[Any, ...],
    settings: tuple[Any, ...],
    units: Codes,
    weights: tuple[Doubles, Doubles],
    sums: tuple[Doubles, Doubles] | None,
    memory: tuple[Doubles, Doubles] | None,
    loss: Doubles,
) -> None:
    """The same over sparse rows, from which `mean` is taken off without filling their zeros."""

def perceptron_pass(
    x: Reals,
    shift: Doubles,
    spread: Doubles,
    codes: Codes,
    course: tuple[Any, ...],
    first: int,
    one: bool,
    eta: float,
    intercepts: bool,
    units: Codes,
    weights: tuple[Doubles, Doubles],
    late: tuple[Doubles, Doubles] | None,
    time: Doubles,
    counts: Doubles | None,
    mistakes: Counts,
    next: Counts,
) -> None:
    """Perceptron steps over the course from place `first` on; with `one`, up to the first mistake."""

def perceptron_pass_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    codes: Codes,
    course: tuple[Any, ...],
    first: int,
    one: bool,
    eta: float,
    intercepts: bool,
    units: Codes,
    weights: tuple[Doubles, Doubles],
    late: tuple[Doubles, Doubles] | None,
    time: Doubles,
    counts: Doubles | None,
    mistakes: Counts,
    next: Counts,
) -> None:
    """The same over sparse rows."""

def kernel_perceptron_pass(
    gram: Doubles,
    codes: Codes,
    course: tuple[Any, ...],
    eta: float,
    units: Codes,
    scores: Doubles,
    counts: Doubles,
    mistakes: Counts,
) -> None:
    """Perceptron steps in the space of a kernel whose products of all rows are `gram`."""

def winnow_pass(
    data: Doubles,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    codes: Codes,
    course: tuple[Any, ...],
    threshold: float,
    alpha: float,
    eliminates: bool,
    units: Codes,
    up: Doubles,
    down: Doubles | None,
    promotions: Counts,
    demotions: Counts,
) -> None:
    """Winnow's steps over the course; only which cells are stored matters."""

def add_column_sums(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    weights: Doubles | None,
    sums: Doubles,
    squares: Doubles,
    there: Doubles,
) -> None:
    """Add Σ w x, Σ w x² and Σ w [x ≠ 0] of each column of sparse rows."""

def scale_columns(data: Reals, indices: Codes, indptr: Offsets, n_columns: int, factor: Doubles, out: Doubles) -> None:
    """Overwrite out with the stored cells, each times the factor of its column."""
