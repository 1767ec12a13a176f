"""The ritual of fitting, written once: check, prepare, twin, run, swap.

What is learnt is written on a twin, which takes the place of the learner only when all is done: a fit that fails or is
interrupted leaves the learner as it was, and whoever predicts meanwhile sees the one or the other, never half of each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array
from learnt.engine.counted_rows import without_weightless_labels
from learnt.engine.engines import Plan, run
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.engine.sizes import check_small_span, check_target
from learnt.engine.training import Needs, Training, prepare
from learnt.engine.whole import InMemory, WholeTable
from learnt.lazy import is_cached
from learnt.learner.fields import attribute
from learnt.learner.routing import Routed
from learnt.learner.settings import Settings
from learnt.learner.text.counting import TextUse, in_words, with_words
from learnt.learner.text.text_columns import TextColumns

#: What scikit-learn puts on an estimator before `fit` and expects to find after it.
_FOREIGN = ("_sklearn_output_config", "_metadata_request", "_parent_callback_ctx", "_skl_callbacks")


class Fitting(Settings, Routed):
    """Fits by the hooks of a learner: `summarize` and `solve`, or `_learn`, or `_plan`."""

    task: ClassVar[str] = ""
    needs: ClassVar[Needs] = None
    #: Why all rows must be in memory, where they must; fitting then calls `_learn`.
    whole: ClassVar[InMemory | None] = None
    #: Whether `_plan` and the hooks of prediction find infinite cells themselves, so that looking for them first
    #: would be work done twice.
    finds_infinities: ClassVar[bool] = False

    #: What becomes of columns of long text: "counts" of their words, "presence", which is true or false of each; they
    #: are "left out", or "ignored" by a learner that looks at no column; or their texts are "labels". Where members
    #: or a metric decide, it is a property, which type checkers call a wrong override of a class variable.
    takes_text: ClassVar[TextUse] = "left out"
    #: Whether fitting squares differences of targets, which has to be possible.
    squares_target: ClassVar[bool] = False

    _schema: Schema = attribute()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X`: a frame, an array, a `Table`, or a `scan` of files.

        `y` is the target: an array, or the name of a column of `X`. `sample_weight` gives each row
        a weight, as an array or the name of a column; a weight of 2 means the row stands there twice, one below 1e-120
        that it does not. A `fit` that fails or is interrupted leaves the learner as it was.
        """
        training = self._prepare(X, y, sample_weight, only_counting=True)
        if self.squares_target and isinstance(training.target, np.ndarray):
            check_small_span(*check_target(training.target, training.weights))
        elif self.squares_target:
            training = replace(training, squares=True)
        twin = self._twin(training.schema, training.classes, training.words)
        run(twin._plan(training), training, type(self).__name__)
        return self._become(twin)

    def _prepare(self, X: Any, y: Any, sample_weight: Any, *, only_counting: bool = False) -> Training:
        """What `fit` was given, checked, as are the settings, with columns of text as this learner takes them;
        `only_counting`: in the labels and classes of rows that count."""
        training = self._prepare_as_given(X, y, sample_weight)
        if only_counting:
            training = without_weightless_labels(training, X, y)
        known: TextColumns | None = self.__dict__.get("_text_columns")
        goes_on = training.in_memory and getattr(self, "warm_start", False)
        if known is not None and goes_on and training.schema.without_documents == known.given:
            return in_words(training, known)  # the words of the last fit
        return with_words(training, self.takes_text, type(self).__name__)

    def _prepare_as_given(self, X: Any, y: Any, sample_weight: Any) -> Training:
        self._check_parameters()
        name = type(self).__name__
        return prepare(X, y, sample_weight, self.needs, name, check_cells=not self.finds_infinities)

    def _twin(
        self, schema: Schema | None = None, classes: Array | None = None, words: TextColumns | None = None
    ) -> Self:
        """A twin with the same settings that knows these columns and classes, and what text in them becomes."""
        twin = self._blank()
        if schema is not None:
            twin._remember_columns(schema, words)
        if classes is not None:
            twin.classes_ = classes  # type: ignore[attr-defined]
        return twin

    def _blank(self) -> Self:
        """A twin with the same settings; learners that go on from where they stood hand over more."""
        twin = self.__class__.__new__(self.__class__)
        keep = {*self._defaults(), *_FOREIGN}
        twin.__dict__.update((name, value) for name, value in self.__dict__.items() if name in keep)
        return twin

    def _become(self, twin: Self) -> Self:
        """Take over what was written on a twin, all at once."""
        self.__dict__ = twin.__dict__
        return self

    def _remember_columns(self, schema: Schema, words: TextColumns | None = None) -> None:
        self._schema = schema
        if words is not None:
            self._text_columns = words
        given = self._given_schema()
        self.n_features_in_ = len(given)
        if given.named:
            self.feature_names_in_ = np.array(given.names, dtype=object)

    def _given_schema(self) -> Schema:
        """The columns of the tables that were given and are to be given; the hooks see `_schema`."""
        words: TextColumns | None = self.__dict__.get("_text_columns")
        return self._schema if words is None else words.given

    def _plan(self, training: Training) -> Plan:
        """The passes of this learner. Unless overridden: one, of `summarize`, then `solve`; or the one that takes all
        rows, then `_learn`."""
        if self.whole is not None:
            self._learn((yield from self.whole.take(training, type(self).__name__, self.task)))
        else:
            self.solve((yield Summarize(self)))

    def summarize(self, batch: Batch) -> Statistic:
        raise NotImplementedError(f"{type(self).__name__} writes either summarize and solve, or _learn, or _plan.")

    def solve(self, statistic: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} writes either summarize and solve, or _learn, or _plan.")

    def _learn(self, rows: WholeTable) -> None:
        raise NotImplementedError(f"{type(self).__name__} sets whole, but does not write _learn.")

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled and copied: all but what a `cached_property` can make again."""
        return {name: value for name, value in self.__dict__.items() if not is_cached(type(self), name)}


class Summarize(Pass):
    """The pass of a one-pass learner: its `summarize`, with the settings and fitted columns of its twin."""

    reads_left = 0

    def __init__(self, learner: Fitting):
        self.learner = learner

    def summarize(self, batch: Batch) -> Statistic:
        return self.learner.summarize(batch)
