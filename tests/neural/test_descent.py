import numpy as np
import pytest

from learnt import MLPClassifier, MLPRegressor, losses, watch
from learnt.errors import InputError
from learnt.neural.descent import Schedule, batch_length, course_of


def test_lengths_of_steps_follow_their_schedules():
    assert Schedule("constant", 0.1).rates(5, 3, 100).tolist() == [0.1] * 3
    np.testing.assert_allclose(Schedule("invscaling", 0.1).rates(3, 2, 100), [0.1 / 2, 0.1 / np.sqrt(5)])
    wave = Schedule("cosine", 0.1).rates(0, 100, 100)
    assert wave.max() == pytest.approx(0.1)
    assert wave[0] == pytest.approx(0.02)
    assert wave[-1] < 1e-3
    assert np.all(np.diff(wave[5:]) < 0)


@pytest.mark.parametrize(
    ("settings", "optimizer"),
    [({}, "adamw"), ({"solver": "adam"}, "adam"), ({"solver": "sgd"}, "nesterov"),
     ({"solver": "sgd", "nesterov": False}, "momentum"), ({"solver": "sgd", "momentum": 0.0}, "sgd")],
)  # fmt: skip
def test_a_course_is_what_the_settings_say(settings, optimizer):
    model = MLPClassifier(**settings, max_iter=7, random_state=5).fit([[0.0], [1.0]], [0, 1])
    whole, one = (course_of(model, model._inputs, anew=anew) for anew in (True, False))
    assert whole.steps["optimizer"] == one.steps["optimizer"] == optimizer
    assert (whole.epochs, whole.schedule.kind, one.epochs, one.schedule.kind) == (7, "cosine", 1, "constant")
    assert (whole.owner, whole.seed, whole.device) == ("MLPClassifier", model._seed % 2**63, "cpu")


def test_batches_grow_with_the_table():
    assert [batch_length("auto", n) for n in (1, 10, 1000, 6000, 10**6)] == [1, 10, 32, 256, 256]
    assert batch_length(50, 20) == 20


def test_a_loss_that_is_no_number_stops_with_words_that_say_what_to_change():
    x = np.random.default_rng(0).normal(size=(50, 3)) * 1e4
    model = MLPRegressor(solver="sgd", learning_rate_init=1e6, standardize=False)
    with pytest.raises(InputError, match=r"smaller learning_rate_init.*standardize"):
        model.fit(x, x[:, 0])
    assert not hasattr(model, "_net")
    for solver in ("adamw", "lbfgs"):
        with pytest.raises(InputError, match="a smaller alpha"):
            MLPRegressor(solver=solver, alpha=1e300).fit(x, x[:, 0])


def test_a_loss_that_is_never_finite_for_rows_held_out_stops_with_words():
    x = np.random.default_rng(0).normal(size=(200, 2))

    def rows_held_out_have_no_loss(r):
        return np.full_like(r, np.nan) if len(r) < 16 else r**2

    lost = losses.Loss("lost", "?", "error", rows_held_out_have_no_loss, lambda r: 2 * r)
    model = MLPRegressor(loss=lost, early_stopping=True, validation_fraction=0.05, batch_size=1000, max_iter=3)
    with pytest.raises(InputError, match=r"no number for the rows held out, after every epoch.*early_stopping=False"):
        model.fit(x, x[:, 0])


def test_rows_held_out_choose_the_epoch_that_is_kept():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 5))
    y = (x[:, 0] + rng.normal(size=300) > 0).astype(int)
    model = MLPClassifier(early_stopping=True, n_iter_no_change=5, alpha=0.0, dropout=0.0).fit(x, y)
    assert model.best_iter_ == model.validation_curve_.argmin() + 1
    assert model.n_iter_ < 60
    assert len(model.loss_curve_) == model.n_iter_


def test_epochs_can_be_watched():
    with watch() as log:
        MLPClassifier(max_iter=7).fit([[0.0], [1.0]], [0, 1])
    assert len(log) == 7
