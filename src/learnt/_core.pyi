"""Kernels of learnt, compiled from core/: passes over tables on all threads. Written by `make stub`.

Arrays are never converted: tables (`x`) are float32 or float64 with any strides, all others have exactly the
type stated and no gaps; centres have the type of the rows. `weights` may be None for ones. Outputs come last.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Reals: TypeAlias = NDArray[np.float32] | NDArray[np.float64] | NDArray[np.floating[Any]]
Doubles: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.int64]
Bytes: TypeAlias = NDArray[np.uint8]
Offsets: TypeAlias = NDArray[np.int32] | NDArray[np.int64] | NDArray[np.signedinteger[Any]]
Lists: TypeAlias = tuple[Counts, Counts, Doubles]
WordCounts: TypeAlias = tuple[Bytes, Counts, Counts, Counts]
WordRows: TypeAlias = tuple[Counts, Codes, Doubles]

class Stopped(RuntimeError):
    pass

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
    data: Reals, indices: Codes, indptr: Offsets, n_columns: int, coef: Doubles, intercept: float, out: Doubles
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

def distances_to_centers(x: Reals, centers: Reals, out: Doubles) -> None:
    """Overwrite out (rows × centres) with distances."""

def update_nearest(x: Reals, weights: Doubles | None, centers: Reals, nearest: Doubles, potentials: Doubles) -> None:
    """Overwrite potentials with Σ w min(nearest, d²) for every centre."""

def lower_nearest(x: Reals, center: Reals, nearest: Doubles) -> None:
    """Lower nearest to d² where the centre is closer."""

def farthest_rows(x: Reals, centers: Reals, labels: Codes, rows: Counts, distances: Doubles) -> None:
    """Overwrite rows and distances with the len(rows) rows of largest d² to their own centre."""

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

def distances_to_centers_csr(
    data: Reals, indices: Codes, indptr: Offsets, n_columns: int, centers: Reals, out: Doubles
) -> None:
    """distances_to_centers on sparse rows."""

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

def lower_nearest_csr(
    data: Reals, indices: Codes, indptr: Offsets, n_columns: int, center: Reals, nearest: Doubles
) -> None:
    """lower_nearest on sparse rows."""

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

def group_centers(centers: Reals, group: int, order: Codes) -> None:
    """Overwrite order with the centres' numbers, those that lie together in groups of `group`."""

def assign_bounded(
    x: Reals,
    centers: Reals,
    before: Reals | None,
    shift: Doubles,
    order: Codes,
    group: int,
    labels: Codes,
    upper: Reals,
    lower: Reals,
    norms: Reals,
) -> int:
    """The labels of assign_and_sum, by bounds kept from round to round; returns pairs of row and group compared."""

def sum_labelled(
    x: Reals, weights: Doubles | None, centers: Reals, labels: Codes, sums: Doubles, cluster_weight: Doubles
) -> float:
    """Add Σ w x and Σ w per cluster of given labels, return Σ w d²."""

def exchange_rows(x: Reals, weights: Doubles | None, sums: Doubles, cluster_weight: Doubles, labels: Codes) -> int:
    """One sweep of single rows to the cluster that lowers Σ w d² most; returns how many moved."""

def exchange_rows_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    weights: Doubles | None,
    sums: Doubles,
    cluster_weight: Doubles,
    labels: Codes,
) -> int:
    """exchange_rows on sparse rows."""

def sum_labelled_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    weights: Doubles | None,
    centers: Reals,
    labels: Codes,
    sums: Doubles,
    cluster_weight: Doubles,
) -> float:
    """sum_labelled on sparse rows."""

def encode_dense(
    columns: list[Any],
    starts: Counts,
    widths: Counts,
    fill: Doubles,
    center: Doubles,
    scale: Doubles,
    dropped: Codes,
    out: Reals,
) -> None:
    """Write typed columns into a numeric matrix: numbers, or indicators of codes where width > 0."""

def encode_csr(
    columns: list[Any],
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

def count_csr(
    columns: list[Any],
    starts: Counts,
    widths: Counts,
    fill: Doubles,
    center: Doubles,
    scale: Doubles,
    dropped: Codes,
    indptr: Counts,
) -> None:
    """Overwrite indptr with the row offsets encode_csr needs."""

class TreeOptions:
    """How a tree is grown; the fields are those of learnt.tree.grow.GrowOptions."""

    def __init__(
        self,
        *,
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
        min_branches: bool,
        mdl_correction: bool,
        average_gain: bool,
        j48_numeric_minimum: bool,
        thresholds_from_data: bool,
        n_declared_classes: int,
    ) -> None: ...

def grow_tree(
    columns: list[Any],
    n_categories: Codes,
    labels: Codes | None,
    n_classes: int,
    targets: Doubles | None,
    weights: Doubles | None,
    monotonic: Codes | None,
    feature_costs: Doubles | None,
    options: TreeOptions,
) -> dict[str, Any]:
    """The exact tree of typed columns (n_categories 0: ordered), as the fields of TreeArrays."""

@overload
def tree_reach(
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
    weights: Doubles | None,
    path: bool,
    x: Reals,
) -> Any: ...
@overload
def tree_reach(
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
    weights: Doubles | None,
    path: bool,
    x: list[Any],
    rows: int,
) -> Any: ...
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
    x: Reals | list[Any],
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
    x: Reals | list[Any],
    out: Doubles,
) -> None:
    """Overwrite out (rows × outputs) with class shares, or predictions, of the leaves each row reaches."""

class RowSender:
    """Sends rows down a tree, level by level; source says whose test stands at a node."""

    def __init__(
        self,
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
        x: list[Any],
        rows: int,
    ) -> None: ...
    def send(
        self, source: Counts, start: int, row: Counts, weight: Doubles, own_shares: bool, unknown: Doubles | None
    ) -> tuple[Codes, Counts, Doubles]:
        """The leaves that rows reach from node start, the rows, and the part of their weight there."""

def cells_beside(cells: Doubles, thresholds: Doubles, below: Doubles, above: Doubles) -> None:
    """below and above = the cells beside each threshold, infinite where there is none."""

def write_thresholds(below: Doubles, above: Doubles, thresholds: Doubles) -> None:
    """thresholds = themselves in the fewest digits, from six on, that keep them between the cells beside them."""

def add_contributions(
    tree_start: Counts,
    feature: Codes,
    threshold: Doubles,
    right: Codes,
    route_start: Counts,
    n_routes: Codes,
    route_codes: Codes,
    routes: Codes,
    otherwise: Codes,
    missing: Codes,
    n_categories: Codes,
    weight: Doubles,
    value: Doubles,
    group: int,
    x: Any,
    pairs: bool,
    out: Doubles,
    expected: Doubles,
) -> None:
    """Add Shapley values to out (rows × columns·outputs, or with pairs × columns·columns·outputs halves of the
    interactions of two columns) and the answer without any column to expected."""

