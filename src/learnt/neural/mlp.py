"""Multilayer perceptrons: what the classifier and the regressor share."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.engine.whole import InMemory, TakeWhole, WholeTable
from learnt.errors import InputError, ParameterError, SavedModelError, convergence_warning
from learnt.learner.parameters import seed_from
from learnt.learner.text.counting import TextUse
from learnt.neural.attribution import average_inputs
from learnt.neural.descent import Descended, Descent, descend, weight_decay
from learnt.neural.inputs import NetInputs
from learnt.neural.mlp_views import NetViews
from learnt.neural.net import Net, NetRows
from learnt.neural.on_device import check_device
from learnt.neural.row_order import held_out_places, holds_out, in_drawn_order, relative_weights, with_weight
from learnt.neural.streaming import EncodeBatch, FewRows, HoldOut, LookAtRows, RowsLook, descend_over, gather_or_sample
from learnt.neural.target import TargetSums
from learnt.neural.whole_batch import minimise
from learnt.show.words import count_of

IN_MEMORY = InMemory("takes all rows at each step where solver='lbfgs'", "choose another solver")


class MultilayerPerceptron(NetViews, abstract=True):
    """Learns by backpropagation. Members say what the scores are, and what they mean."""

    takes_text: ClassVar[TextUse] = "counts"
    finds_infinities: ClassVar[bool] = True

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """One epoch over more rows, with steps of constant length, from where the last call ended. The first call fixes
        the columns, their categories and scales, and the classes: `classes` lists them all if the first rows do not."""
        return self._fit_more(X, y, sample_weight, classes)

    # What members know

    def _n_scores(self) -> int:
        raise NotImplementedError

    def _core_loss(self) -> str:
        raise NotImplementedError

    def _smoothing(self) -> float:
        return 0.0

    def _learn_target(self, sums: TargetSums) -> None:
        """Look at the targets of the first rows."""

    def _first_bias(self, sums: TargetSums) -> Array:
        """Biases of the scores to begin with."""
        return np.zeros(self._n_scores())

    def _class_factors(self, sums: TargetSums) -> Array | None:
        """By class, what weights of its rows are multiplied with."""
        return None

    def _target_sums(self, rows: WholeTable) -> TargetSums:
        return TargetSums.of(rows.target, rows.weights, len(getattr(self, "classes_", ())))

    def _row_weights(self, rows: WholeTable, sums: TargetSums) -> Array | None:
        factors, w = self._class_factors(sums), rows.weights
        if factors is None:
            return w
        found: Array = factors[rows.target] if w is None else w * factors[rows.target]
        return found

    # Fitting

    def _blank(self) -> Self:
        twin = super()._blank()
        if self.warm_start and "_net" in self.__dict__:
            twin.__dict__["_before"] = self
        return twin

    def _plan(self, training: Training) -> Generator[Any, Any, None]:
        earlier = self.__dict__.pop("_before", None)
        self._check_device()
        if self.batch_normalization and self.solver == "lbfgs":
            raise ParameterError(
                f"{type(self).__name__}: batch_normalization goes by batches, and solver='lbfgs' by all rows. "
                "Choose another solver, or batch_normalization=False."
            )
        if training.in_memory or self.solver == "lbfgs":
            rows = yield from IN_MEMORY.take(training, type(self).__name__)
        else:
            found: FewRows = yield from gather_or_sample(training)
            few = found.whole()
            if few is None:
                yield from self._stream(found, earlier)
                return
            rows = few
        self._begin(rows, earlier)
        self._descend(rows, True)

    def _continue(self, training: Training, earlier: Any) -> Generator[Any, Any, None]:
        rows: WholeTable = yield TakeWhole()
        self.__dict__.pop("_before", None)
        self._check_device()
        self._begin(rows, earlier)
        self._descend(rows, False)

    def _check_device(self) -> None:
        if self.device == "cpu":
            return
        check_device(self.device, type(self).__name__)
        if self.solver == "lbfgs" or self._core_loss() == "given":
            raise ParameterError(
                f"{type(self).__name__}: device={self.device!r} takes batches and losses by name. Choose a solver "
                "other than 'lbfgs' and one of those losses, or device='cpu'."
            )

    def _begin(self, rows: WholeTable, earlier: Any) -> None:
        """The inputs and the net, new or those of an earlier learner."""
        check_finite(rows.table)
        if earlier is not None:
            self._take_over(earlier)
            return
        sums = self._target_sums(rows)
        w = relative_weights(self._row_weights(rows, sums))
        there = WholeTable(rows.rows, rows.table, rows.target, w, rows.numbers).of_positive_weight()
        inputs = NetInputs.of(there.table, there.weights, scaling=self._scaling(), most=int(self.most_indicators))
        self._start(inputs, sums)

    def _start(self, inputs: NetInputs, sums: TargetSums) -> None:
        self._seed = seed_from(self.random_state)
        self._inputs = inputs
        self._learn_target(sums)
        try:
            self._net = Net.start(
                self._inputs,
                (*self._hidden(), self._n_scores()),
                self.activation,
                self._core_loss(),
                smoothing=self._smoothing(),
                bias=self._first_bias(sums),
                seed=self._seed,
                dtype=np.float64 if self.precision == "double" else np.float32,
                normalised=bool(self.batch_normalization),
            )
        except (MemoryError, ValueError) as error:  # of as many numbers as memory has no room for, or could never have
            n_inputs = self._inputs.n_dense + sum(self._inputs.dims)
            raise ParameterError(
                f"{type(self).__name__}: {count_of(n_inputs, 'input')} and hidden_layer_sizes={self._hidden()} make "
                "a net that memory has no room for. Choose fewer units."
            ) from error

    def _take_over(self, earlier: Any) -> None:
        if earlier._schema != self._schema or self._labels(earlier) != self._labels(self):
            raise InputError(
                f"{type(self).__name__}: warm_start goes on with the net of the last fit, but the columns, their "
                "categories or the classes are others now. Give the same, or set warm_start=False."
            )
        net: Net = earlier._net
        wanted = (*self._hidden(), self._n_scores()), self.activation, self._core_loss()
        if (net.units, net.activation, net.loss) != wanted or net.normalised != bool(self.batch_normalization):
            raise ParameterError(
                f"{type(self).__name__}: hidden_layer_sizes, activation, loss or batch_normalization was changed since "
                "the net was made. Set them back, or fit anew with warm_start=False."
            )
        for name in self._kept_names:
            setattr(self, name, getattr(earlier, name))
        self._net = net.with_memory(smoothing=self._smoothing())

    _kept_names: ClassVar[tuple[str, ...]] = ("_seed", "_inputs")

    @staticmethod
    def _labels(model: Any) -> Any:
        classes = getattr(model, "classes_", None)
        return None if classes is None else classes.tolist()

    def _descend(self, rows: WholeTable, anew: bool) -> None:
        """As many epochs as it takes, or one of `partial_fit`."""
        w = relative_weights(self._row_weights(rows, self._target_sums(rows)))
        every, every_weight = NetRows(*self._inputs.encode(rows.table)), w
        ordered = in_drawn_order(self._inputs, every, self._truth(rows.target), w) if anew and self.shuffle else None
        found, y, w = ordered or with_weight(every, self._truth(rows.target), w)
        if w is not None:
            w = w * (len(w) / w.sum())
        if len(getattr(self, "classes_", (0, 1))) < 2:
            self._keep(Descended(self._net, np.zeros(0), np.zeros(0), 0, True))
        elif self.solver == "lbfgs" and anew:
            net, losses, rests = minimise(
                self._net,
                self._inputs,
                found,
                y,
                w,
                alpha=weight_decay(self.alpha, self.solver),
                steps=self.max_iter or 200,
                tol=float(self.tol),
                owner=type(self).__name__,
                given=self._given_loss(),
            )
            self._keep(Descended(net, losses, np.zeros(0), len(losses), rests))
        else:
            done = descend(
                Descent(self._course(anew), found, y, w, self._hold_out(len(found)) if anew else None), self._net
            )
            self._keep(replace(done, converged=done.converged or not anew))
        self._finish(every, every_weight, anew)

    def _stream(self, few: FewRows, earlier: Any) -> Generator[Any, Any, None]:
        """Epochs over files that are larger than memory."""
        seed = seed_from(self.random_state) if earlier is None else earlier._seed
        held_out = HoldOut(seed, float(self.validation_fraction) if holds_out(self.early_stopping, few.rows) else 0.0)
        look: RowsLook = yield LookAtRows(len(getattr(self, "classes_", ())), held_out)
        look.survey.check_finite()
        factors = self._class_factors(look.target)
        table, target, weights = few.sample.taken
        weights = weights if factors is None else weights * factors[target]
        if earlier is None:
            scaling = self._scaling()
            self._start(
                NetInputs.of_look(look.survey, look.ends, table, weights, scaling=scaling, most=self.most_indicators),
                look.target,
            )
        else:
            self._take_over(earlier)
        encode = EncodeBatch(self._inputs, self._truth, factors, look.target.mean_weight(factors))
        if len(getattr(self, "classes_", (0, 1))) < 2:
            self._keep(Descended(self._net, np.zeros(0), np.zeros(0), 0, True))
        else:
            n_taking = int(look.target.heads[... if factors is None else factors > 0].sum()) - look.held_out
            done = yield from descend_over(self._course(True), encode, held_out, n_taking, self._net)
            self._keep(done)
        self._finish(NetRows(*self._inputs.encode(table)), weights, True)

    def _finish(self, rows: NetRows, weights: Array | None, anew: bool) -> None:
        self._average = average_inputs(self._inputs, self._net, rows, weights)
        if anew:
            self._net = self._net.without_memory()
        if not self.converged_:
            went = count_of(self.n_iter_, "step" if self.solver == "lbfgs" and anew else "epoch")
            warnings.warn(
                convergence_warning(
                    f"{type(self).__name__} stopped after {went}, before the loss came to rest. Raise max_iter or tol."
                ),
                stacklevel=2,
            )

    def _hold_out(self, n_rows: int) -> Array | None:
        share, name = float(self.validation_fraction), type(self).__name__
        return held_out_places(self.early_stopping, share, n_rows, seed=self._seed, owner=name)

    def _keep(self, done: Descended) -> None:
        self._net = done.net
        self.loss_curve_, self.validation_curve_, self.best_iter_ = done.losses, done.validation, done.best
        self.n_iter_, self.converged_ = len(done.losses), done.converged

    # Scores

    def _scores(self, table: Table) -> Array:
        found = np.empty((table.n_rows, self._net.units[-1]))
        for start in range(0, table.n_rows, ENCODED_ROWS):
            part = table if table.n_rows <= ENCODED_ROWS else table.rows(start, start + ENCODED_ROWS)
            seen = part.matrix is not None and self._inputs.is_plain  # all cells by the core
            if not seen:
                check_finite(part, start)
            rows = NetRows(*self._inputs.encode(part))
            found[start : start + ENCODED_ROWS], finite = self._net.scores_if_finite(self._inputs, rows)
            if not finite:
                check_finite(part, start)
        return found

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        net, inputs = self._net, self._inputs
        if (net.dense, net.categories, net.dims) != (inputs.n_dense, inputs.categories, inputs.dims):
            raise SavedModelError("The net does not fit its inputs.")
        if inputs.schema != self._schema or net.units[-1] != self._n_scores() or net.loss != self._core_loss():
            raise SavedModelError("The net does not fit the columns or the classes.")
        if self._average.shape != (net.n_inputs,):
            raise SavedModelError("The average row does not fit the net.")
