"""Autoencoders: the space of principal components, rows there and back, errors that add up, hostile tables."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.sparse import csr_matrix

import learnt
from learnt import PCA, Autoencoder, Table
from learnt.errors import InputError


def cloud(n=300, p=8, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 3


def quick(n_components=2, **settings):
    return Autoencoder(n_components, **({"encoder_sizes": (8,), "max_iter": 20} | settings))


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("standardize", [False, True])
def test_linear_units_span_the_space_of_principal_components(tied, standardize):
    x = cloud()
    z = (x - x.mean(axis=0)) / (x.std(axis=0) if standardize else 1)
    axes = np.linalg.svd(z, full_matrices=False)[2][:3].T
    exact = {"solver": "lbfgs", "tol": 1e-9, "max_iter": 2000}
    model = Autoencoder(3, encoder_sizes=(), tied_weights=tied, standardize=standardize, **exact).fit(x)
    into, back = model.coefs_
    assert subspace_angles(axes, into).max() < 1e-4
    assert subspace_angles(axes, back.T).max() < 1e-4
    by_axes = PCA(3, standardize=standardize).fit(x)
    there_and_back = by_axes.inverse_transform(by_axes.transform(x))
    np.testing.assert_allclose(model.inverse_transform(model.transform(x)), there_and_back, atol=1e-3)


@pytest.mark.parametrize("tied", [False, True])
def test_steps_in_single_precision_reach_that_space_too(tied):
    x = cloud()
    axes = np.linalg.svd((x - x.mean(axis=0)) / x.std(axis=0), full_matrices=False)[2][:3].T
    model = Autoencoder(3, encoder_sizes=(), tied_weights=tied, standardize=True, max_iter=1500, tol=0).fit(x)
    assert subspace_angles(axes, model.coefs_[1].T.astype(float)).max() < 1e-3


def test_a_bent_line_needs_one_number_where_units_bend():
    t = np.random.default_rng(0).uniform(-2, 2, 400)
    x = np.column_stack([t, t**2, np.sin(2 * t)])
    straight = Autoencoder(1, encoder_sizes=()).fit(x).reconstruction_error_
    bent = Autoencoder(1, encoder_sizes=(32, 16), max_iter=150).fit(x)
    assert bent.reconstruction_error_ < 0.2 * straight
    assert bent.transform(x).shape == (400, 1)


def test_a_table_comes_back_in_its_own_columns(mixed_table):
    table = mixed_table[0]
    back = quick(6, encoder_sizes=(64,), max_iter=300, most_categories=40).fit(table).reconstruct(table)
    assert back.schema == table.schema
    assert not any(column.missing.any() for column in back.columns)
    for name in ("town", "yes", "kind"):
        assert np.mean(back[name].values == table[name].values) > 0.9
    there = ~table["x"].missing
    assert np.corrcoef(back["x"].values[there], table["x"].values[there])[0, 1] > 0.95


def test_frames_come_back_as_frames():
    import pandas as pd

    frame = pd.DataFrame(
        {
            "size": pd.Categorical(list("SMLSML"), ["S", "M", "L"], ordered=True),
            "n": [1, 2, 3, 1, 2, 3],
            "b": [True] * 6,
        },
        index=list("abcdef"),
    )
    model = quick(1, encoder_sizes=(), solver="lbfgs", max_iter=300).fit(frame)
    codes = model.transform(frame)
    assert list(codes.columns) == ["autoencoder0"]
    assert list(codes.index) == list(frame.index)
    back = model.inverse_transform(codes)
    assert back["size"].tolist() == frame["size"].tolist()
    assert back["b"].tolist() == [True] * 6
    np.testing.assert_allclose(back["n"], frame["n"], atol=0.05)


@pytest.mark.parametrize("settings", [{}, {"tied_weights": True}, {"standardize": True}, {"noise_level": 0.2}])
def test_the_parts_of_an_explanation_add_up_to_the_error(mixed_table, settings):
    table = mixed_table[0]
    model = quick(**settings).fit(table)
    errors = -model.score_samples(table)
    for i, told in enumerate(model.explain(table)[:10]):
        assert sum(e.contribution for e in told.evidence) == pytest.approx(errors[i], rel=1e-9)
        assert all(e.contribution >= 0 for e in told.evidence)
        assert told.evidence[0].contribution == 0 or not table["x"].missing[i]
    assert "probability" in str(told)
    assert model.score(table) == pytest.approx(-errors.mean())
    assert model.reconstruction_error_ == pytest.approx(errors.mean())
    assert (model.column_errors_ < model.average_errors_ + 0.05).all()
    assert "kept" in str(model)


def test_a_strange_row_scores_low_and_its_column_is_named():
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    table = {"a": a, "twice": 2 * a + 0.1 * rng.normal(size=300), "less": -a, "sign": np.where(a > 0, "plus", "minus")}
    model = Autoencoder(1, max_iter=100).fit(table)
    usual = model.score_samples(table)
    strange = {"a": [1.0, 1.0], "twice": [-2.0, 2.0], "less": [-1.0, -1.0], "sign": ["plus", "minus"]}
    assert (model.score_samples(strange) < np.quantile(usual, 0.01)).all()
    assert [told.by_size()[0].column for told in model.explain(strange)] == ["twice", "sign"]


def test_denoising_finds_again_what_was_spoilt():
    rng = np.random.default_rng(0)
    t = rng.normal(size=(600, 2))
    x = t @ rng.normal(size=(2, 12))
    spoilt = np.where(rng.random(x.shape) < 0.15, x[rng.permutation(600)], x)
    errors = []
    for level in (0.0, 0.15):
        model = Autoencoder(4, encoder_sizes=(32,), noise_level=level, max_iter=100, standardize=True).fit(x)
        errors.append(float(np.mean((model.reconstruct(spoilt) - x) ** 2)))
    assert errors[1] < 0.8 * errors[0]


def test_a_weight_of_two_is_a_row_twice_and_of_none_no_row(mixed_table):
    table = mixed_table[0].drop("kind")  # some of its labels would be gone
    w = np.random.default_rng(1).integers(0, 3, 80)
    weighted = quick(noise_level=0.1).fit(table, sample_weight=w.astype(float))
    repeated = quick(noise_level=0.1).fit(table.take(np.repeat(np.arange(80), w)))
    np.testing.assert_array_equal(np.asarray(weighted.transform(table)), np.asarray(repeated.transform(table)))
    assert weighted.reconstruction_error_ == pytest.approx(repeated.reconstruction_error_, rel=1e-9)


def test_saved_it_scores_and_gives_back_as_before(mixed_table, tmp_path):
    table = mixed_table[0]
    model = quick(tied_weights=True).fit(table)
    learnt.save(model, tmp_path / "net.learnt")
    again = learnt.load(tmp_path / "net.learnt")
    np.testing.assert_array_equal(again.score_samples(table), model.score_samples(table))
    assert again.reconstruct(table)["town"].labels() == model.reconstruct(table)["town"].labels()


@pytest.mark.parametrize("scale", [1e150, 1e-150, 1e-300])
@pytest.mark.parametrize("standardize", ["robust", True])
def test_units_do_not_matter(scale, standardize):
    x = cloud(60, 3)
    one = quick(standardize=standardize).fit(x)
    other = quick(standardize=standardize).fit(x * scale)
    np.testing.assert_allclose(other.score_samples(x * scale), one.score_samples(x), rtol=0.05, atol=0.02)
    np.testing.assert_allclose(other.reconstruct(x * scale) / scale, one.reconstruct(x), rtol=0.2, atol=0.5)


@pytest.mark.filterwarnings("ignore::learnt.errors.ConvergenceWarning")
@pytest.mark.parametrize("settings", [{}, {"tied_weights": True}, {"solver": "lbfgs"}])
def test_one_row_constant_columns_and_empty_ones_come_back_as_they_were(settings):
    cells = {"one": [3.0, 3.0, 3.0], "none": [None, None, None], "label": ["a", "a", "a"], "gap": [5.0, None, 5.0]}
    table = Table(cells, kinds={"none": "numeric"})
    model = quick(**settings).fit(table)
    back = model.inverse_transform(model.transform(table))
    assert back["one"].labels() == [3.0] * 3
    assert back["none"].labels() == [None] * 3
    assert back["label"].labels() == ["a"] * 3
    assert back["gap"].labels() == [5.0] * 3
    assert model.score_samples(table).tolist() == [0.0] * 3
    alone = quick(**settings).fit(table.rows(0, 1))
    assert alone.score_samples(table).tolist() == [0.0] * 3
    assert np.isfinite(np.asarray(alone.transform(table))).all()
    assert str(alone)
    assert str(alone.explain(table))


def test_a_loss_that_is_no_number_ends_the_fit_in_words():
    x = cloud(50, 3)
    with pytest.raises(InputError, match="smaller learning_rate_init"):
        quick(solver="sgd", learning_rate_init=1e30, encoder_sizes=()).fit(x)
    with pytest.raises(InputError, match="standardize"):
        quick(standardize=False, activation="identity").fit(x * 1e150)


def test_sparse_rows_are_taken():
    x = csr_matrix(np.random.default_rng(0).poisson(0.3, (60, 40)).astype(float))
    model = quick().fit(x)
    np.testing.assert_allclose(model.transform(x), model.transform(x.toarray()))


def test_codes_that_lead_nowhere_are_refused():
    model = quick(encoder_sizes=(), standardize=True).fit(cloud(40, 3) * 1e300)
    with pytest.raises(InputError, match="beyond all"):
        model.inverse_transform([[1e300, 1e300]])
    far = np.full((1, 3), 1e308)
    assert Autoencoder(1, encoder_sizes=(), standardize=True).fit(cloud(40, 3)).score_samples(far).tolist() == [-np.inf]
    with pytest.raises(InputError, match="2 scores"):
        model.inverse_transform([[1.0]])


def test_codes_are_drawn():
    import matplotlib.pyplot as plt

    x = cloud(40, 3)
    model = quick(early_stopping=True, validation_fraction=0.3).fit(x)
    assert len(model.plot_losses().lines) == 3
    assert model.plot(x, color=x[:, 0] > 3).get_xlabel() == "autoencoder0"
    plt.close("all")
    with pytest.raises(InputError, match="n_components=2"):
        quick(1).fit(x).plot(x)