def add_tree_contributions(
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
    x: Any,
    pairs: bool,
    out: Doubles,
    expected: Doubles,
) -> None:
    """add_contributions for one tree of any number of branches, whose missing cells may be shared out."""

def find_misplaced(tree_start: Counts, right: Codes) -> int:
    """The first node of a forest that is not where pre-order has it; −1 if there is none."""

class PackedForest32:
    def __init__(
        self,
        tree_start: Counts,
        feature: Codes,
        threshold: Doubles,
        right: Codes,
        route_start: Counts,
        n_routes: Codes,
        route_codes: Codes,
        routes: Codes,
        otherwise: Codes,
        missing: Codes,
        n_categories: Codes,
    ) -> None: ...
    def add_answers(self, x: Any, first: int, last: int, answers: Doubles, group: int, out: Doubles) -> None: ...
    def leaves(self, x: Any, first: int, last: int, out: Codes) -> None: ...

class PackedForest64:
    def __init__(
        self,
        tree_start: Counts,
        feature: Codes,
        threshold: Doubles,
        right: Codes,
        route_start: Counts,
        n_routes: Codes,
        route_codes: Codes,
        routes: Codes,
        otherwise: Codes,
        missing: Codes,
        n_categories: Codes,
    ) -> None: ...
    def add_answers(self, x: Any, first: int, last: int, answers: Doubles, group: int, out: Doubles) -> None: ...
    def leaves(self, x: Any, first: int, last: int, out: Codes) -> None: ...

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
    def __init__(self, texts: tuple[Any, ...]) -> None: ...
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

    def __init__(self, lowercase: bool, least: int, most: int, stops: Any, characters: Any) -> None: ...

def count_words(documents: Documents, rules: TokenRules) -> WordCounts:
    """The terms in order: text and ends; for each, in how many documents it is, and how often."""

def count_and_encode_words(documents: Documents, rules: TokenRules, single: bool) -> tuple[WordCounts, WordRows]:
    """The same, and indptr, indices and data of the counts of each document."""

def encode_words(documents: Documents, rules: TokenRules, terms: Terms, single: bool) -> WordRows:
    """The counts of the terms of a vocabulary in each document."""

def encode_sequences(documents: Documents, rules: TokenRules, terms: Terms) -> tuple[Any, ...]:
    """Where the words of each document begin, and their numbers in a vocabulary, in their order; −1 is none."""

def hash_words(documents: Documents, rules: TokenRules, n_columns: int, single: bool) -> WordRows:
    """The counts of hashed terms in each document."""

def join_terms(text: Bytes, ends: Counts, more_text: Bytes, more_ends: Counts) -> tuple[Bytes, Counts, Codes, Codes]:
    """The terms of both in order, and the places of each there."""

def weigh_words(
    indptr: Counts, indices: Codes, factor: Doubles | None, sublinear: bool, norm: int, values: Reals
) -> None:
    """Values ← (1 + log, if sublinear) × factor of the column; rows to sum 1 (norm 1) or length 1 (norm 2)."""

class VectorTrainer:
    """Learns word vectors from documents given one after the other; see text/word_vectors.hpp."""

    def __init__(
        self,
        noise: Doubles,
        keep: Doubles,
        stride: int,
        window: int,
        negatives: int,
        batch: int,
        often: float,
        cbow: bool,
        rate: float,
        last_rate: float,
        epochs: int,
        places: int,
        seed: int,
    ) -> None: ...
    def learn(self, offsets: Counts, ids: Codes, input: NDArray[np.float32], output: NDArray[np.float32]) -> None:
        """Take documents in: whole batches of windows change the vectors, the rest waits."""

    def finish_epoch(self, input: NDArray[np.float32], output: NDArray[np.float32]) -> float:
        """Learn from what waits, end the epoch, and return its mean loss of an input and its word."""

    def draw(self, place: int, count: int) -> list[int]:
        """The noise words of a place of the text in this epoch."""

    def windows(self, offsets: Counts, ids: Codes) -> list[tuple[int, int, int, int, float]]:
        """The windows of a first epoch: place, word, neighbours to either side, and the share of the word's updates."""

def spread_words(codes: Codes, by_word: Doubles | Codes, out: Doubles | Codes) -> None:
    """out[i] ← by_word[codes[i]]; −1 or NaN where the code is −1."""

def read_file(file: int, offset: int, memory: Bytes, start: int) -> int:
    """Fill memory[start:] with the bytes of an open file from an offset on; how many there were."""

class CsvReader:
    """Delimited text, piece by piece, into columns; 0 skips one, 1 reads numbers, 2 words, 3 counts numbers."""

    def __init__(
        self, delimiter: int, quote: int, decimal: int, columns: NDArray[np.int8], lines_before: int, block_bytes: int
    ) -> None: ...
    def parse(self, text: Bytes, start: int, stop: int, more: bool) -> int:
        """Reads the whole rows of text[start:stop], and the last one if there is no more; how many bytes they were."""

    def expect(self, rows: int) -> None: ...
    def begin_again(self, most_words: int = 0) -> None:
        """Forget rows, and words of columns with more than so many, but not where in the file they ended."""

    def drop_rows(self) -> None:
        """Forget rows, but neither their number nor their words."""

    def n_numbers(self, column: int) -> int: ...
    def n_words(self, column: int) -> int: ...
    def holds_zero(self, column: int) -> bool:
        """Whether a word of the column has a zero byte in it."""

    @property
    def n_rows(self) -> int: ...
    @property
    def lines(self) -> int: ...
    @property
    def n_bad(self) -> int: ...
    @property
    def bad_lines(self) -> tuple[Any, ...]: ...
    @property
    def unclosed(self) -> bool: ...
    def take_numbers(self, column: int) -> tuple[Any, ...]: ...
    def take_codes(self, column: int) -> Codes: ...
    def words(self, column: int) -> tuple[Any, ...]:
        """Texts, whether quoted, how often, and the line of the first cell."""

def scale_columns(data: Reals, indices: Codes, indptr: Offsets, n_columns: int, factor: Doubles, out: Doubles) -> None:
    """Overwrite out with the stored cells, each times the factor of its column."""

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

def descend(
    x: Reals,
    shift: Doubles,
    spread: Doubles,
    values: Doubles | None,
    codes: Codes | None,
    course: tuple[Counts | None, Doubles | None, int, int, bool],
    first: int,
    last: int,
    measures: tuple[int, float, int, float, float, float],
    settings: tuple[float, float, bool, int, float, int, float],
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
    course: tuple[Counts | None, Doubles | None, int, int, bool],
    first: int,
    last: int,
    measures: tuple[int, float, int, float, float, float],
    settings: tuple[float, float, bool, int, float, int, float],
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
    course: tuple[Counts | None, Doubles | None, int, int, bool],
    first: int,
    one: bool,
    eta: float,
    intercepts: bool,
    units: Codes,
    weights: tuple[Doubles, Doubles],
    late: tuple[Doubles, Doubles] | None,
    time: Doubles,
    counts: tuple[Doubles, Doubles] | None,
    mistakes: Counts,
    next: Counts,
) -> None:
    """Perceptron steps over the course from place `first` on; with `one`, up to the first mistake."""

