"""The one base of all learners: `predict`, `explain` and the rest, written once; `fit` stands in `learner.fitting`.

A learner writes hooks. One that needs a single pass writes

    summarize(batch) -> statistic          called on every batch; statistics are added
    solve(statistic)                       sets the attributes that end in an underscore

one that needs all rows in memory sets `whole = InMemory("why")` and writes

    _learn(rows)                           gets a WholeTable, sets the attributes; a scan is refused for it

and one that needs more passes writes `_plan(training)`, a generator that yields passes, receives their added
statistics, and sets the attributes itself. How rows become a matrix is found by `engine.first_look`. One that can go on
with more rows is `Continuing` and writes `_continue(training, earlier)`, a plan as well.

A predictor writes `_predict(table)` (a classifier `_probabilities(table)`) and `_explain(table)`. Tables given to these
hooks have been matched to the columns, order and category codes of the fitted table, and hold no infinite cells. What a
`cached_property` keeps is made again when it is needed: it is neither pickled nor saved.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import partial, reduce
from operator import add
from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.convert.numpy import is_loadable
from learnt.data.convert.out import join_tables, to_array
from learnt.data.files.scan import Scan
from learnt.data.notes import Note
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.survey import check_finite
from learnt.engine.training import Needs, prepare
from learnt.errors import InputError, SavedModelError, not_fitted
from learnt.explain import Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.fields import attribute
from learnt.learner.fitting import Fitting
from learnt.learner.matching import match_schema
from learnt.learner.output import FrameOutput, OutputChoice, framed_classes
from learnt.learner.partitions.methods import take_collections, taking_collections
from learnt.learner.partitions.scans import answers_of_scan
from learnt.learner.partitions.scores import Part, SquaredErrors, mean_of_part
from learnt.learner.registry import find, register
from learnt.learner.saved_settings import check_settings
from learnt.learner.tags import sklearn_tags
from learnt.learner.text.counting import TextUse, text_notes
from learnt.learner.text.text_columns import TextColumns

__all__ = ["Classifier", "Clusterer", "Learner", "Regressor", "Transformer"]

#: Public names that only the engine and comparisons use.
_INTERNAL = frozenset(
    {
        "domains",
        "finds_infinities",
        "fit_cost",
        "get_metadata_routing",
        "in_fitted_columns",
        "matrix_of",
        "needs",
        "poor_score",
        "readable",
        "rows_stand_alone",
        "search_space",
        "simplicity",
        "solve",
        "source_of",
        "squares_target",
        "summarize",
        "takes_groups",
        "takes_text",
        "whole",
    }
)


class Learner(Fitting):
    """What every learner can do. Defining a subclass registers it, unless it is `abstract` or its name private.

    `listed=False` keeps it out of `learners()`: it learns from something else than a table and one target.
    """

    task: ClassVar[str] = ""
    abilities: ClassVar[frozenset[str]] = frozenset()
    #: What a comparison wants to know beforehand: the time of a fit, in passes over the table (only the order
    #: matters); how simple a model is to understand, lower is simpler; whether `str` of a fitted one is to be read;
    #: and values of settings worth trying.
    fit_cost: ClassVar[float] = 10.0
    simplicity: ClassVar[float] = 50.0
    readable: ClassVar[bool] = False
    search_space: ClassVar[Mapping[str, Sequence[Any]]] = {}
    #: What scikit-learn's tag of this name says: that its checks must not expect good scores on their own tables, which
    #: are clouds of numbers. They then look at everything else.
    poor_score: ClassVar[bool] = False
    #: Whether each row is answered by itself, so that the partitions of a Dask collection can be.
    rows_stand_alone: ClassVar[bool] = True

    def __init_subclass__(cls, *, abstract: bool = False, listed: bool = True, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        take_collections(cls)
        if not abstract and not cls.__name__.startswith("_"):
            register(cls, cls.task, cls.abilities, listed=listed)

    def __dir__(self) -> list[str]:
        """What users call and read: methods, settings and what was learnt; not what learners are made of."""
        cls, hidden = type(self), set(_INTERNAL)
        if cls.explain is Learner.explain and cls._explain is Learner._explain:
            hidden.add("explain")
        fitted = self.__sklearn_is_fitted__()
        found = (name for name in object.__dir__(self) if not name.startswith("_") and name not in hidden)
        found = (name for name in found if fitted or not name.endswith("_"))
        return sorted(name for name in found if hasattr(cls, name) or name in self.__dict__)

    # Being fitted

    def __sklearn_is_fitted__(self) -> bool:
        return "_schema" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        return sklearn_tags(self)

    def _check_fitted_state(self) -> None:
        """Called after loading: raise if attributes are absent or contradict each other. Learners add their own.

        What a class annotates without giving it a value, it needs to predict.
        """
        check_settings(self)
        for cls in type(self).__mro__:
            learns = issubclass(cls, Fitting)
            if not learns and not cls.__module__.startswith("learnt."):
                continue
            for name, words in inspect.get_annotations(cls).items():
                # A class that is mixed in says by its private names only what its members may have.
                needed = (learns or name.endswith("_")) and not str(words).startswith("ClassVar")
                if needed and not hasattr(self, name):
                    raise SavedModelError(f"The attribute {name!r} of {type(self).__name__} is missing.")
        words = self.__dict__.get("_text_columns")
        if words is not None and (not isinstance(words, TextColumns) or words.schema != self._schema):
            raise SavedModelError("The words that are counted do not make the columns that were fitted.")
        names, state = self._given_schema().names, self.__dict__
        told = state.get("feature_names_in_", names)
        count = state.get("n_features_in_")
        if type(count) is not int or count != len(names) or list(told) != list(names):
            raise SavedModelError("The attribute 'n_features_in_' or 'feature_names_in_' does not fit the columns.")

    def _fitted_schema(self) -> Schema:
        if "_schema" not in self.__dict__:
            name = type(self).__name__
            raise not_fitted(f"This {name} instance is not fitted yet. Call 'fit' with data before using it.")
        return self._schema

    def _given_schema(self) -> Schema:
        self._fitted_schema()
        return super()._given_schema()

    def _matched(self, X: Any) -> Table:
        """`X` as a table in the fitted columns, ready for the hooks."""
        schema = self._given_schema()
        if type(X) is np.ndarray and X.ndim == 2 and X.dtype.char in "fd" and X.dtype.isnative and is_loadable(X):
            table = Table.of_matrix(X)
        else:
            table = X if isinstance(X, Table) else Table(X)
        if table.schema is not schema:
            table = match_schema(table, schema, type(self).__name__)
        if table.n_rows == 0:
            raise InputError(
                f"Found array with 0 sample(s) (shape={table.shape}) while a minimum of 1 is required "
                f"by {type(self).__name__}."
            )
        words = self.__dict__.get("_text_columns")
        if words is not None:
            table = words.spread(table)
        if not self.finds_infinities:
            check_finite(table)
        return table

    def _still(self) -> Self:
        """This learner as it is now: a fit in another thread swaps the attributes of `self`, not those of this one."""
        still = self.__class__.__new__(self.__class__)
        still.__dict__ = self.__dict__
        return still

    def _over(self, X: Any, hook: Any) -> Any:
        """`hook` on the matched table, or on every batch of a scan, joined."""
        if isinstance(X, Scan):
            return np.concatenate(answers_of_scan(X.with_schema(self._given_schema()), partial(self._answer_to, hook)))
        return self._answer_to(hook, X)

    def _answer_to(self, hook: Any, rows: Any) -> Any:
        return hook(self._matched(rows))

    def check(self, X: Any) -> tuple[Note, ...]:
        """What in `X` is not as it was when the learner was fitted: columns absent, extra or of another kind, labels
        it has not seen, which count as missing. Predicting says nothing of the last; ask here."""
        from learnt.learner.differences import differences

        return differences(X if isinstance(X, Table) else Table(X), self._given_schema())

    @property
    def notes_(self) -> tuple[Note, ...]:
        """What was done to columns of text: how many words are counted, or that they were left out."""
        self._fitted_schema()
        return text_notes(self.__dict__.get("_text_columns"), type(self).__name__)

    # Explaining

    @taking_collections
    def explain(self, X: Any) -> Explanations:
        """The arithmetic behind the prediction of each row, in the words of the user's columns."""
        still = self._still()
        still._fitted_schema()
        if type(self)._explain is Learner._explain:  # whatever the rows are
            raise self._unexplained()
        return still._explain(still._matched(X)).like(X)

    def _explain(self, table: Table) -> Explanations:
        raise self._unexplained()

    def _part_of_score(self, X: Any, y: Any, weights: Any) -> Part:
        """What a partition adds to `score`, which is a mean over rows unless a learner says otherwise."""
        return mean_of_part(self, X, y, weights)

    def _unexplained(self) -> InputError:
        return InputError(
            f"{type(self).__name__} prepares columns and predicts nothing that could be explained. Look at what "
            "`transform` gives, or explain the learner that predicts from it."
        )


