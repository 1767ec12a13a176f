"""How an autoencoder is fitted: seeds, going on, being interrupted, rows held out, settings that contradict."""

import numpy as np
import pytest

import learnt
from learnt import Autoencoder, check_gradients
from learnt.errors import InputError, ParameterError


def quick(**settings):
    return Autoencoder(2, **({"encoder_sizes": (8,), "max_iter": 5} | settings))


def test_the_same_seed_gives_the_same_net_and_another_another(mixed_table):
    nets = [quick(random_state=seed, noise_level=0.1).fit(mixed_table[0])._net.parameters for seed in (0, 0, 1)]
    assert nets[0].tobytes() == nets[1].tobytes() != nets[2].tobytes()


def test_partial_fit_goes_on_and_a_warm_start_too(mixed_table):
    table = mixed_table[0]
    model = quick(tied_weights=True).partial_fit(table)
    first = model.reconstruction_error_
    for _ in range(30):
        model.partial_fit(table)
    assert model.reconstruction_error_ < 0.9 * first
    assert model.coefs_[-1].tobytes() == model.coefs_[0][: model.coefs_[-1].shape[1]].T.copy().tobytes()
    warm = quick(warm_start=True).fit(table)
    before = warm.loss_curve_[0]
    assert warm.fit(table).loss_curve_[0] < before
    with pytest.raises(ParameterError, match="tied_weights"):
        warm.set_params(tied_weights=True).fit(table)
    with pytest.raises(InputError, match="warm_start"):
        warm.set_params(tied_weights=False).fit({"z": [1.0, 2.0, 3.0]})


def test_a_partial_fit_goes_on_from_a_saved_net_as_from_the_net_itself(mixed_table, tmp_path):
    table = mixed_table[0]
    model = quick(noise_level=0.2).partial_fit(table)
    learnt.save(model, tmp_path / "net.learnt")
    again = learnt.load(tmp_path / "net.learnt").partial_fit(table)
    np.testing.assert_array_equal(again.score_samples(table), model.partial_fit(table).score_samples(table))


def test_an_interrupted_fit_leaves_the_learner_as_it_was(mixed_table):
    table = mixed_table[0]
    model = quick().fit(table)
    before = model.score_samples(table)

    def interrupt(step):
        raise KeyboardInterrupt

    for go_on in (model.fit, model.partial_fit):
        with pytest.raises(KeyboardInterrupt), learnt.watch(interrupt):
            go_on(table)
        np.testing.assert_array_equal(model.score_samples(table), before)
    model.partial_fit(table)


def test_rows_held_out_choose_the_epoch_that_is_kept():
    x = np.random.default_rng(0).normal(size=(60, 10))
    model = Autoencoder(5, encoder_sizes=(64,), early_stopping=True, validation_fraction=0.3, n_iter_no_change=5,
                        learning_rate="constant", learning_rate_init=0.01, max_iter=300).fit(x)  # fmt: skip
    assert model.n_iter_ < 300
    assert model.best_iter_ == 1 + int(model.validation_curve_.argmin())
    with pytest.raises(InputError, match="early_stopping"):
        quick(early_stopping=True).fit([[0.0], [1.0]])


def test_progress_is_told_epoch_by_epoch(mixed_table):
    seen = []
    with learnt.watch(seen.append):
        quick().fit(mixed_table[0])
    assert [step.iteration for step in seen] == [1, 2, 3, 4, 5]


def test_settings_that_contradict_each_other_are_refused(mixed_table):
    with pytest.raises(ParameterError, match="mirrored"):
        quick(tied_weights=True, decoder_sizes=(9,)).fit(mixed_table[0])
    with pytest.raises(ParameterError, match="noise_level"):
        quick(solver="lbfgs", noise_level=0.1).fit(mixed_table[0])
    assert quick(decoder_sizes=(9, 4)).fit(mixed_table[0])._net.units[:-1] == (8, 2, 9, 4)


@pytest.mark.parametrize("tied", [False, True])
def test_the_gradient_check_knows_autoencoders(mixed_table, tied):
    model = quick(tied_weights=tied, activation="tanh").fit(mixed_table[0])
    assert check_gradients(model, mixed_table[0]).error < 1e-7


@pytest.mark.parametrize("tied", [False, True])
def test_weight_decay_of_lbfgs_counts_each_weight_once(tied):
    """At the optimum the gradient of the mean loss is −α times the weights; of tied ones that of both copies."""
    x = np.random.default_rng(0).normal(size=(50, 4))
    settings = {"solver": "lbfgs", "tol": 1e-10, "max_iter": 3000, "encoder_sizes": (), "standardize": True}
    model = quick(tied_weights=tied, alpha=0.01, **settings).fit(x)
    net, cells = model._net, model._cells
    rows = learnt.neural.net.NetRows(x, np.zeros((50, 0), np.int32))
    gradients = [w / 50 for w, _ in net.layer_views(net.gradient(cells, rows, np.zeros(50), None)[1])]
    if tied:
        np.testing.assert_allclose(gradients[0] + gradients[1].T, -0.01 * model.coefs_[0], atol=1e-6)
    else:
        np.testing.assert_allclose(gradients[0], -0.01 * model.coefs_[0], atol=1e-6)
        np.testing.assert_allclose(gradients[1], -0.01 * model.coefs_[1], atol=1e-6)
