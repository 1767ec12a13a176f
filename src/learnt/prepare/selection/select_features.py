"""Columns chosen by what they tell about the target."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.table import Array, Table
from learnt.engine.training import Needs
from learnt.engine.whole import InMemory, WholeTable
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.learner.base import Classifier, Regressor, Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, OneOf, Real, Seed, Whole, seed_from
from learnt.learner.text.counting import TextUse
from learnt.prepare.selection.column_scores import OF_ANY, SCORES, TESTED, score_columns
from learnt.prepare.selection.ranking import RankedColumn, Ranking
from learnt.prepare.selection.wrapper import Path, TryColumns
from learnt.show.numbers import number

WRAPPERS = ("forward", "backward")
USUAL_K = 10


class _Predictor(Domain):
    words = "None, or a classifier or regressor of learnt"

    def __contains__(self, value: object) -> bool:
        return value is None or isinstance(value, Classifier | Regressor)


class _Splits(Domain):
    words = "a list of pairs (rows to learn from, rows to ask about)"

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, list | tuple):
            return False
        pairs = [pair for pair in value if isinstance(pair, tuple) and len(pair) == 2]
        kinds = {np.asarray(rows).dtype.kind for pair in pairs for rows in pair}
        return len(pairs) == len(value) > 0 and kinds <= {"i", "u"}


SORTS_COLUMNS = InMemory("sorts each column")


class SelectFeatures(Transformer):
    """Keep the columns that tell most about the target: by a score of each, or by what helps a learner.

        information gain = H(y) − H(y | x)        chi² = Σ (observed − expected)² / expected

    >>> weather = {"outlook": ["sun", "sun", "rain", "rain"], "wind": [True, False, True, False]}
    >>> chosen = SelectFeatures(k=1).fit(weather, ["no", "no", "yes", "yes"])
    >>> print(chosen)
    column   kept  information gain
    outlook  ✓                    1  1 − 0 bits, 2 categories
    wind                          0  1 − 1 bits, 2 categories
    >>> chosen.transform(weather).names
    ('outlook',)

    | `criterion` | of a column | p-value |
    |---|---|---|
    | "information_gain" | bits it tells about the class; numbers are cut where the class changes | |
    | "gain_ratio" | the same, divided by the bits of the column itself | |
    | "chi2" | Pearson's statistic with the class; numbers in up to ten intervals of equal frequency | χ² |
    | "mutual_information" | bits it shares with the target; numbers of both in such intervals | G-test |
    | "correlation" | Pearson's r as a size; correlation ratio, Cramér's V where one or both are categories | F or χ² |
    | "forward", "backward" | score of `learner` by cross-validation, adding or leaving out a column at a time | |

    {settings}

    Give one of `k`, `share` and `alpha`. With none, 10 columns are kept, or with "forward" and "backward" as many as
    make the score better. Rows without a cell count for nothing; the bits of those that are there count by their share.
    A numeric target is a number for "mutual_information" and "correlation", and a class for the others.

    Attributes: `scores_`, `p_values_` and `support_`, whether it is kept, of each column; `selected_`, the names kept.
    `ranking()` lists the columns, prints, plots and explains.

    A score looks at one column at a time: of two that say the same both are kept, and of two that tell something only
    together, none. The search by a learner sees both.

    Reference: I. Guyon, A. Elisseeff, An introduction to variable and feature selection, 2003.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse"})
    whole = SORTS_COLUMNS
    takes_text: ClassVar[TextUse] = "left out"  # texts that all differ would tell all about any target

    criterion: str = setting(OneOf(*SCORES, *WRAPPERS), "see above", default="information_gain", kw_only=False)
    k: int | None = setting(OneOf(None) | Whole(1), "how many columns are kept", default=None)
    share: float | None = setting(
        OneOf(None) | Real(above=0, high=1), "the share of columns kept, at least one", default=None
    )
    alpha: float | None = setting(
        OneOf(None) | Real(above=0, below=1),
        "columns of a p-value up to this are kept, for scores that have one",
        default=None,
    )
    learner: Any = setting(
        _Predictor(), 'for "forward" and "backward": whose accuracy, or R², is to be best', default=None
    )
    cv: Any = setting(
        Whole(2) | _Splits(),
        "the folds of these, each with its share of every class; or a list of (train, test) row numbers",
        default=5,
    )
    random_state: Any = setting(Seed(), "seed of the folds", default=0)

    scores_: Array = attribute()
    p_values_: Array = attribute()
    support_: Array = attribute()
    _words: list[str] = attribute()
    _order: list[int] = attribute()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        given = [name for name in ("k", "share", "alpha") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ParameterError(f"SelectFeatures: {' and '.join(given)} are given. Expected one of them.")
        if self.alpha is not None and self.criterion not in TESTED:
            raise ParameterError(
                f"SelectFeatures: alpha={self.alpha} needs a p-value, which criterion={self.criterion!r} has not. "
                f"Expected one of {', '.join(TESTED)}."
            )
        if (self.criterion in WRAPPERS) != (self.learner is not None):
            raise ParameterError(
                f"SelectFeatures: criterion={self.criterion!r} came with learner={self.learner!r}. 'forward' and "
                "'backward' need a learner to try, the others have no use for one."
            )

    # Fitting

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """Classes or numbers: as the learner says, or the score, or what the target is."""
        if self.learner is not None:
            inner: Needs = self.learner.needs
            return inner
        return self.__dict__.get("_kind", "numbers") if self.criterion in OF_ANY else "classes"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Score the columns of `X` by what they tell about `y`, an array or the name of a column; keep the best."""
        self._check_parameters()
        SORTS_COLUMNS.check(X, "SelectFeatures")
        table = X if isinstance(X, Table) else Table(X)
        asked = copy(self)
        if self.criterion in OF_ANY:
            asked._kind = _kind_of_target(table, y)  # type: ignore[attr-defined]
        super(SelectFeatures, asked).fit(table, y, sample_weight)
        return self._become(asked)

    def _learn(self, rows: WholeTable) -> None:
        p, classes = len(self._schema), getattr(self, "classes_", None)
        wanted = self._wanted_columns(p)
        if self.criterion in WRAPPERS:
            seed = seed_from(self.random_state)
            tried = TryColumns(self.learner, classes, self.criterion == "forward", wanted, self.cv, seed)
            self._keep_path(tried.walk(rows.batch), p)
            return
        scores = score_columns(rows.batch, self.criterion, 0 if classes is None else len(classes))
        self.scores_ = np.array([s.value for s in scores])
        tested = self.criterion in TESTED
        self.p_values_ = np.array([s.p_value if tested else np.nan for s in scores])
        self._words = [s.words for s in scores]
        self._order = np.argsort(-self.scores_, kind="stable").tolist()
        self.support_ = np.zeros(p, bool)
        if self.alpha is None:
            self.support_[self._order[: USUAL_K if wanted is None else wanted]] = True
            return
        self.support_ = self.p_values_ <= self.alpha
        if not self.support_.any():
            best = int(np.argmin(self.p_values_))
            raise InputError(
                f"SelectFeatures: no column has a p-value up to alpha={self.alpha}; the smallest is "
                f"{number(self.p_values_[best])}, of {self._schema.names[best]!r}. Raise alpha, or give k."
            )

    def _wanted_columns(self, p: int) -> int | None:
        if self.share is not None:
            return max(1, round(self.share * p))
        return None if self.k is None else min(self.k, p)

    def _keep_path(self, path: Path, p: int) -> None:
        self.scores_, self.p_values_ = path.tried.copy(), np.full(p, np.nan)
        self._words = [""] * p
        verb = "added" if self.criterion == "forward" else "left out"
        for place, (j, reached) in enumerate(zip(path.order, path.reached, strict=True), start=1):
            self.scores_[j] = reached
            before = path.start if place == 1 else path.reached[place - 2]
            self._words[j] = f"{verb} as number {place}: {number(before)} to {number(reached)}"
        others = sorted(set(range(p)) - set(path.order), key=lambda j: (-np.nan_to_num(self.scores_[j], nan=-1e9), j))
        # Leaving out: what stayed comes first; the sooner a column went, the less it was missed.
        self._order = [*path.order, *others] if self.criterion == "forward" else [*others[::-1], *path.order[::-1]]
        self.support_ = np.isin(np.arange(p), path.kept)

    # What was found

    @property
    def selected_(self) -> list[str]:
        """The names of the columns kept, in the order of the table."""
        return [name for name, kept in zip(self._fitted_schema().names, self.support_, strict=True) if kept]

    def get_support(self, indices: bool = False) -> Array:
        """Which columns are kept, as booleans or as places."""
        self._fitted_schema()
        return np.flatnonzero(self.support_) if indices else self.support_

    def ranking(self) -> Ranking:
        """The columns, best first, with their scores in words: prints, plots, explains."""
        names = self._fitted_schema().names
        title = self.criterion.replace("_", " ").replace("chi2", "chi²")
        if self.criterion in WRAPPERS:
            title = "accuracy" if self.learner.task == "classification" else "R²"
        rows = (
            RankedColumn(
                names[j], float(self.scores_[j]), float(self.p_values_[j]), bool(self.support_[j]), self._words[j]
            )
            for j in self._order
        )
        return Ranking(title, tuple(rows))

    def __str__(self) -> str:
        return str(self.ranking()) if "_schema" in self.__dict__ else repr(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the scores, kept columns in colour; returns the matplotlib axes."""
        return self.ranking().plot(ax)

    # Transforming

    def _transform(self, table: Table) -> Table:
        if table.matrix is not None:
            return Table.of_matrix(table.matrix[:, self.support_], self.selected_, named=self._schema.named)
        return table.select(self.selected_)

    def _passed_columns(self, given: Table, made: Table) -> list[str]:
        return list(made.names) if given.schema.named else []

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns kept."""
        names: Array = super().get_feature_names_out(input_features)[self.support_]
        return names

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        p = len(self._schema)
        if any(a.shape != (p,) for a in (self.scores_, self.p_values_, self.support_)) or len(self._words) != p:
            raise SavedModelError("There is not one score per column.")
        if self.support_.dtype != np.bool_ or sorted(self._order) != list(range(p)):
            raise SavedModelError("The order of the columns is none.")


def _kind_of_target(table: Table, y: Any) -> Needs:
    y = table.target if y is None else y
    if isinstance(y, str):
        kind = table.kinds.get(y, "numeric")
    else:
        known = y is not None and len(getattr(y, "shape", (0,))) == 1
        kind = to_vector(y, "y").kind if known else "numeric"
    return "numbers" if kind == "numeric" else "classes"
