"""What classifiers of images and of sequences share: settings, training, answers."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.row_keys import ORDERED_UP_TO, are_copies, places_to_draw
from learnt.data.table import Array, Table
from learnt.engine.counted_rows import without_weightless_labels
from learnt.engine.training import Training, prepare
from learnt.errors import SavedModelError, convergence_warning
from learnt.explain import Explanation, Explanations
from learnt.learner.base import Classifier
from learnt.learner.class_weights import CLASS_WEIGHTS, class_factors
from learnt.learner.fields import attribute, setting
from learnt.learner.output import framed_classes
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.neural.attribution import only_class
from learnt.neural.descent import Schedule, batch_length
from learnt.neural.losses import log_softmax
from learnt.neural.row_order import held_out_places
from learnt.neural.torch_nets.conv_layers import ConvLayers
from learnt.neural.torch_nets.lstm_layers import LstmLayers
from learnt.neural.torch_nets.path_integral import explain_item
from learnt.neural.torch_nets.runtime import computing, device_named, import_torch
from learnt.neural.torch_nets.stored_net import TorchNet
from learnt.neural.torch_nets.training import ASKED, Course, Trained, scores_of, train
from learnt.show.words import count_of
from learnt.statistics.counts import weigh_codes
from learnt.storable import Numbers


class TorchClassifier(Classifier, abstract=True):
    """Members say how things are read and encoded, and what the layers are."""

    abilities = frozenset({"missing", "weights", "probabilities", "random"})
    fit_cost = 2000.0
    simplicity = 95.0

    dropout: float = setting(
        Real(0, below=1), "the share of numbers before the scores left out at each step", default=0.2
    )
    alpha: float = setting(Real(0, 1e16), "weight decay: weights shrink by α η at each step", default=0.02)
    batch_size: Any = setting(
        OneOf("auto") | Whole(1), 'rows per step; "auto": 16 to 256, by the number of rows', default="auto"
    )
    learning_rate: str = setting(
        OneOf("cosine", "constant"), 'length η of steps: "cosine" from η₀ to 0 over all epochs', default="cosine"
    )
    learning_rate_init: float = setting(Real(above=0, high=1e16), "η₀", default=0.003)
    max_iter: Any = setting(
        OneOf(None) | Whole(1), "epochs, at most; None: 20, or so many that there are 300 steps", default=None
    )
    label_smoothing: float = setting(Real(0, below=1), "the share of each label that all classes share", default=0.0)
    early_stopping: Any = setting(
        OneOf("auto") | Flag(),
        'hold rows out, end when their loss stops falling and keep the best net; "auto": from 1000 rows on',
        default="auto",
    )
    validation_fraction: float = setting(Real(above=0, below=1), "the share of rows held out", default=0.1)
    n_iter_no_change: int = setting(
        Whole(1), "so many epochs without gain end it, where rows are held out or steps constant", default=10
    )
    tol: float = setting(Real(0), "what counts as a gain", default=1e-4)
    class_weight: Any = setting(
        CLASS_WEIGHTS, 'weights by class, or "balanced": all classes weigh the same', default=None
    )
    device: str = setting(
        OneOf("auto", "cpu", "cuda"), '"cpu", "cuda", a graphics card, or "auto": one if it is there', default="auto"
    )
    precision: str = setting(OneOf("single", "double"), "of the numbers inside", default="single")
    random_state: Any = setting(Seed(), "seed of first weights, order, dropout and what is held out", default=0)

    n_iter_: int = attribute()
    converged_: bool = attribute()
    loss_curve_: Numbers = attribute()
    validation_curve_: Numbers = attribute()
    best_iter_: int = attribute()
    device_: str = attribute()
    _net: TorchNet = attribute()

    _usual_epochs: ClassVar[int] = 20

    # What members know

    def _layers(self) -> ConvLayers | LstmLayers:
        raise NotImplementedError

    def _read(self, X: Any, y: Any, sample_weight: Any, *, anew: bool, **how: Any) -> tuple[Any, Any, Any]:
        """What is read of `X`, `anew` or as what was fitted, and the labels and weights of its items."""
        raise NotImplementedError

    def _learn_scales(self, read: Any, weights: Array | None) -> None:
        """Look at what was read once, and keep what `_encode` needs."""
        raise NotImplementedError

    def _encode(self, read: Any) -> Any:
        """The items that the net gets of what was read."""
        raise NotImplementedError

    def _learn_average(self, items: Any, weights: Array | None) -> None:
        """Keep where explanations start, once the net is trained."""

    def _vary(self) -> Any:
        return None

    def _parts_of(self, items: Any, i: int, by_input: Array) -> tuple[tuple[str, Any, float, str], ...]:
        """Name, cell, part and words of what an explanation lists, from the parts of the inputs of item i."""
        raise NotImplementedError

    _base_words: ClassVar[str] = "average"

    def _base_inputs(self, inputs: Any) -> Any:
        """Where explanations start: inputs of the same shape."""
        raise NotImplementedError

    # Fitting

    def _fit_items(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> Self:
        self._check_parameters()
        torch = import_torch(type(self).__name__)
        device = device_named(torch, self.device, type(self).__name__)
        twin = self._twin()
        read, y, sample_weight = twin._read(X, y, sample_weight, anew=True, **how)
        training = self._prepared_labels(len(read), y, sample_weight)
        assert training.classes is not None
        twin.classes_ = training.classes
        twin._learn_items(read, training, torch, device)
        return self._become(twin)

    def _prepared_labels(self, n: int, y: Any, sample_weight: Any) -> Training:
        """Labels and weights, checked as those of the rows of a table."""
        rows = Table.of_matrix(np.zeros((n, 1)))
        training = prepare(rows, y, sample_weight, "classes", type(self).__name__)
        return without_weightless_labels(training, rows, y)

    def _learn_items(self, read: Any, training: Training, torch: Any, device: Any) -> None:
        codes, w = np.asarray(training.target), self._class_weighted(training)
        self._learn_scales(read, w)
        items = self._encode(read)
        places = places_in_drawn_order(items, codes, w)
        items, codes = items.take(places), codes[places]
        w = None if w is None or (are_copies(w) and len(w) <= ORDERED_UP_TO) else w[places]
        counts = weigh_codes(codes, len(self.classes_), w)
        bias = np.log((counts + 1e-3 * counts.sum()) / counts.sum())
        seed = seed_from(self.random_state)
        dtype = np.float64 if self.precision == "double" else np.float32
        net = TorchNet.start(self._layers(), bias, seed, dtype)
        done = Trained(net, np.zeros(0), np.zeros(0), 0, True)
        if len(self.classes_) > 1:
            work = batch_length(self.batch_size, len(items)) * net.layers.work(items.places)
            with computing(torch, device, work, seed):
                done = train(self._course(items, codes, w, seed), net, torch, device)
        self._net, self.loss_curve_, self.validation_curve_ = done.net, done.losses, done.validation
        self.n_iter_, self.best_iter_, self.converged_ = len(done.losses), done.best, done.converged
        self.device_ = str(device.type)
        self._learn_average(items, w)
        if not done.converged:
            warnings.warn(
                convergence_warning(
                    f"{type(self).__name__} stopped after {count_of(self.n_iter_, 'epoch')}, before the loss came to "
                    "rest. Raise max_iter or tol."
                ),
                stacklevel=4,
            )

    def _class_weighted(self, training: Training) -> Array | None:
        w, codes = training.weights, np.asarray(training.target)
        counts = weigh_codes(codes, len(self.classes_), w)
        factors = class_factors(self.class_weight, self.classes_, counts, type(self).__name__)
        if factors is None:
            return None if w is None else np.asarray(w)
        found: Array = factors[codes] if w is None else w * factors[codes]
        return found

    def _course(self, items: Any, codes: Array, w: Array | None, seed: int) -> Course:
        return Course(
            owner=type(self).__name__,
            items=items,
            codes=codes,
            weights=w,
            schedule=Schedule(self.learning_rate, float(self.learning_rate_init)),
            batch_size=self.batch_size,
            epochs=self.max_iter,
            usual_epochs=self._usual_epochs,
            alpha=float(self.alpha),
            dropout=float(self.dropout),
            smoothing=float(self.label_smoothing),
            seed=seed,
            held_out=self._hold_out(len(items), seed),
            tolerance=float(self.tol),
            patience=int(self.n_iter_no_change),
            vary=self._vary(),
        )

    def _hold_out(self, n: int, seed: int) -> Array | None:
        share, name = float(self.validation_fraction), type(self).__name__
        return held_out_places(self.early_stopping, share, n, seed=seed, owner=name)

    # Answers

    def _logs(self, items: Any) -> Array:
        """Logarithms of probabilities, items × classes."""
        if len(self.classes_) == 1:
            return np.zeros((len(items), 1))
        torch = import_torch(type(self).__name__)
        device = device_named(torch, self.device, type(self).__name__)
        work = min(ASKED, len(items)) * self._net.layers.work(items.places)
        with computing(torch, device, work):
            return log_softmax(scores_of(self._net, items, torch, device))

    def _items(self, X: Any, **how: Any) -> Any:
        self._fitted_schema()
        return self._encode(self._read(X, None, None, anew=False, **how)[0])

    def _framed_answer(self, X: Any, *, logarithms: bool = False, **how: Any) -> Any:
        """Probabilities or their logarithms, items × classes."""
        still = self._still()
        logs = still._logs(still._items(X, **how))
        return framed_classes(still, logs if logarithms else np.exp(logs), None)

    def _labels_of(self, X: Any, **how: Any) -> Array:
        still = self._still()
        best = still._logs(still._items(X, **how)).argmax(axis=1)
        labels: Array = still.classes_[best]
        return labels

    def _accuracy(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> float:
        still = self._still()
        still._fitted_schema()
        read, y, sample_weight = still._read(X, y, sample_weight, anew=False, **how)
        test = still._prepared_labels(len(read), y, sample_weight)
        assert test.classes is not None
        answers = still.classes_[still._logs(still._encode(read)).argmax(axis=1)]
        hit = answers == test.classes[np.asarray(test.target)]
        return float(np.average(hit, weights=test.weights))

    def _explained(self, X: Any, **how: Any) -> Explanations:
        still = self._still()
        still._fitted_schema()
        items = still._items(X, **how)
        return Explanations(len(items), lambda i: still._explain_item(items, i)).like(X)

    def _explain_item(self, items: Any, i: int) -> Explanation:
        if len(self.classes_) == 1:
            return only_class(self.classes_[0])
        return explain_item(self, items.take(np.array([i])), i, items)

    @property
    def n_parameters_(self) -> int:
        """How many numbers were learnt."""
        self._fitted_schema()
        return self._net.n_parameters

    @property
    def weights_(self) -> dict[str, Array]:
        """The numbers of the layers by name, as PyTorch calls them; copies."""
        self._fitted_schema()
        return {name: tensor.copy() for name, tensor in self._net.tensors.items()}

    def plot_losses(self, ax: Any = None) -> Any:
        """Draw the mean loss epoch by epoch, of rows learnt from and of rows held out; returns the matplotlib axes."""
        from learnt.plot.neural import plot_losses

        self._fitted_schema()
        return plot_losses(self.loss_curve_, self.validation_curve_, self.best_iter_, ax)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self._net.layers != self._layers():
            raise SavedModelError("The layers of the net do not fit its settings, its inputs or the classes.")


def places_in_drawn_order(items: Any, codes: Array, w: Array | None) -> Array:
    """Few items in an order that follows from what they hold, whole weights as copies: so the order they come in, and
    whether one stands there twice, change nothing. Many as they came, without those of weight 0."""
    if len(items) > ORDERED_UP_TO:
        return np.arange(len(items)) if w is None else np.flatnonzero(w)
    keys = items.keys()
    order = sorted(range(len(keys)), key=lambda i: (keys[i], int(codes[i])))
    rank = np.empty(len(keys), np.int64)
    rank[order] = np.arange(len(keys))
    places = places_to_draw(rank, w)
    assert places is not None
    return places
