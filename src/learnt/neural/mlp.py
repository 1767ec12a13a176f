"""Multilayer perceptrons: what the classifier and the regressor share."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.row_keys import ORDERED_UP_TO, are_copies, order_of_points, places_to_draw
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.training import Training
from learnt.engine.whole import InMemory, TakeWhole, WholeTable, uneven
from learnt.errors import InputError, ParameterError, SavedModelError, convergence_warning
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.learner.partial import Continuing
from learnt.learner.text.counting import TextUse
from learnt.neural.attribution import average_inputs
from learnt.neural.descent import Descent, Schedule, descend
from learnt.neural.inputs import NetInputs
from learnt.neural.net import ACTIVATIONS, Net, NetRows
from learnt.neural.textbook import NetTrace, trace_step
from learnt.neural.whole_batch import minimise
from learnt.statistics.sample import hash_rows
from learnt.storable import Numbers

#: From so many rows on, "auto" holds some out to stop early.
MANY_ROWS = 1000

IN_MEMORY = InMemory("goes over the rows many times, in a drawn order")


class Sizes(Domain):
    """Numbers of units, one for each hidden layer."""

    words = "a whole number ≥ 1, or a tuple of them; () for no hidden layer"

    def __contains__(self, value: Any) -> bool:
        if isinstance(value, list | tuple | np.ndarray):
            return all(v in Whole(1, 2**24) for v in value)
        return value in Whole(1, 2**24)


class MultilayerPerceptron(Continuing, abstract=True):
    """Learns by backpropagation. Members say what the scores are, and what they mean."""

    fit_cost = 200.0
    simplicity = 90.0
    search_space: ClassVar[dict[str, Any]] = {
        "hidden_layer_sizes": ((64,), (128,), (128, 64)),
        "learning_rate_init": (0.0005, 0.002, 0.01),
        "alpha": (0.0, 0.02, 0.2),
    }

    hidden_layer_sizes: Any = setting(
        Sizes(), "units of each hidden layer; () for none: one linear layer", default=(128,)
    )
    activation: str = setting(
        OneOf(*ACTIVATIONS), 'of hidden units: "gelu", "relu", "tanh", "sigmoid", "identity"', default="gelu"
    )
    solver: str = setting(
        OneOf("adamw", "adam", "sgd", "lbfgs"),
        '"adamw", "adam", "sgd" (see `momentum`), or "lbfgs": all rows at each step, for small tables',
        default="adamw",
    )
    alpha: float = setting(
        Real(0),
        'weight decay: α/2 |w|² is added to the mean loss; of "adamw", weights shrink by α η at each step instead',
        default=0.02,
    )
    batch_size: Any = setting(
        OneOf("auto") | Whole(1), 'rows per step; "auto": 16 to 256, by the number of rows', default="auto"
    )
    learning_rate: str = setting(
        OneOf("cosine", "constant", "invscaling"),
        'length η of step t: "cosine" from η₀ to 0 over all epochs, "constant" η₀, "invscaling" η₀/√t',
        default="cosine",
    )
    learning_rate_init: float = setting(Real(above=0), "η₀", default=0.002)
    max_iter: Any = setting(
        OneOf(None) | Whole(1),
        "epochs: passes over all rows, at most; None: 60, or so many that there are 300 steps; 200 steps of L-BFGS",
        default=None,
    )
    dropout: float = setting(Real(0, below=1), "the share of hidden units left out at each step", default=0.1)
    early_stopping: Any = setting(
        OneOf("auto") | Flag(),
        'hold rows out, end when their loss stops falling and keep the best net; "auto": from 1000 rows on',
        default="auto",
    )
    validation_fraction: float = setting(Real(above=0, below=1), "the share of rows held out", default=0.1)
    n_iter_no_change: int = setting(
        Whole(1),
        "so many epochs without gain end it, where rows are held out or steps are of constant length",
        default=20,
    )
    tol: float = setting(Real(0), "what counts as a gain; the gradient at which L-BFGS ends", default=1e-5)
    momentum: float = setting(Real(0, below=1), 'of "sgd": the share of a step that goes on in the next', default=0.9)
    nesterov: bool = setting(Flag(), "of momentum: whether gradients look ahead", default=True)
    standardize: Any = setting(
        OneOf("robust") | Flag(),
        '"robust": medians and quartiles, what lies far out is pulled in; True: mean and spread; False: as they are',
        default="robust",
    )
    most_indicators: int = setting(
        Whole(2),
        "nominal columns of more categories are embedded: a vector of up to 8 numbers each, learnt",
        default=16,
    )
    shuffle: bool = setting(Flag(), "whether each epoch draws an order of the rows", default=True)
    precision: str = setting(OneOf("single", "double"), "of the numbers inside", default="single")
    warm_start: bool = setting(Flag(), "whether `fit` goes on from the net of the last one", default=False)
    random_state: Any = setting(Seed(), "seed of first weights, order, dropout and what is held out", default=0)

    takes_text: ClassVar[TextUse] = "counts"

    n_iter_: int = attribute()
    converged_: bool = attribute()
    loss_curve_: Numbers = attribute()
    validation_curve_: Numbers = attribute()
    best_iter_: int = attribute()
    _net: Net = attribute()
    _inputs: NetInputs = attribute()
    _average: Numbers = attribute()  # the inputs of the average row, where explanations start
    _seed: int = attribute()

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

    def _learn_target(self, y: Array, w: Array | None) -> None:
        """Look at the targets of the first rows."""

    def _truth(self, y: Array) -> Array:
        """Targets as the core takes them."""
        raise NotImplementedError

    def _first_bias(self, y: Array, w: Array | None) -> Array:
        """Biases of the scores to begin with."""
        return np.zeros(self._n_scores())

    def _row_weights(self, rows: WholeTable) -> Array | None:
        return rows.weights

    # Fitting

    def _blank(self) -> Self:
        twin = super()._blank()
        if self.warm_start and "_net" in self.__dict__:
            twin.__dict__["_before"] = self
        return twin

    def _plan(self, training: Training) -> Generator[Any, Any, None]:
        earlier = self.__dict__.pop("_before", None)
        rows = yield from IN_MEMORY.take(training, type(self).__name__)
        self._begin(rows, earlier)
        self._descend(rows, True)

    def _continue(self, training: Training, earlier: Any) -> Generator[Any, Any, None]:
        rows: WholeTable = yield TakeWhole()
        self.__dict__.pop("_before", None)
        self._begin(rows, earlier)
        self._descend(rows, False)

    def _begin(self, rows: WholeTable, earlier: Any) -> None:
        """The inputs and the net, new or those of an earlier learner."""
        w = _relative(self._row_weights(rows))
        if earlier is not None:
            self._take_over(earlier)
            return
        there = WholeTable(rows.rows, rows.table, rows.target, w, rows.numbers).of_positive_weight()
        self._seed = seed_from(self.random_state)
        self._inputs = NetInputs.of(there.table, there.weights, scaling=self._scaling(), most=int(self.most_indicators))
        self._learn_target(there.target, there.weights)
        self._net = Net.start(
            self._inputs,
            (*self._hidden(), self._n_scores()),
            self.activation,
            self._core_loss(),
            smoothing=self._smoothing(),
            bias=self._first_bias(there.target, there.weights),
            seed=self._seed,
            dtype=np.float64 if self.precision == "double" else np.float32,
        )

    def _take_over(self, earlier: Any) -> None:
        if earlier._schema != self._schema or self._labels(earlier) != self._labels(self):
            raise InputError(
                f"{type(self).__name__}: warm_start goes on with the net of the last fit, but the columns, their "
                "categories or the classes are others now. Give the same, or set warm_start=False."
            )
        net: Net = earlier._net
        wanted = (*self._hidden(), self._n_scores()), self.activation, self._core_loss()
        if (net.units, net.activation, net.loss) != wanted:
            raise ParameterError(
                f"{type(self).__name__}: hidden_layer_sizes, activation or loss was changed since the net was made. "
                "Set them back, or fit anew with warm_start=False."
            )
        for name in self._kept_names:
            setattr(self, name, getattr(earlier, name))
        self._net = net.with_memory(smoothing=self._smoothing())

    _kept_names: ClassVar[tuple[str, ...]] = ("_seed", "_inputs")

    @staticmethod
    def _labels(model: Any) -> Any:
        classes = getattr(model, "classes_", None)
        return None if classes is None else classes.tolist()

    def _hidden(self) -> tuple[int, ...]:
        sizes = self.hidden_layer_sizes
        return tuple(int(size) for size in (sizes if isinstance(sizes, list | tuple | np.ndarray) else (sizes,)))

    def _scaling(self) -> Any:
        return self.standardize if isinstance(self.standardize, str) else bool(self.standardize)

    def _descend(self, rows: WholeTable, anew: bool) -> None:
        """As many epochs as it takes, or one of `partial_fit`."""
        w = _relative(self._row_weights(rows))
        given, codes = self._inputs.encode(rows.table)
        found = NetRows(given, codes)
        every, every_weight = found, w
        y = self._truth(rows.target)
        if anew:
            found, y, w = _in_drawn_order(self._inputs, found, y, w)
        elif w is not None:
            there = np.flatnonzero(w)
            found, y, w = found.take(there), y[there], w[there]
        if w is not None:
            w = w * (len(w) / w.sum())
        name = type(self).__name__
        if len(getattr(self, "classes_", (0, 1))) < 2:
            self._keep(self._net, np.zeros(0), np.zeros(0), 0, True)
        elif self.solver == "lbfgs" and anew:
            net, losses, rests = minimise(
                self._net,
                self._inputs,
                found,
                y,
                w,
                alpha=float(self.alpha),
                steps=self.max_iter or 200,
                tol=float(self.tol),
            )
            self._keep(net, losses, np.zeros(0), len(losses), rests)
        else:
            done = descend(self._descent(name, found, y, w, anew), self._net)
            self._keep(done.net, done.losses, done.validation, done.best, done.converged or not anew)
        self._average = average_inputs(self._inputs, self._net, every, every_weight)
        if anew:
            self._net = self._net.without_memory()
        if not self.converged_:
            warnings.warn(
                convergence_warning(
                    f"{name} stopped after {self.n_iter_} epochs, before the loss came to rest. Raise max_iter or tol."
                ),
                stacklevel=2,
            )

    def _descent(self, name: str, rows: NetRows, y: Array, w: Array | None, anew: bool) -> Descent:
        kind = self.learning_rate if anew else "constant"
        solver = self.solver if self.solver in ("adam", "adamw") else "adamw" if self.solver == "lbfgs" else "momentum"
        if solver == "momentum":
            solver = "sgd" if self.momentum == 0 else "nesterov" if self.nesterov else "momentum"
        steps = {
            "optimizer": solver,
            "alpha": float(self.alpha),
            "momentum": float(self.momentum),
            "beta1": 0.9,
            "beta2": 0.999 if self.learning_rate != "cosine" else 0.99,
            "epsilon": 1e-8,
            "dropout": float(self.dropout),
            "batch_size": self.batch_size,
        }
        return Descent(
            name, self._inputs, rows, y, w, Schedule(kind, float(self.learning_rate_init)), steps,
            self.max_iter if anew else 1, bool(self.shuffle), self._seed % 2**63,
            self._hold_out(len(rows)) if anew else None, float(self.tol), int(self.n_iter_no_change),
        )  # fmt: skip

    def _hold_out(self, n_rows: int) -> Array | None:
        if self.early_stopping is False or (self.early_stopping == "auto" and n_rows < MANY_ROWS):
            return None
        out = np.flatnonzero(hash_rows(self._seed, 0, n_rows) < self.validation_fraction)
        if not 0 < len(out) < n_rows:
            raise InputError(
                f"{type(self).__name__}: early_stopping holds out {self.validation_fraction:g} of {n_rows} rows, which "
                "leaves none on one side. Expected more rows, or early_stopping=False."
            )
        return out

    def _keep(self, net: Net, losses: Array, validation: Array, best: int, converged: bool) -> None:
        self._net = net
        self.loss_curve_, self.validation_curve_, self.best_iter_ = losses, validation, best
        self.n_iter_, self.converged_ = len(losses), converged

    # Scores

    def _scores(self, table: Table) -> Array:
        found = np.empty((table.n_rows, self._net.units[-1]))
        for start in range(0, table.n_rows, ENCODED_ROWS):
            part = table if table.n_rows <= ENCODED_ROWS else table.rows(start, start + ENCODED_ROWS)
            rows = NetRows(*self._inputs.encode(part))
            found[start : start + ENCODED_ROWS] = self._net.scores(self._inputs, rows)
        return found

    # The textbook

    @property
    def coefs_(self) -> list[Array]:
        """The weights of each layer, inputs × outputs; of scaled inputs."""
        self._fitted_schema()
        return [weights for weights, _ in self._net.layer_views()]

    @property
    def intercepts_(self) -> list[Array]:
        """The biases of each layer."""
        self._fitted_schema()
        return [biases for _, biases in self._net.layer_views()]

    def trace(self, X: Any, y: Any = None) -> NetTrace:
        """One step of backpropagation on the rows of `X`, shown: activations, deltas and gradients of every layer."""
        still = self._still()
        still._given_schema()
        training = still._prepare_as_given(X, y, None)
        rows = NetRows(*still._inputs.encode(still._matched(training.source)))
        return trace_step(still._inputs, still._net, rows, still._truth(still._target_codes(training)))

    def _target_codes(self, training: Training) -> Array:
        return np.asarray(training.target)

    def plot_losses(self, ax: Any = None) -> Any:
        """Draw the mean loss epoch by epoch, of rows learnt from and of rows held out; returns the matplotlib axes."""
        from learnt.plot.neural import plot_losses

        self._fitted_schema()
        return plot_losses(self.loss_curve_, self.validation_curve_, self.best_iter_, ax)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        net, inputs = self._net, self._inputs
        if (net.dense, net.categories, net.dims) != (inputs.n_dense, inputs.categories, inputs.dims):
            raise SavedModelError("The net does not fit its inputs.")
        if inputs.schema != self._schema or net.units[-1] != self._n_scores() or net.loss != self._core_loss():
            raise SavedModelError("The net does not fit the columns or the classes.")
        if self._average.shape != (net.n_inputs,):
            raise SavedModelError("The average row does not fit the net.")


def _relative(weights: Array | None) -> Array | None:
    """Weights; where all that are not 0 are equal, 1 for these. None for ones."""
    if weights is None:
        return None
    there = weights > 0
    return uneven(there.astype(np.float64) if np.ptp(weights[there]) == 0 else weights)


def _in_drawn_order(inputs: NetInputs, rows: NetRows, y: Array, w: Array | None) -> tuple[NetRows, Array, Array | None]:
    """Small tables in an order that follows from their cells, whole weights as copies: so the order of the rows, and
    whether one stands there twice, change nothing. Large ones as they came, without rows of weight 0."""
    if len(rows) > ORDERED_UP_TO or rows.x.size > 4_000_000:
        there = None if w is None else np.flatnonzero(w)
        return (rows, y, w) if there is None or w is None else (rows.take(there), y[there], w[there])
    there = np.arange(len(rows)) if w is None else np.flatnonzero(w)
    there = there[np.argsort(y[there], kind="stable")]  # decides between equal rows
    points = np.column_stack([inputs.scaled(rows.x[there]), rows.codes[there]])
    rank = np.zeros(len(rows), np.int64)
    rank[there[order_of_points(points)]] = np.arange(len(there))
    places = places_to_draw(rank, w)
    assert places is not None
    left = None if w is None or are_copies(w) else w[places]
    return rows.take(places), y[places], left