class Classifier(Learner, OutputChoice, abstract=True):
    """Predicts a class. Members write `_probabilities`, rows × classes."""

    task = "classification"
    needs: ClassVar[Needs] = "classes"

    classes_: Array = attribute()

    def predict(self, X: Any) -> Array:
        """The most probable class of each row; of equal ones the first in `classes_`."""
        still = self._still()
        shares = np.asarray(still.predict_proba(X))
        # NumPy looks for the largest row by row: of two classes that takes longer than what many learners do.
        best = (shares[:, 1] > shares[:, 0]).astype(np.intp) if shares.shape[1] == 2 else shares.argmax(axis=1)
        labels: Array = still.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, columns in the order of `classes_`; an array, or after `set_output` a frame
        whose columns are named after the classes."""
        still = self._still()
        return framed_classes(still, still._over(X, still._probabilities), X)

    def predict_log_proba(self, X: Any) -> Any:
        """Natural logarithms of `predict_proba`; −inf where that is 0."""
        still = self._still()
        with np.errstate(divide="ignore"):
            return framed_classes(still, np.log(np.asarray(still.predict_proba(X))), X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy: the share of rows, by weight, whose class is predicted right."""
        test = prepare(X, y, sample_weight, "classes", type(self).__name__)
        assert test.classes is not None
        right = 0.0
        seen = 0.0
        for batch in test.batches():
            assert batch.target is not None
            hit = self.predict(batch.table) == test.classes[batch.target]
            right += float(np.sum(hit) if batch.weights is None else batch.weights[hit].sum())
            seen += float(batch.n_rows if batch.weights is None else batch.weights.sum())
        return right / seen

    def with_loss(self, loss: Any = None, **settings: Any) -> Any:
        """A classifier that answers with the least expected loss, by the probabilities of this one.

        `loss` is a dict of costs by (truth, answer), a matrix (rows truth, columns answer), or a file; `settings`
        are those of `MinimumRiskClassifier`. Fitted if this one is.
        """
        cls: Any = find("MinimumRiskClassifier")
        return cls.around(self, loss, **settings)

    def _probabilities(self, table: Table) -> Array:
        raise NotImplementedError

    def _class_parts(self, row: Table) -> ClassParts | None:
        """What each column of a table's only row adds for every class; None where that is not known."""
        return None


