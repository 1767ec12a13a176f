"""Random projections: fewer columns that keep distances, without looking at the rows."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.engine.encoded_rows import ENCODED_ROWS, dense
from learnt.engine.first_look import standardizes
from learnt.engine.passes import Pass
from learnt.engine.sizes import sums_beyond
from learnt.engine.survey import Survey, TakeSurvey
from learnt.engine.training import Training
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.explain import Explanations
from learnt.lazy import cached_property
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.output import MOST_NAMES, check_name_count
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.reduce.projection import explained_sums
from learnt.reduce.random_directions import coins, scattered_coins
from learnt.show.words import spell

#: Directions of so many cells are kept once drawn; larger ones are drawn again, a few columns at a time.
KEPT_CELLS = 1 << 23


def johnson_lindenstrauss_size(n_samples: int, eps: float = 0.1) -> int:
    """How many random directions keep all squared distances among so many rows within 1 ± eps, with high probability.

        k ≥ 4 ln n / (eps²/2 − eps³/3)

    >>> johnson_lindenstrauss_size(1000, 0.2)
    1594

    The number of columns does not matter: where they are fewer anyway, there is nothing to be gained.

    Reference: S. Dasgupta, A. Gupta, An elementary proof of a theorem of Johnson and Lindenstrauss, 2003.
    """
    if n_samples not in Whole(1):
        raise ParameterError(f"n_samples is {n_samples!r}. Expected a number of rows, at least 1.")
    if eps not in Real(above=0, below=1):
        raise ParameterError(f"eps is {spell(eps)}. Expected a number between 0 and 1.")
    spread = eps**2 / 2 - eps**3 / 3
    wanted = 4 * math.log(n_samples) / spread if spread > 0 else math.inf
    if wanted >= 2**62:
        raise ParameterError(f"eps is {spell(eps)}, for which no number of directions suffices. Give a larger one.")
    return max(1, int(wanted))


class RandomProjection(Transformer):
    """Turn many columns into fewer random mixtures of them, which keep the distances between rows nearly as they are.

        score = Rᵀ x,      entries of R ±1/√k, each sign by chance ("dense"), or all but a few of a row 0 ("sparse")

    >>> rng = np.random.default_rng(0)
    >>> rows = rng.normal(size=(100, 20_000))
    >>> few = RandomProjection(eps=0.3, random_state=0).fit_transform(rows)
    >>> few.shape
    (100, 511)
    >>> bool(abs(np.linalg.norm(few[0] - few[1]) / np.linalg.norm(rows[0] - rows[1]) - 1) < 0.15)
    True

    Numbers enter as they are; ordered categories by rank, other categories as one indicator each; missing cells as the
    mean or the most frequent category.

    {settings}

    Attributes: `n_components_`; `components_`, k × columns of `get_design_names()`, drawn anew from the seed.

    Reference: D. Achlioptas, Database-friendly random projections, 2003; D. M. Kane, J. Nelson, Sparser
    Johnson–Lindenstrauss transforms, 2014.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})
    fit_cost = 1.0
    takes_text = "left out"
    simplicity = 30.0

    n_components: Any = setting(
        OneOf("auto") | Whole(1),
        "k: `johnson_lindenstrauss_size` of the rows and `eps`; where the columns are no more than that, "
        "they pass as they are",
        default="auto",
        kw_only=False,
    )
    eps: float = setting(Real(above=0, below=1), "by how much squared distances may differ", default=0.1)
    kind: str = setting(
        OneOf("dense", "sparse"),
        'k/√p of the k directions ask a column, at least 16: sparse rows stay sparse; "dense": all',
        default="sparse",
    )
    standardize: Any = setting(
        OneOf("auto") | Flag(),
        "divide numbers by their standard deviation: True, False, or if there are categories",
        default="auto",
    )
    random_state: Any = setting(Seed(), "seed of the directions", default=0)

    n_components_: int = attribute()
    _design: Design = attribute()
    _seed: int = attribute()
    _passes: bool = attribute()  # whether columns pass as they are

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        survey: Survey = yield TakeSurvey()
        scaled = standardizes(self.standardize, training.schema)
        with np.errstate(over="ignore"):
            self._design = Design.of(survey, drop_reference=False, standardize=scaled)
        self._seed = seed_from(self.random_state)
        self._passes = False
        if self.n_components == "auto":
            rows = max(survey.rows_with_weight, int(survey.row_weight))
            size = johnson_lindenstrauss_size(max(rows, 1), self.eps)
            self._passes = size >= self._design.n_columns
            self.n_components_ = self._design.n_columns if self._passes else size
        else:
            self.n_components_ = int(self.n_components)

    # The directions

    @cached_property
    def _directions(self) -> Any:
        """Columns of the design × directions: an array, or CSR; None if they are drawn a few at a time."""
        p, k = self._design.n_columns, self.n_components_
        if self.kind == "sparse":
            return scattered_coins(self._seed, p, k)
        return coins(self._seed, 0, p, k) if p * k <= KEPT_CELLS else None

    @property
    def components_(self) -> Any:
        """The directions, k × columns of the design, dense or sparse as `kind` says."""
        self._fitted_schema()
        if self._passes:
            return np.eye(self.n_components_)
        found = self._directions
        found = coins(self._seed, 0, self._design.n_columns, self.n_components_) if found is None else found
        return found.T if isinstance(found, np.ndarray) else found.T.tocsr()

    # Transforming

    def _transform(self, table: Table) -> Table:
        names = [str(name) for name in self.get_feature_names_out()]
        named = self._schema.named or not self._schema.all_numeric
        if table.n_rows > 0 and (table.sparse is not None or self._design.sparse):
            return Table.of_matrix(self._mixed_sparse(self._design.encode(table)), names, named=named)
        out = np.empty((table.n_rows, self.n_components_))
        with one_blas_thread():
            for start in range(0, table.n_rows, ENCODED_ROWS):
                part = out[start : start + ENCODED_ROWS]
                x = self._design.encode(table.rows(start, start + ENCODED_ROWS))
                self._mix(x, part)
                lost = ~np.isfinite(part).all(axis=1)
                if lost.any() and not self._passes:
                    part[lost] = sums_beyond(x[lost], dense(self.components_).T)
        return Table.of_matrix(out, names, named=named)

    def _mix(self, x: Array, out: Array) -> None:
        if self._passes:
            out[:] = x
            return
        p, k = x.shape[1], self.n_components_
        if self._directions is None:
            self._mix_blocks(x, out)
        elif isinstance(self._directions, np.ndarray) or p * k <= KEPT_CELLS:
            r = self._directions
            _core.project_rows(x, np.zeros(p), r if isinstance(r, np.ndarray) else r.toarray(), out)
        else:
            out[:] = (self._directions.T @ x.T).T

    def _mix_blocks(self, x: Any, out: Array) -> None:
        """Directions drawn for some columns at a time: never all of them at once."""
        step = max(1, KEPT_CELLS // self.n_components_)
        out[:] = 0.0
        for first in range(0, x.shape[1], step):
            last = min(first + step, x.shape[1])
            out += x[:, first:last] @ coins(self._seed, first, last, self.n_components_)

    def _mixed_sparse(self, x: Any) -> Any:
        if self._passes:
            return x.astype(np.float64)
        if self._directions is None:
            out = np.empty((x.shape[0], self.n_components_))
            self._mix_blocks(x.tocsc(), out)
            return out
        found = x @ self._directions
        return found if isinstance(found, np.ndarray) else found.tocsr()

    # Explaining

    def explain(self, X: Any, component: int = 0) -> Explanations:
        """What each column adds to the score of each row along one direction."""
        still = self._still()
        table = still._matched(X)
        names = still.get_feature_names_out()
        if not 0 <= component < len(names):
            raise InputError(f"There is no component {component}. There are {len(names)}, counted from 0.")
        row: Any = still.components_[component]
        weights = np.asarray(row if isinstance(row, np.ndarray) else row.todense()).ravel()
        return explained_sums(table, still._design, np.zeros(len(weights)), weights, str(names[component])).like(X)

    # Names and saving

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """projection0, projection1, …; the names of the columns where they pass as they are."""
        super().get_feature_names_out(input_features)
        if self._passes:
            return np.array(self._design.names, dtype=object)
        check_name_count(self.n_components_)
        return np.array([f"projection{c}" for c in range(self.n_components_)], dtype=object)

    def get_design_names(self) -> tuple[str, ...]:
        """Names of the columns that are mixed: `age`, `town=Bern`, …"""
        self._fitted_schema()
        return self._design.names

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self._design.schema != self._schema:
            raise SavedModelError("The design is not that of the columns.")
        if not 1 <= self.n_components_ <= MOST_NAMES or not 0 <= self._seed < 2**64:
            raise SavedModelError("The number of components, or the seed, is out of range.")
        if self._passes and self.n_components_ != self._design.n_columns:
            raise SavedModelError("The columns cannot pass: there are not as many components.")
