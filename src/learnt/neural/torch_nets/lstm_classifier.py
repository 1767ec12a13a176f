"""Classes of sequences by a long short-term memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.counted_rows import without_weightless_labels
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanations
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Whole
from learnt.neural.inputs import NetInputs
from learnt.neural.torch_nets.lstm_layers import MOST_LAYERS, LstmLayers
from learnt.neural.torch_nets.steps import SequenceItems
from learnt.neural.torch_nets.torch_classifier import TorchClassifier
from learnt.show.words import count_of
from learnt.storable import FiniteNumbers

if TYPE_CHECKING:
    from learnt.graphical import Sequences

#: Columns of more categories are embedded; two are one number, −1 or 1.
MOST_INDICATORS = 2
#: Numbers of an embedded category, where nobody says how many.
EMBEDDED_NUMBERS = 32


class LSTMClassifier(TorchClassifier, listed=False):
    """Classify sequences by a memory that is carried along them: what comes when matters, not only what comes.

        c_t = f_t c_{t−1} + i_t g_t,   h_t = o_t tanh(c_t),   p = softmax(b + V [last h, mean h, largest h])

        model = LSTMClassifier().fit(list_of_arrays, labels)                     # one label for each sequence
        model = LSTMClassifier().fit(table, "label", sequence="id", order="day")  # one table of many sequences
        model.predict(new_sequences)

    Sequences are given as to `HiddenMarkovModel`: a list of arrays or frames, a table whose columns `sequence` and
    `order` tell them apart and put them in order, or a table cut by `lengths`. Steps have any columns: numbers are
    scaled, categories have vectors that are learnt, a missing cell counts as the centre or as zeros, and has an
    indicator or a vector of its own where cells were missing when fitting. An empty sequence is one, too. PyTorch
    computes: `pip install 'learnt[torch]'`.

    {settings}

    Attributes: `weights_`, `n_parameters_`; `loss_curve_`, `validation_curve_`, epoch by epoch; `n_iter_`,
    `best_iter_`, `converged_`, `device_`.

    Reference: S. Hochreiter, J. Schmidhuber, Long short-term memory, 1997.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "random"})
    rows_stand_alone = False

    hidden_size: int = setting(Whole(1, 2**16), "units of memory, each way", default=64, before="dropout")
    n_layers: int = setting(Whole(1, MOST_LAYERS), "memories on top of each other", default=1, before="dropout")
    bidirectional: bool = setting(
        Flag(), "whether a second memory goes from the end to the beginning", default=True, before="dropout"
    )
    embedding_dim: Any = setting(
        OneOf("auto") | Whole(1, 2**16),
        'numbers of the vector of a category; "auto": as many as there are categories, 32 at most',
        default="auto",
        before="dropout",
    )

    _inputs: NetInputs = attribute()
    _average: FiniteNumbers = attribute()  # of the inputs of a step, where explanations start
    _sequence: str | None = attribute()
    _order: str | None = attribute()

    _base_words: ClassVar[str] = "sequence of average steps"

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        sequence: str | None = None,
        order: str | None = None,
        lengths: Any = None,
    ) -> Self:
        """Learn from sequences and their classes.

        `sequence` and `order` name the columns that tell sequences apart and put their rows in order; `lengths` cut a
        table whose sequences follow each other. `y` holds a class for each sequence, in the order in which they first
        appear, or names a column that is constant within each; so does `sample_weight`: 2 means that a sequence stands
        there twice, 0 that it does not.
        """
        return self._fit_items(X, y, sample_weight, sequence=sequence, order=order, lengths=lengths)

    def predict(self, X: Any, *, sequence: str | None = None, order: str | None = None, lengths: Any = None) -> Array:
        """The most probable class of each sequence."""
        return self._labels_of(X, sequence=sequence, order=order, lengths=lengths)

    def predict_proba(
        self, X: Any, *, sequence: str | None = None, order: str | None = None, lengths: Any = None
    ) -> Any:
        """The probability of each class, sequences × classes, columns in the order of `classes_`."""
        return self._framed_answer(X, sequence=sequence, order=order, lengths=lengths)

    def predict_log_proba(
        self, X: Any, *, sequence: str | None = None, order: str | None = None, lengths: Any = None
    ) -> Any:
        """Natural logarithms of `predict_proba`."""
        return self._framed_answer(X, logarithms=True, sequence=sequence, order=order, lengths=lengths)

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        sequence: str | None = None,
        order: str | None = None,
        lengths: Any = None,
    ) -> float:
        """Accuracy: the share of sequences, by weight, whose class is predicted right."""
        return self._accuracy(X, y, sample_weight, sequence=sequence, order=order, lengths=lengths)

    def explain(
        self, X: Any, *, sequence: str | None = None, order: str | None = None, lengths: Any = None
    ) -> Explanations:
        """What each step adds to the log-odds of the answer against the runner-up, from a sequence of as many average
        steps on: integrated gradients, by step and column."""
        return self._explained(X, sequence=sequence, order=order, lengths=lengths)

    # What a net of sequences knows

    def _layers(self) -> LstmLayers:
        inputs = self._inputs
        most = EMBEDDED_NUMBERS if isinstance(self.embedding_dim, str) else int(self.embedding_dim)
        auto = isinstance(self.embedding_dim, str)
        dims = tuple(min(most, size) if auto else most for size in inputs.categories)
        sizes = (int(self.hidden_size), int(self.n_layers), bool(self.bidirectional), len(self.classes_))
        return LstmLayers(inputs.n_dense, inputs.categories, dims, *sizes)

    def _read(self, X: Any, y: Any, sample_weight: Any, *, anew: bool, **how: Any) -> tuple[Any, Any, Any]:
        from learnt.graphical import cells_of_sequences, read_as_fitted, read_sequences

        if anew:
            read = read_sequences(X, **how)
            self._sequence, self._order = how["sequence"], how["order"]
        else:
            roles = (self._sequence, self._order)
            read = read_as_fitted(X, **how, schema=self._schema, fitted_roles=roles, owner=type(self).__name__)
        if y is not None and not isinstance(y, str):
            self._check_one_class_each(read, y, how)
        named = {role: name for role, name in (("y", y), ("sample_weight", sample_weight)) if isinstance(name, str)}
        if not named:
            return read, y, sample_weight
        if read.listed:
            raise InputError("A column of classes or weights is named for one table. For a list, give an array.")
        given = X if isinstance(X, Table) else Table(X)
        cells = {role: cells_of_sequences(given, name, role, read) for role, name in named.items()}
        if anew:
            read = replace(read, table=read.table.drop(*named.values()))
        return read, cells.get("y", y), cells.get("sample_weight", sample_weight)

    @staticmethod
    def _check_one_class_each(read: Sequences, y: Any, how: dict[str, Any]) -> None:
        """Rows that were meant as sequences are a frequent slip."""
        told_apart = read.listed or any(how.get(name) is not None for name in ("sequence", "lengths"))
        if told_apart or len(read) != 1 or not hasattr(y, "__len__") or len(y) in (1, 0):
            return
        one = read.table.schema.columns
        texts = len(one) == 1 and one[0].kind not in ("numeric", "boolean")
        hint = " Of texts, give their words: learnt.split_words(texts)." if texts else ""
        raise InputError(
            f"What was given is one sequence of {count_of(read.table.n_rows, 'row')}, and y has {len(y):,} classes, "
            "one for each sequence. Give a list of arrays, name the column that tells sequences apart (sequence=), or "
            f"cut the rows (lengths=).{hint}"
        )

    def _learn_scales(self, read: Sequences, weights: Array | None) -> None:
        rows = read.row_weights(weights)
        if not rows.any():
            raise InputError("No sequence that counts has a row. Give at least one with a row and a positive weight.")
        if not read.table.n_columns:
            raise InputError("The sequences have no columns to learn from. Give at least one beside target and roles.")
        check_finite(read.table)
        counted = without_weightless_labels(Training(read.table, read.table.schema, None, rows), None, None).source
        assert isinstance(counted, Table)
        self._remember_columns(counted.schema)
        there = np.flatnonzero(rows)
        self._inputs = NetInputs.of(counted.take(there), rows[there], scaling="robust", most=MOST_INDICATORS)

    def _encode(self, read: Sequences) -> SequenceItems:
        return SequenceItems.of(self._inputs, read.table.matched(self._schema), read.offsets)

    def _learn_average(self, items: SequenceItems, weights: Array | None) -> None:
        """The mean inputs of all steps, with the vectors that were learnt."""
        steps = items.step_weights(weights)
        parts = [steps @ items.dense]
        for k in range(items.codes.shape[1]):
            code, vectors = items.codes[:, k], self._net.tensors[f"embed{k}.weight"].astype(np.float64)
            parts.append(np.bincount(code[code >= 0], steps[code >= 0], len(vectors)) @ vectors)
        found = np.concatenate(parts) / steps.sum()
        self._average = found if len(found) else np.zeros(1)

    def _base_inputs(self, inputs: Any) -> Any:
        return inputs * 0.0 + inputs.new_tensor(self._average.tolist())

    def _parts_of(self, items: SequenceItems, i: int, by_input: Array) -> tuple[tuple[str, Any, float, str], ...]:
        layers, names = self._layers(), self._schema.names
        owner = np.concatenate([
            self._inputs.owner[: layers.dense], np.repeat(np.array(self._inputs.embedded, np.int64), layers.dims)
        ]).astype(np.int64)  # fmt: skip
        steps = items.table.rows(int(items.offsets[items.which[i]]), int(items.offsets[items.which[i] + 1]))
        cells = [column.labels() for column in steps.columns]
        found = []
        for t in range(steps.n_rows):
            parts = np.bincount(owner, by_input[t, : len(owner)], len(names))
            for j, name in enumerate(names):
                column = f"step {t}" if len(names) == 1 else f"{name} at step {t}"
                found.append((column, cells[j][t], float(parts[j]), "missing" if cells[j][t] is None else ""))
        return tuple(found)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self._inputs.schema != self._schema or self._inputs.most != MOST_INDICATORS:
            raise SavedModelError("The inputs of the net do not fit the columns.")
        if self._average.shape != (self._layers().width,):
            raise SavedModelError("The average step does not fit the net.")