class Regressor(Learner, abstract=True):
    """Predicts a number. Members write `_predict`."""

    task = "regression"
    squares_target = True
    needs: ClassVar[Needs] = "numbers"

    def predict(self, X: Any) -> Array:
        """The number expected for each row."""
        still = self._still()
        values: Array = still._over(X, still._predict)
        return values

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R²: the share of the target's variance that the predictions account for; 1 at best.

        A target without variance scores 1 when met exactly and 0 otherwise; one row scores NaN.
        """
        return self._part_of_score(X, y, sample_weight).score()

    def _part_of_score(self, X: Any, y: Any, weights: Any) -> SquaredErrors:
        test = prepare(X, y, weights, "numbers", type(self).__name__)
        batches = (
            SquaredErrors.of(b.target, self.predict(b.table), b.weights) for b in test.batches() if b.target is not None
        )
        return reduce(add, batches)

    def _predict(self, table: Table) -> Array:
        raise NotImplementedError


class Clusterer(Learner, abstract=True):
    """Puts rows into groups. Members write `_predict`, the group's number."""

    task = "clustering"

    def predict(self, X: Any) -> Array:
        """The number of the group each row belongs to."""
        still = self._still()
        labels: Array = still._over(X, still._predict)
        return labels

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Fit, and the group of each row fitted."""
        self.fit(X, y, sample_weight)
        labels = getattr(self, "labels_", None)
        return self.predict(X) if labels is None else labels

    def _predict(self, table: Table) -> Array:
        raise NotImplementedError


class Transformer(Learner, FrameOutput, abstract=True):
    """Turns a table into another of the same rows. Members write `_transform`, a table with named columns.

    A frame gives a frame of its kind, a table of named columns a `Table`, whatever kinds it holds. An array of numbers
    without names gives an array: numbers as they are, categories as their codes, NaN where a cell is missing.
    """

    task = "transformation"
    takes_text: ClassVar[TextUse] = "labels"

    def transform(self, X: Any) -> Any:
        """The rows of `X`, transformed: a pandas, polars or Arrow frame for such a frame, with its index; a `Table` for
        a `Table` or a dict, an array for an array; or the frame chosen by `set_output`."""
        still = self._still()
        schema = still._given_schema()
        if isinstance(X, Scan):
            parts = answers_of_scan(X.with_schema(schema), partial(still._answer_to, still._transform))
            return still._in_container(join_tables(parts), X)
        matched = still._matched(X)
        table = still._transform(matched)
        return still._in_container(table, X, still._passed_columns(matched, table))

    def _in_container(self, table: Table, X: Any, passed: Sequence[str] = ()) -> Any:
        """A table in the container of `X`, or the one chosen; numbers of an array are an array."""
        plain = not self._schema.named and self._schema.all_numeric
        return self._framed(to_array(table) if plain else table, X, passed)

    def _passed_columns(self, given: Table, made: Table) -> list[str]:
        """Names of the columns that come out as they came in."""
        if not given.schema.named or given.of_one_block or made.of_one_block:
            return []
        return [c.name for c in made.columns if c.name in given and given[c.name].values is c.values]

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and the rows of `X` transformed."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`; those of the fitted table, unless a member makes new ones."""
        names = self._fitted_schema().names
        if input_features is not None and list(input_features) != list(names) and self._schema.named:
            raise InputError(f"input_features is not equal to feature_names_in_. Expected {list(names)[:6]}.")
        if input_features is not None and len(input_features) != len(names):
            raise InputError(f"input_features should have length equal to number of features ({len(names)}).")
        return np.array(names if input_features is None else list(input_features), dtype=object)

    def _transform(self, table: Table) -> Table:
        raise NotImplementedError
