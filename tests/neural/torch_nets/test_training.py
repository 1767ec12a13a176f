"""Gradients, batches, early stopping, and what ends a fit."""

import numpy as np
import pytest
from tests.neural.torch_nets.conftest import mixed_steps

import learnt
from learnt import ConvNetClassifier, LSTMClassifier
from learnt.errors import InputError
from learnt.neural.torch_nets.adamw import AdamW
from learnt.neural.torch_nets.runtime import computing
from learnt.neural.torch_nets.training import _batch_loss, batches

torch = pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")


@pytest.mark.parametrize("kind", ["images", "sequences"])
def test_gradients_are_those_of_finite_differences(kind, small_net, small_memory, digits):
    if kind == "images":
        model, items = small_net, small_net._items(digits[0][:6])
    else:
        model = small_memory
        items = model._items(mixed_steps(6, seed=1)[0], sequence=None, order=None, lengths=None)
    codes = np.arange(6) % len(model.classes_)
    w = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 0.25])
    course, cpu = model._course(items, codes, w, 0), torch.device("cpu")
    modules = model._net.modules(torch, cpu)

    def loss():
        return _batch_loss(course, model._net, modules, np.arange(6), w, torch, cpu)

    with computing(torch, cpu, 0):
        loss().backward()
        rng = np.random.default_rng(0)
        for name, p in modules.named_parameters():
            flat, own = p.data.view(-1), p.grad.view(-1)
            for j in rng.choice(len(flat), min(4, len(flat)), replace=False):
                before, h = float(flat[j]), 1e-6
                flat[j] = before + h
                above = float(loss().detach())
                flat[j] = before - h
                below = float(loss().detach())
                flat[j] = before
                assert float(own[j]) == pytest.approx((above - below) / (2 * h), rel=1e-5, abs=1e-8), name


def test_all_that_a_step_needs_lies_on_the_device(small_net, digits):
    """ "meta", a device without memory, refuses what lies elsewhere as a graphics card does."""
    meta, w = torch.device("meta"), np.ones(6)
    course = small_net._course(small_net._items(digits[0][:6]), np.arange(6) % len(small_net.classes_), w, 0)
    modules = small_net._net.modules(torch, meta)
    optimizer = AdamW(torch, modules, 0.1, 1.0)
    _batch_loss(course, small_net._net, modules, np.arange(6), w, torch, meta).backward()
    optimizer.step(0.01)
    assert {p.device.type for p in modules.parameters()} == {"meta"}


def test_batches_hold_every_row_once_and_sequences_of_about_one_length():
    rng = np.random.default_rng(0)
    rows, lengths = np.arange(5, 105), rng.integers(1, 100, 105)
    for given in (None, lengths):
        found = batches(rows, 8, given, np.random.default_rng(1))
        assert sorted(np.concatenate(found).tolist()) == rows.tolist()
        assert {len(b) for b in found} == {12, 13}
    assert max(np.ptp(lengths[b]) for b in found) < 40


def test_the_best_epoch_on_rows_held_out_is_kept(digits):
    X, y = digits
    model = ConvNetClassifier(
        channels=(8,), early_stopping=True, n_iter_no_change=2, max_iter=40, learning_rate="constant",
        learning_rate_init=0.05, tol=0.0,
    ).fit(X[:200], y[:200])  # fmt: skip
    assert len(model.validation_curve_) == model.n_iter_ == len(model.loss_curve_)
    assert model.best_iter_ == model.validation_curve_.argmin() + 1
    assert model.converged_
    assert model.n_iter_ < 40
    assert len(model.plot_losses().lines) == 3


def test_a_loss_that_runs_away_ends_the_fit_in_words_and_leaves_the_learner_as_it_was(digits):
    X, y = digits
    model = ConvNetClassifier(channels=(4,), max_iter=1).fit(X[:40], y[:40])
    before = model.predict_proba(X[:3])
    with pytest.raises(InputError, match=r"ran away. Choose a smaller learning_rate_init, e.g. 0\.01"):
        model.set_params(learning_rate_init=1e14, max_iter=5).fit(X[:40], y[:40])
    model.set_params(learning_rate_init=1e15, alpha=1e15, batch_size=40)
    with pytest.raises(InputError, match=r"in epoch 2: .*or a smaller alpha"):
        model.fit(X[:40], y[:40])
    with pytest.raises(InputError, match=r"for those held out, after every epoch.*smaller learning_rate_init"):
        model.set_params(max_iter=1, early_stopping=True, validation_fraction=0.3).fit(X[:40], y[:40])
    with pytest.raises(InputError, match=r"weights are beyond 1e\+12: .*or a smaller alpha"):
        model.set_params(max_iter=2, early_stopping=False, learning_rate_init=0.01, alpha=1e16).fit(X[:40], y[:40])
    np.testing.assert_array_equal(model.predict_proba(X[:3]), before)


def test_an_interrupted_fit_leaves_the_learner_as_it_was_and_steps_are_reported(ends):
    sequences, labels = ends(40)
    model = LSTMClassifier(hidden_size=4, max_iter=3)

    def interrupt(step):
        seen.append(step)
        if len(seen) == 2:
            raise KeyboardInterrupt

    seen = []
    with pytest.raises(KeyboardInterrupt), learnt.watch(interrupt):
        model.fit(sequences, labels)
    assert not model.__sklearn_is_fitted__()
    with learnt.watch() as log:
        model.fit(sequences, labels)
    assert log["objective"] == model.loss_curve_.tolist()
    assert log["total"] == [3, 3, 3]
    seen.clear()
    before = model.predict_proba(sequences)
    with pytest.raises(KeyboardInterrupt), learnt.watch(interrupt):
        model.fit(sequences[:20], labels[:20])
    np.testing.assert_array_equal(model.predict_proba(sequences), before)