def perceptron_pass_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    mean: Doubles | None,
    codes: Codes,
    course: tuple[Counts | None, Doubles | None, int, int, bool],
    first: int,
    one: bool,
    eta: float,
    intercepts: bool,
    units: Codes,
    weights: tuple[Doubles, Doubles],
    late: tuple[Doubles, Doubles] | None,
    time: Doubles,
    counts: tuple[Doubles, Doubles] | None,
    mistakes: Counts,
    next: Counts,
) -> None:
    """The same over sparse rows, from which `mean` is taken off without filling their zeros."""

def winnow_pass(
    data: Doubles,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    codes: Codes,
    course: tuple[Counts | None, Doubles | None, int, int, bool],
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

def kernel_perceptron_pass(
    gram: Doubles,
    codes: Codes,
    course: tuple[Counts | None, Doubles | None, int, int, bool],
    first: int,
    one: bool,
    units: Codes,
    scores: Doubles,
    counts: tuple[Doubles, Doubles],
    time: Doubles,
    mistakes: Counts,
    next: Counts,
) -> None:
    """Perceptron steps in the space of a kernel whose products of all rows are `gram`."""

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

    Updates coef, residual (s·r and an offset) and what was seen; returns gap, objective and rounds."""

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

def brute_nearest(
    x: Reals,
    norm: str,
    power: float,
    weights: Doubles | None,
    shift: Doubles,
    stretch: Doubles,
    unit: float,
    reach: float,
    queries: Doubles,
    skip: Counts | None,
    distances: Doubles,
    rows: Counts,
) -> None:
    """Overwrite distances and rows (queries × k) with the nearest of x: norm 'l1', 'l2', 'max', 'lp', 'hamming'."""

def brute_within(
    x: Reals,
    norm: str,
    power: float,
    weights: Doubles | None,
    shift: Doubles,
    stretch: Doubles,
    unit: float,
    reach: float,
    queries: Doubles,
    skip: Counts | None,
    radius: Doubles,
) -> Lists:
    """Where each query's neighbours within its radius start, their rows and distances."""

def given_nearest(given: Doubles, skip: Counts | None, distances: Doubles, rows: Counts) -> None:
    """Overwrite distances and rows (queries × k) with the nearest by distances that are given, queries × rows."""

def given_within(given: Doubles, skip: Counts | None, radius: Doubles) -> Lists:
    """The same within each query's radius."""

class KdTree64:
    def __init__(self, x: Doubles, width: int) -> None: ...
    def bytes(self) -> int: ...
    def nearest(
        self,
        norm: str,
        power: float,
        weights: Doubles | None,
        queries: Doubles,
        skip: Counts | None,
        distances: Doubles,
        rows: Counts,
    ) -> int: ...
    def within(
        self, norm: str, power: float, weights: Doubles | None, queries: Doubles, skip: Counts | None, radius: Doubles
    ) -> Lists: ...

class KdTree32:
    def __init__(self, x: NDArray[np.float32], width: int) -> None: ...
    def bytes(self) -> int: ...
    def nearest(
        self,
        norm: str,
        power: float,
        weights: Doubles | None,
        queries: Doubles,
        skip: Counts | None,
        distances: Doubles,
        rows: Counts,
    ) -> int: ...
    def within(
        self, norm: str, power: float, weights: Doubles | None, queries: Doubles, skip: Counts | None, radius: Doubles
    ) -> Lists: ...

class VpTree64:
    def __init__(self, x: Doubles, norm: str, power: float, weights: Doubles | None, width: int) -> None: ...
    def bytes(self) -> int: ...
    def nearest(self, queries: Doubles, skip: Counts | None, distances: Doubles, rows: Counts) -> int: ...
    def within(self, queries: Doubles, skip: Counts | None, radius: Doubles) -> Lists: ...

class VpTree32:
    def __init__(
        self, x: NDArray[np.float32], norm: str, power: float, weights: Doubles | None, width: int
    ) -> None: ...
    def bytes(self) -> int: ...
    def nearest(self, queries: Doubles, skip: Counts | None, distances: Doubles, rows: Counts) -> int: ...
    def within(self, queries: Doubles, skip: Counts | None, radius: Doubles) -> Lists: ...

class SparseRows64:
    def __init__(
        self, values: Doubles, indices: Codes, indptr: Counts, n_columns: int, weights: Doubles | None
    ) -> None: ...
    def bytes(self) -> int: ...
    def nearest(
        self, values: Doubles, indices: Codes, indptr: Counts, skip: Counts | None, distances: Doubles, rows: Counts
    ) -> None: ...
    def within(
        self, values: Doubles, indices: Codes, indptr: Counts, skip: Counts | None, radius: Doubles
    ) -> Lists: ...
    def distances(self, values: Doubles, indices: Codes, indptr: Counts, out: Doubles) -> None: ...

class SparseRows32:
    def __init__(
        self, values: NDArray[np.float32], indices: Codes, indptr: Counts, n_columns: int, weights: Doubles | None
    ) -> None: ...
    def bytes(self) -> int: ...
    def nearest(
        self, values: Doubles, indices: Codes, indptr: Counts, skip: Counts | None, distances: Doubles, rows: Counts
    ) -> None: ...
    def within(
        self, values: Doubles, indices: Codes, indptr: Counts, skip: Counts | None, radius: Doubles
    ) -> Lists: ...
    def distances(self, values: Doubles, indices: Codes, indptr: Counts, out: Doubles) -> None: ...

class MixedScan:
    """Rows of numbers and codes, copied for a scan; the arrays given are read, not copied, where exact."""

    def __init__(
        self,
        numbers: Doubles,
        codes: Codes,
        coded: Bytes,
        weights: Doubles,
        ranges: Doubles,
        tables: Sequence[Doubles | None],
        order: Counts,
        power: int,
        tree: bool = False,
    ) -> None: ...
    def bytes(self) -> int: ...
    def nearest(self, numbers: Doubles, codes: Codes, skip: Counts | None, distances: Doubles, rows: Counts) -> int: ...
    def within(self, numbers: Doubles, codes: Codes, skip: Counts | None, radius: Doubles) -> Lists: ...
    def distances(self, numbers: Doubles, codes: Codes, out: Doubles) -> None: ...

def pairwise_distances(x: Reals, y: Reals, norm: str, power: float, weights: Doubles | None, out: Doubles) -> None:
    """Overwrite out (rows of x × rows of y) with all distances by the norm 'l1', 'l2', 'max', 'lp' or 'hamming'."""

def levenshtein_distance(a: str, b: str) -> int:
    """How many characters must be inserted, deleted or replaced to turn a into b."""

def levenshtein_distances(texts: tuple[Any, ...], patterns: tuple[Any, ...] | None, out: Doubles) -> None:
    """The same for all pairs (patterns None: of the texts themselves), into out."""

def show_instances(
    cells: Doubles,
    labels: Codes,
    ranges: Doubles,
    weights: Doubles,
    power: int,
    policy: str,
    shown: Counts,
    seed: int,
    first: int,
    class_seen: Doubles,
    rows: Counts,
    tried: Counts,
    right: Counts,
) -> tuple[Counts, Counts, Counts]:
    """Rows shown one after another; those kept, how often each was asked, and how often right."""

class RectangleRows:
    """Rectangles that grow out of rows of numbers and codes, kept column by column."""

    def __init__(self, sizes: Counts, ranges: Doubles, weights: Doubles, fullest: bool) -> None: ...
    def __len__(self) -> int: ...
    def grow(self, cells: Doubles, labels: Codes, shown: Counts, asked: int, apart: bool) -> None: ...
    def read(self, low: Doubles, high: Doubles, sets: Bytes, label: Codes, tried: Doubles, right: Doubles) -> None: ...
    def write(self, low: Doubles, high: Doubles, sets: Bytes, label: Codes, tried: Doubles, right: Doubles) -> None: ...
    def ask(self, cells: Doubles, by_class: Doubles, answering: Counts) -> None: ...

class LocalRows:
    """Rows to fit polynomials to, around points."""

    def __init__(self, rows: Doubles, y: Doubles, weights: Doubles | None, slopes: Counts) -> None: ...
    def moments(
        self,
        points: Doubles,
        kernel: str,
        degree: int,
        reach: float,
        robust: Doubles,
        reaches: Doubles,
        mean: Doubles,
        center: Doubles,
        right: Doubles,
        square: Doubles,
    ) -> None: ...

class BoostBins:
    """The bins of all columns; refuses edges and categories that do not fit each other."""

    def __init__(
        self,
        n_bins: Codes,
        nominal: Bytes,
        edges: Doubles,
        edge_start: Counts,
        category_bins: Codes,
        category_start: Counts,
    ) -> None: ...
    @property
    def total(self) -> int: ...
    @property
    def n_narrow(self) -> int: ...
    @property
    def n_wide(self) -> int: ...

def encode_bins(bins: BoostBins, columns: list[Any], narrow: Bytes, wide: NDArray[np.uint16]) -> None:
    """Overwrite narrow and wide with the bins of all cells, row by row."""

def edges_of_sorted(x: Doubles, weights: Doubles | None, max_bins: int) -> Doubles:
    """Edges of bins of nearly equal weight, between neighbours among sorted numbers."""

def distinct_numbers(column: NDArray[Any], weights: Doubles | None, most: int) -> tuple[Doubles, Doubles, bool]:
    """The distinct numbers of a column and their weights; True if there are more than `most`."""

def boost_gradients(
    loss: str,
    scores: Doubles,
    numbers: Doubles | None,
    codes: Codes | None,
    weights: Doubles | None,
    parameter: float,
    gradient: Reals,
    hessian: Reals,
) -> None:
    """Overwrite gradient and hessian (outputs × rows) with the derivatives of the weighted loss by the scores."""

def boost_exponents(x: Reals, kept: Bytes | None) -> Counts:
    """How many numbers have each binary exponent."""

def boost_magnitudes(gradients: Reals) -> Counts:
    """How many rows have gradients of each size, by the first 16 bits of a float."""

def boost_goss(
    gradients: Reals, hessians: Reals, threshold: int, share: float, seed: int, tree: int, first_row: int, kept: Bytes
) -> None:
    """Keep rows of large gradients and a drawn share of the others, whose gradients are multiplied in place."""

def boost_loss(
    loss: str,
    scores: Doubles,
    numbers: Doubles | None,
    codes: Codes | None,
    weights: Doubles | None,
    parameter: float,
    kept: Bytes | None,
) -> tuple[float, float]:
    """The sum of weighted losses and of weights."""

class BoostOptions:
    """How boosted trees are grown; the fields are those of learnt's GrowthOptions."""

    def __init__(
        self,
        *,
        max_leaf_nodes: int,
        max_depth: int,
        by_depth: bool,
        min_samples_leaf: float,
        min_child_weight: float,
        l1: float,
        l2: float,
        min_gain: float,
        learning_rate: float,
        max_features: float,
        max_features_tree: float,
        cat_smooth: float,
        cat_l2: float,
        max_cat_subset: int,
        min_group: float,
        one_hot_up_to: int,
        seed: int,
    ) -> None: ...

class BoostRules:
    """Options checked against the columns they speak of."""

    def __init__(
        self,
        options: BoostOptions,
        n_columns: int,
        monotonic: NDArray[np.int8] | None,
        interactions: Sequence[Sequence[int]],
        column_keys: NDArray[np.uint64] | None = None,
    ) -> None: ...

class BoostGrower:
    """Grows trees over one table, whose memory it keeps."""

    def __init__(self, bins: Any, rules: Any, narrow: Bytes, wide: NDArray[np.uint16]) -> None: ...
    def grow(
        self, gradient: Reals, hessian: Reals | None, weights: Doubles | None, kept: Bytes | None, tree: int
    ) -> dict[str, Any]: ...
    def leaves(self, out: Codes) -> None: ...
    def add(self, values: Doubles, scores: Doubles) -> None: ...

def boost_fine_rows(
    gradient: Reals,
    hessian: Reals | None,
    weights: Doubles | None,
    scale: tuple[float, float, float, float, float, bool],
    out: Counts,
) -> None:
    """Overwrite out (rows × 3) with gradient, hessian and weight in whole numbers of 62 bits."""

def boost_leaf_sums(
    gradient: Reals,
    hessian: Reals | None,
    weights: Doubles | None,
    node_of_row: Codes,
    scale: tuple[float, float, float, float, float, bool],
    out: Counts,
) -> None:
    """Add exact sums of gradient, hessian and weight by node (nodes × 3)."""

def boost_quantise(
    gradient: NDArray[np.float32],
    hessian: NDArray[np.float32] | None,
    scale: tuple[float, float, float, float, float, bool],
    seed: int,
    tree: int,
    first_row: int,
    out: NDArray[np.uint32],
) -> None:
    """Overwrite out with gradients rounded by chance, gradient and hessian in 16 bits each."""

def boost_scale(
    gradient: Counts, hessian: Counts | None, weights: Counts | None
) -> tuple[float, float, float, float, float, bool]:
    """The powers of two that make whole numbers of gradients, from their exponents."""

class BoostTree:
    """A tree whose histograms come from elsewhere."""

    def __init__(
        self, bins: Any, rules: Any, scale: tuple[float, float, float, float, float, bool], fine: bool, tree: int
    ) -> None: ...
    @property
    def n_nodes(self) -> int: ...
    def search(self, node: int, planes: Counts) -> float: ...
    def split(self, node: int) -> int: ...
    def lighter_left(self, node: int) -> bool: ...
    def found(self, node: int) -> tuple[Any, ...]: ...
    def tests(self) -> tuple[Any, ...]: ...
    def finish(self, sums: Counts, inner: Bytes) -> tuple[dict[str, Any], Codes]: ...

def quantiles_by_group(group: Codes, x: Doubles, weights: Doubles | None, q: float, out: Doubles) -> None:
    """Overwrite out, where a group has weight, with the smallest x that reaches the share q of it."""

def boost_entries(packed: NDArray[np.uint32] | None, kept: Bytes, out: NDArray[np.uint64]) -> None:
    """Overwrite out with the rows that are kept, beside their packed gradients."""

def boost_part_rows(
    bins: BoostBins,
    narrow: Bytes,
    wide: NDArray[np.uint16],
    left: Codes,
    column: Codes,
    bin: Codes,
    missing_left: Bytes,
    left_start: Counts,
    left_bins: Codes,
    known: int,
    entries: NDArray[np.uint64],
    ranges: Counts,
) -> None:
    """Part the entries of nodes with children beyond the known ones, in place; ranges of the children are written."""

def boost_place_rows(
    bins: BoostBins,
    narrow: Bytes,
    wide: NDArray[np.uint16],
    left: Codes,
    column: Codes,
    bin: Codes,
    missing_left: Bytes,
    left_start: Counts,
    left_bins: Codes,
    entries: NDArray[np.uint64],
    ranges: Counts,
    out: Codes,
) -> None:
    """Overwrite out with the leaf of each row: by the ranges, and of rows without an entry by the tests."""

class BoostHistograms:
    """Histograms of the nodes of a growing tree, summed over batches."""

    def __init__(self, bins: Any, n_slots: int, fine: bool) -> None: ...
    def add(
        self,
        narrow: Bytes,
        wide: NDArray[np.uint16],
        entries: NDArray[np.uint64],
        fine: Counts | None,
        ranges: Counts,
        slot_of_node: Codes,
    ) -> None:
        """Add a batch's rows to the histograms of their nodes."""

    def read(self, out: Counts) -> None:
        """Overwrite out (slots × bins × 3) with the sums so far: gradient, hessian, weight."""

def encode_for_forest(cells: Reals, edges: Reals, lost: int, out: NDArray[np.uint16]) -> None:
    """Overwrite out with the number of edges below each cell, and with lost where a cell is NaN."""

class ForestOptions:
    """How trees of a forest are grown; the fields are those of learnt's Growth."""

    def __init__(
        self,
        *,
        criterion: str,
        max_depth: int,
        min_samples_split: float,
        min_samples_leaf: float,
        max_leaf_nodes: int,
        max_features: int,
        random_cuts: bool,
        bootstrap: bool,
        rate: float,
        balance_drawn: bool,
        seed: int,
        shrinkage: float,
        sorted_up_to: int,
    ) -> None: ...

def grow_forest(
    codes: NDArray[np.uint16],
    n_codes: Codes,
    shift: Codes,
    lost: Codes,
    nominal: Bytes,
    bounds: Doubles,
    bound_start: Counts,
    ranges: Bytes,
    varying: Codes,
    labels: Codes | None,
    n_classes: int,
    targets: Doubles | None,
    weights: Doubles | None,
    class_factors: Doubles | None,
    first_tree: int,
    n_trees: int,
    options: ForestOptions,
    keep_rows: bool,
    oob_sums: Counts | None,
    oob_trees: Codes | None,
    oob_origin: float,
    oob_unit: float,
    shrinkages: Doubles | None = None,
    stands_for: Codes | None = None,
    orders: int = 1,
) -> dict[str, Any]:
    """The flat arrays of trees, and with keep_rows, under "drawn", the rows in their leaves; adds to oob_sums (rows ×
    outputs, in multiples of oob_unit from oob_origin) and oob_trees what trees say of rows they did not draw, or,
    with shrinkages, what those shrunk by each would say (rows × shrinkages; of classes the share of the row's own).
    The last columns, as many as stands_for in each of the orders, are searched where those they stand for
    are, by tree t those of order t mod orders."""

def forest_quantiles(
    leaves: Codes,
    tree_start: Counts,
    node_start: Counts,
    ranks: Codes,
    shares: NDArray[np.float32],
    sorted_targets: Doubles,
    q: Doubles,
    out: Doubles,
) -> None:
    """Overwrite out (rows × quantiles) with quantiles of the targets kept in each row's leaves (rows × trees)."""

class StumpRounds:
    """Stumps of the same rows under ever new weights; columns are sorted once."""

    def __init__(
        self,
        columns: list[Any],
        n_categories: Codes,
        labels: Codes,
        n_classes: int,
        criterion: str,
        missing: str,
        min_samples_leaf: float,
    ) -> None: ...
    def next(self, weights: Doubles, side: Bytes) -> dict[str, Any]: ...

@overload
def add_stump_votes(
    feature: Codes,
    threshold: Doubles,
    missing: Codes,
    start: Counts,
    n_routes: Codes,
    routes: Bytes,
    answer: Codes,
    amount: Doubles,
    x: Reals,
    out: Doubles,
) -> None: ...
@overload
def add_stump_votes(
    feature: Codes,
    threshold: Doubles,
    missing: Codes,
    start: Counts,
    n_routes: Codes,
    routes: Bytes,
    answer: Codes,
    amount: Doubles,
    x: list[Any],
    n_categories: Codes,
    out: Doubles,
) -> None: ...
def full_mixture_round(
    x: Reals,
    weights: Doubles | None,
    shift: Doubles,
    scale: Doubles,
    mean: Doubles,
    roots: Doubles,
    offset: Doubles,
    log_density: Doubles | None,
    shares: Doubles | None,
    labels: Codes | None,
    sums: Doubles | None,
) -> float:
    """A round of EM with full covariances: per component Σ w r [d, 1] [d, 1]ᵀ, lower triangles, added to sums;
    returns Σ w log p."""

def column_mixture_round(
    x: Reals,
    codes: Codes,
    weights: Doubles | None,
    shift: Doubles,
    scale: Doubles,
    mean: Doubles,
    variance: Doubles,
    blur: float,
    levels: Counts,
    tables: Doubles,
    offset: Doubles,
    log_density: Doubles | None,
    shares: Doubles | None,
    labels: Codes | None,
    weight: Doubles | None,
    moments: Doubles | None,
    counts: Doubles | None,
) -> float:
    """A round of EM with independent columns; NaN and codes outside of their levels are missing; returns Σ w log p."""

def link_rows(
    x: Doubles,
    method: str,
    norm: str,
    power: float,
    column_weights: Doubles | None,
    weights: Doubles | None,
    children: Counts,
    heights: Doubles,
    counts: Counts,
) -> int:
    """The tree of single, ward, centroid or median linkage from coordinates; how many merges it has."""

def link_pairs(
    distances: Doubles, n: int, method: str, weights: Doubles | None, children: Counts, heights: Doubles, counts: Counts
) -> int:
    """The same by condensed distances (squares for ward, centroid and median), which are overwritten."""

def link_graph(
    start: Counts,
    ends: Counts,
    length: Doubles | None,
    x: Doubles | None,
    method: str,
    weights: Doubles | None,
    children: Counts,
    heights: Doubles,
    counts: Counts,
) -> int:
    """The same with merges along the edges of a graph alone, in the order they were made."""

def divide_pairs(distances: Doubles, n: int, children: Counts, heights: Doubles, counts: Counts) -> int:
    """The tree of DIANA's divisions by condensed distances."""

def dbscan(
    x: Reals,
    norm: str,
    power: float,
    column_weights: Doubles | None,
    eps: float,
    least: float,
    weights: Doubles | None,
    labels: Codes,
    core: Bytes,
) -> None:
    """Density clusters by the order of their first cores, −1 for noise, and which rows are cores."""

def project_rows(x: Reals, shift: Doubles, weights: Doubles, out: Doubles) -> None:
    """Overwrite out (rows × directions) with (x − shift) @ weights."""

def silhouette_sums(
    norm: str,
    x: Doubles,
    own: Counts,
    y: Doubles,
    start: Counts,
    weights: Doubles | None,
    within: Doubles,
    between: Doubles,
    neighbour: Counts,
) -> None:
    """Sums of distances to the own cluster, the least mean to another one, and which that is."""

def nearest_medoids(
    distances: Doubles, medoids: Counts, nearest: Codes, second: Codes, to_nearest: Doubles, to_second: Doubles
) -> None:
    """The nearest and the second nearest medoid of every row."""

def swap_medoids(
    distances: Doubles,
    weights: Doubles | None,
    medoids: Counts,
    nearest: Codes,
    second: Codes,
    to_nearest: Doubles,
    to_second: Doubles,
    eager: bool,
    position: int,
    quiet: int,
) -> tuple[int, int, int, float]:
    """Up to n candidates tried as medoids; the next position, how many since a swap, swaps, the loss."""

def build_medoids(distances: Doubles, weights: Doubles | None, medoids: Counts) -> None:
    """PAM's greedy start: always the row that brings all rows most nearer to a medoid."""

class DensityTree:
    """A k-d tree of rows that knows the weight and the box of each of its parts."""

    def __init__(self, x: Doubles, weights: Doubles | None) -> None: ...
    def log_densities(self, kernel: str, queries: Doubles, skip: Counts | None, rtol: float, out: Doubles) -> None: ...

def turn_to_cosines(values: Doubles, phase: Doubles, scale: float) -> None:
    """values[i, c] = scale · cos(values[i, c] + phase[c])."""

def add_label_sums(gram: Doubles, labels: Codes, weights: Doubles, sums: Doubles) -> None:
    """sums[i, labels[j]] += weights[j] · gram[i, j]."""

class Kernel:
    """A kernel: which, and its parameters."""

    def __init__(
        self,
        *,
        kind: str,
        gamma: float,
        constant: float,
        degree: int,
        numbers: int,
        codes: int,
        gapped_numbers: int,
        gapped_codes: int,
    ) -> None: ...

def kernel_values(kernel: Kernel, x: Doubles, queries: Doubles, out: Doubles) -> None:
    """out[q, i] = k(query q, row i of x)."""

def add_kernel_sums(kernel: Kernel, x: Doubles, queries: Doubles, weights: Doubles, sums: Doubles) -> None:
    """sums[i, m] += Σ_q weights[q, m] k(query q, row i of x)."""

def kernel_values_csr(
    kernel: Kernel,
    data: Doubles,
    indices: Codes,
    indptr: Offsets,
    query_data: Doubles,
    query_indices: Codes,
    query_indptr: NDArray[Any],
    n_columns: int,
    out: Doubles,
) -> None:
    """The same of sparse rows."""

def solve_machines(
    kernel: Kernel,
    x: Doubles,
    starts: Counts,
    ids: Counts,
    target: Doubles,
    low: Doubles,
    high: Doubles,
    epsilon: float,
    tolerance: float,
    working: int,
    rounds: int,
    most_objective: float,
    shrinking: bool,
    beta: Doubles,
    values: Doubles,
    ends: Doubles,
) -> None:
    """Minimise ½ βᵀKβ − targetᵀβ + epsilon |β| within the bounds, Σβ staying as it is, for each problem.

    Updates beta; writes Kβ into values, and per problem into ends:
    offset, violation, objective, gap, rounds, steps, kernel values,
    and how it ended (0 converged, 1 not, 2 without bound)."""

def solve_machines_csr(
    kernel: Kernel,
    data: Doubles,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    starts: Counts,
    ids: Counts,
    target: Doubles,
    low: Doubles,
    high: Doubles,
    epsilon: float,
    tolerance: float,
    working: int,
    rounds: int,
    most_objective: float,
    shrinking: bool,
    beta: Doubles,
    values: Doubles,
    ends: Doubles,
) -> None:
    """The same on sparse rows."""

def solve_machines_gram(
    gram: Doubles,
    starts: Counts,
    ids: Counts,
    target: Doubles,
    low: Doubles,
    high: Doubles,
    epsilon: float,
    tolerance: float,
    working: int,
    rounds: int,
    most_objective: float,
    shrinking: bool,
    beta: Doubles,
    values: Doubles,
    ends: Doubles,
) -> None:
    """The same on a Gram matrix."""

class Episodes:
    """How a process is learnt from episodes."""

    def __init__(
        self,
        *,
        update: str,
        episodes: int,
        most_moves: int,
        rate: float,
        rate_power: float,
        softmax: bool,
        first: float,
        last: float,
        start: int,
    ) -> None: ...

def sweep_states(
    first_choice: Counts,
    first_move: Counts,
    next: Codes,
    chance: Doubles,
    reward: Doubles,
    discount: float,
    policy: Counts | None,
    before: Doubles,
    after: Doubles,
) -> tuple[Any, ...]:
    """after = the largest worth of a choice in each state, or that of the policy's.

    Gives the least and the largest change."""

def choice_worths(
    first_choice: Counts,
    first_move: Counts,
    next: Codes,
    chance: Doubles,
    reward: Doubles,
    discount: float,
    values: Doubles,
    out: Doubles,
) -> None:
    """out = what each choice is worth if states are worth `values`."""

def learn_from_episodes(
    first_choice: Counts,
    first_move: Counts,
    next: Codes,
    chance: Doubles,
    reward: Doubles,
    discount: float,
    how: Episodes,
    seed: int,
    worth: Doubles,
    visits: Counts,
    returns: Doubles,
    moves: Counts,
) -> None:
    """Lives × choices: learn the worth of choices from episodes, each life with draws of its own."""

class DriftOptions:
    """How change in a stream is found."""

    def __init__(
        self,
        *,
        method: str,
        least: float,
        warning: float,
        drift: float,
        delta: float,
        fading: float,
        up: bool,
        down: bool,
        clock: int,
        buckets: int,
        window: int,
    ) -> None: ...

def drift_state_size(options: DriftOptions) -> int:
    """How many numbers a detector remembers."""

def start_drift(options: DriftOptions, state: Doubles) -> None:
    """state = that of a detector that has seen nothing."""

def find_drift(options: DriftOptions, values: Doubles, state: Doubles, out: Bytes) -> None:
    """out = 0, 1 for a warning, 2 for a drift, at each value; the state goes on."""

def grow_isolation_trees(
    x: Doubles,
    categories: Codes,
    samples: Codes,
    weights: Doubles | None,
    most_depth: int,
    seed: int,
    column: Codes,
    threshold: Doubles,
    left: Codes,
    missing: Bytes,
    rest: Doubles,
    used: Counts,
) -> None:
    """An isolation tree of each sample of rows; `used` says how many nodes it has."""

def average_path(n: float) -> float:
    """c(n): the average path of isolation trees of n rows."""

def mix_row_keys(x: Reals, keys: NDArray[np.uint64]) -> None:
    """keys = a hash of keys and of the cells of each row."""

def add_isolation_paths(
    x: Reals,
    starts: Counts,
    column: Codes,
    threshold: Doubles,
    left: Codes,
    missing: Bytes,
    rest: Doubles,
    categories: Codes,
    seed: int,
    paths: Doubles,
) -> None:
    """paths[i] += the length of the path of row i in each tree."""

def add_isolation_credits(
    x: Reals,
    starts: Counts,
    column: Codes,
    threshold: Doubles,
    left: Codes,
    missing: Bytes,
    rest: Doubles,
    categories: Codes,
    seed: int,
    credits: Doubles,
) -> None:
    """credits[i, j] += by how much the tests of column j shorten the paths of row i."""

def count_tables(
    codes: NDArray[np.uint16] | NDArray[np.uint32] | Bytes,
    cells: Codes,
    weights: Doubles | None,
    members: Codes,
    member_starts: Counts,
    candidates: Codes,
    candidate_starts: Counts,
    counts: Doubles | Counts,
) -> None:
    """Add rows to the tables of groups of columns, one for each candidate, laid one after the other."""

def count_hashed(
    codes: NDArray[np.uint16] | NDArray[np.uint32] | Bytes,
    cells: Codes,
    weights: Doubles | None,
    members: Codes,
    member_starts: Counts,
) -> list[Any]:
    """Of each family of columns the combinations that occur, as rising numbers, and their weights."""

def score_tables(
    counts: Doubles | Counts,
    cells: Codes,
    states: Codes,
    shares: Doubles,
    members: Codes,
    member_starts: Counts,
    candidates: Codes,
    candidate_starts: Counts,
    score: str,
    sample_size: float,
    weight: float,
    scores: Doubles,
    turned: Doubles | None,
) -> None:
    """Score each table: the last member given the others and the candidate; turned, the candidate given those."""

def score_hashed(
    keys: NDArray[np.uint64],
    counts: Doubles,
    states: int,
    configurations: float,
    states_scored: float,
    score: str,
    sample_size: float,
    weight: float,
) -> float:
    """Score the last column of a family given the others, from count_hashed."""

def add_log_joint(
    codes: Codes, states: Codes, members: Codes, member_starts: Counts, tables: Doubles, out: Doubles
) -> None:
    """Add to out, classes × rows, what the tables of families say of rows; families with a missing cell add nothing."""

class MachineSettings:
    """The loss of a linear machine, and when its solver ends."""

    def __init__(
        self, *, classes: bool, squared: bool, epsilon: float, tolerance: float, rounds: int, seed: int, intercept: bool
    ) -> None: ...

def solve_linear_duals(
    x: Doubles,
    values: Doubles | None,
    codes: Codes | None,
    cost: Doubles,
    settings: MachineSettings,
    units: Codes,
    beta: Doubles,
    coef: Doubles,
    ends: Doubles,
) -> None:
    """Minimise ½|w|² + Σ cost · loss for each unit, by its dual.

    A unit tells its class from all others, or fits the values.
    Updates beta (units × rows); writes coef (units × columns), and per unit into ends:
    intercept (read as the first guess), objective, gap, violation, rounds, converged."""

def solve_linear_duals_csr(
    data: Reals,
    indices: Codes,
    indptr: Offsets,
    n_columns: int,
    values: Doubles | None,
    codes: Codes | None,
    cost: Doubles,
    settings: MachineSettings,
    units: Codes,
    beta: Doubles,
    coef: Doubles,
    ends: Doubles,
) -> None:
    """The same on sparse rows."""

def solve_linear_l1(
    columns: Doubles, codes: Codes, cost: Doubles, settings: MachineSettings, units: Codes, coef: Doubles, ends: Doubles
) -> None:
    """Minimise |w|₁ + Σ cost · squared hinge loss for each unit; the matrix is given by columns."""

def solve_linear_l1_csc(
    data: Doubles,
    indices: Codes,
    indptr: Offsets,
    n_rows: int,
    codes: Codes,
    cost: Doubles,
    settings: MachineSettings,
    units: Codes,
    coef: Doubles,
    ends: Doubles,
) -> None:
    """The same on sparse columns."""

def hmm_evidence(
    x: Doubles,
    y: Doubles,
    codes: Codes,
    states: int,
    mean: Doubles,
    variance: Doubles,
    rate: Doubles,
    levels: Counts,
    tables: Doubles,
    add: bool,
    out: Doubles,
    top: Doubles | None,
) -> None:
    """Log-likelihoods of rows by state, in columns filled up to a multiple of 8; with top: exp(l − top)."""

def hmm_scale(logs: Doubles, b: Doubles, top: Doubles) -> None:
    """exp(l − top) of each row."""

def hmm_walk(
    b: Doubles,
    offsets: Counts,
    weights: Doubles | None,
    start: Doubles,
    transition: Doubles,
    top: Doubles,
    logs: Doubles | None,
    alpha: Doubles,
    beta: Doubles | None,
    scale: Doubles,
    log_likelihood: Doubles,
    impossible: Counts,
    pairs: Doubles | None,
) -> bool:
    """Forward and, with beta, backward along every sequence; False: numbers were lost, call again with l."""

def hmm_sums(
    x: Doubles,
    y: Doubles,
    codes: Codes,
    mean: Doubles,
    variance: Doubles,
    rate: Doubles,
    levels: Counts,
    tables: Doubles,
    b: Doubles,
    offsets: Counts,
    weights: Doubles | None,
    start: Doubles,
    transition: Doubles,
    alpha: Doubles,
    beta: Doubles,
    scale: Doubles,
    posterior: Doubles | None,
    moments: Doubles | None,
    counts: Doubles | None,
    sums: Doubles | None,
    pairs: Doubles | None,
    starts: Doubles | None,
) -> None:
    """The posterior of each row; and what a step of learning needs, added to moments, counts, sums, pairs, starts."""

def hmm_paths(
    logs: Doubles, offsets: Counts, start: Doubles, transition: Doubles, path: Codes, log_probability: Doubles
) -> None:
    """The most probable path of each sequence, by Viterbi's algorithm; l is overwritten."""

def combine_factor(states: Codes, scope: Codes, values: Doubles, variables: Codes, logs: bool, out: Doubles) -> None:
    """Multiply out, a table of variables, by a factor of some of them; of logarithms, add it."""

def reduce_factor(states: Codes, variables: Codes, values: Doubles, kept: Codes, how: int, out: Doubles) -> None:
    """Write sums (how = 0), maxima (1) or logs of sums of exponentials (2) over all variables but the kept."""

def elimination_order(states: Codes, start: Counts, scopes: Codes, tries: int) -> tuple[list[int], int, float, float]:
    """The order with the smallest tables of those tried, its width, entries of the largest and of all."""

class JunctionTree:
    """Cliques of a product of factors, and messages between them."""

    def __init__(self, states: Codes, start: Counts, scopes: Codes, order: Codes) -> None: ...
    @property
    def entries(self) -> int: ...
    def cliques(self) -> list[tuple[list[int], int]]:
        """The variables of each clique and the number of its parent, which stands before it; −1 for roots."""

    def holds(self, variables: Codes) -> bool:
        """Whether a clique holds all of these."""

    def set_factors(self, values: Doubles) -> None:
        """Take the entries of all factors, one after the other."""

    def posteriors(
        self,
        evidence: Codes,
        likelihood: Doubles | None,
        start: Counts,
        targets: Codes,
        out: Doubles,
        log_evidence: Doubles,
    ) -> None:
        """Write the distribution of each target given each row (−1 = not seen), NaN where it is impossible."""

    def most_probable(self, evidence: Codes, likelihood: Doubles | None, out: Codes, log_product: Doubles) -> None:
        """Write the most probable states of all variables together given each row, −1 where it is impossible."""

    def expected_counts(self, evidence: Codes, weights: Doubles | None, counts: Doubles, log_evidence: Doubles) -> None:
        """Add to counts the expected weight of each entry of each factor given the rows."""

class Reconstruction:
    """Which cells a net gives back, and how it learns to."""

    def __init__(
        self, *, numbers: int, pairs: int, groups: Sequence[int], code: int, tied: bool, noise: str, level: float
    ) -> None: ...

def train_autoencoder(
    shape: NetShape,
    of: Reconstruction,
    x: Reals,
    center: Doubles,
    scale: Doubles,
    clip: float,
    order: Counts,
    weights: Doubles | None,
    steps: NetSteps,
    rates: Doubles,
    parameters: Reals,
    speed: Reals,
    square: Reals,
) -> float:
    """Steps over the rows in `order`, which shall be given back; Σ w L, each L before its step."""

def add_autoencoder_gradient(
    shape: NetShape,
    of: Reconstruction,
    x: Reals,
    center: Doubles,
    scale: Doubles,
    clip: float,
    weights: Doubles | None,
    parameters: Reals,
    gradient: Reals,
) -> float:
    """Σ w L over all rows; its gradient is added. Of tied weights L is that of the mean of both copies."""

class NetShape:
    """Sizes, hidden units and loss of a feed-forward net."""

    def __init__(
        self,
        *,
        dense: int,
        categories: Sequence[int],
        dims: Sequence[int],
        units: Sequence[int],
        activation: str,
        loss: str,
        width: float,
        normalised: bool,
        smoothing: float,
    ) -> None: ...

class NetSteps:
    """How a net takes its steps."""

    def __init__(
        self,
        *,
        optimizer: str,
        alpha: float,
        momentum: float,
        beta1: float,
        beta2: float,
        epsilon: float,
        dropout: float,
        batch_size: int,
        seed: int,
        first_step: int,
    ) -> None: ...

def net_layout(
    shape: NetShape,
) -> tuple[int, int, list[tuple[int, int, int]], list[tuple[int, int, int]], list[tuple[int, int]]]:
    """Size; first embedded input; (offset, rows, columns) of layers and embeddings; (offset, width) of γ."""

def train_net(
    shape: NetShape,
    x: Reals,
    stored: tuple[NDArray[np.float32], Codes, NDArray[Any]] | tuple[Doubles, Codes, NDArray[Any]] | None,
    center: Doubles,
    scale: Doubles,
    clip: float,
    codes: Codes,
    order: Counts,
    targets: Doubles,
    weights: Doubles | None,
    steps: NetSteps,
    rates: Doubles,
    parameters: Reals,
    speed: Reals,
    square: Reals,
    given_loss: Any = None,
) -> float:
    """Steps over the rows in `order`; Σ w L, each L before its step. Parameters and their memory are updated."""

def add_net_gradient(
    shape: NetShape,
    x: Reals,
    stored: tuple[NDArray[np.float32], Codes, NDArray[Any]] | tuple[Doubles, Codes, NDArray[Any]] | None,
    center: Doubles,
    scale: Doubles,
    clip: float,
    codes: Codes,
    targets: Doubles,
    weights: Doubles | None,
    parameters: Reals,
    gradient: Reals,
    given_loss: Any = None,
) -> float:
    """Σ w L over all rows; its gradient by the parameters is added to `gradient`."""

def score_net(
    shape: NetShape,
    x: Reals,
    stored: tuple[NDArray[np.float32], Codes, NDArray[Any]] | tuple[Doubles, Codes, NDArray[Any]] | None,
    center: Doubles,
    scale: Doubles,
    clip: float,
    codes: Codes,
    parameters: Reals,
    scores: Doubles,
) -> bool:
    """The scores of every row; whether a cell is infinite."""

class FactorOptions:
    """How a row of factors is solved."""

    def __init__(self, *, solver: str, steps: int) -> None: ...

def solve_factor_rows(
    offsets: Counts,
    indices: Codes,
    values: Reals,
    weights: Reals | None,
    others: Reals,
    other_bias: Reals | None,
    gram: Reals | None,
    sums: Doubles | None,
    pull: Doubles | None,
    square: float,
    penalty: Doubles,
    options: FactorOptions,
    factors: Reals,
    bias: Reals | None,
    left: Doubles,
) -> None:
    """Half a sweep of alternating least squares: every row anew, the other side being fixed."""

def sum_side(factors: Reals, bias: Reals | None, out: Doubles) -> None:
    """out += the upper triangle of Σ (y, 1, o)(y, 1, o)ᵀ over the rows of a side, o being their biases."""

def descend_entries(
    cells: Counts,
    parts: int,
    users: Codes,
    items: Codes,
    values: Reals,
    weights: Reals | None,
    penalty_users: Reals,
    penalty_items: Reals,
    rate: float,
    x: Reals,
    y: Reals,
    b: Reals | None,
    c: Reals | None,
) -> None:
    """One epoch of gradient descent. User u and item i stand in cell (u mod parts, i mod parts)."""

def rate_pairs(users: Codes, items: Codes, x: Reals, b: Reals | None, y: Reals, c: Reals | None, out: Doubles) -> None:
    """out = b_u + c_i + x_u·y_i of pairs; −1 is unknown, its parts are 0."""
