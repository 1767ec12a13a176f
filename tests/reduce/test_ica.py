"""FastICA against scikit-learn's from the same start, and on sources that are known."""

import numpy as np
import pytest
from sklearn.decomposition import FastICA

from learnt import ICA
from learnt.errors import ConvergenceWarning, InputError, ParameterError


def sources(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [rng.laplace(size=n), rng.uniform(size=n), rng.choice([-1.0, 1.0], n), rng.uniform(size=n) ** 3]
    )


def mixed(seed=0):
    return sources(seed=seed) @ np.random.default_rng(seed + 1).normal(size=(4, 4)) + 5


@pytest.mark.parametrize("fun", ["logcosh", "exp", "cube"])
@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
def test_sources_are_scikit_learns_from_the_same_start(fun, algorithm):
    x, start = mixed(), np.random.default_rng(7).normal(size=(4, 4))
    settings = {"fun": fun, "algorithm": algorithm, "tol": 1e-9, "max_iter": 1000}
    theirs = FastICA(whiten="unit-variance", whiten_solver="svd", w_init=start, **settings).fit(x)
    # Axes of the whitened rows may point the other way here: the start is turned with them.
    way = np.sign((ICA(random_state=0).fit(x).whitening_ * theirs.whitening_).sum(axis=1))
    ours = ICA(w_init=start * way, **settings).fit(x)
    assert ours.converged_
    assert ours.n_iter_ == theirs.n_iter_
    np.testing.assert_allclose(
        ours.whitening_ * way[:, None], theirs.whitening_ * np.sqrt(len(x)), rtol=1e-8, atol=1e-10
    )
    likeness = np.abs(np.corrcoef(ours.transform(x).T, theirs.transform(x).T)[:4, 4:])
    np.testing.assert_allclose(likeness.max(axis=0), 1, rtol=1e-9)
    order = likeness.argmax(axis=0)
    np.testing.assert_allclose(np.abs(ours.components_[order]), np.abs(theirs.components_), rtol=1e-6)
    np.testing.assert_allclose(np.abs(ours.mixing_[:, order]), np.abs(theirs.mixing_), rtol=1e-6)


def test_sources_that_were_mixed_are_found_again():
    found = ICA(random_state=0).fit(mixed())
    likeness = np.abs(np.corrcoef(found.unmix(mixed()).T, sources().T)[:4, 4:])
    assert likeness.max(axis=0).min() > 0.99
    np.testing.assert_allclose(np.cov(found.transform(mixed()).T, bias=True), np.eye(4), atol=1e-8)
    np.testing.assert_allclose(found.mix(found.unmix(mixed())), mixed(), atol=1e-10)


def test_sources_come_by_the_variance_they_bring_and_with_a_sign():
    found = ICA(random_state=0).fit(mixed())
    ratio = found.explained_variance_ratio_
    assert np.all(np.diff(ratio) <= 0)
    assert ratio.sum() == pytest.approx(1)
    pairs = zip(found.transform(mixed()).T, found.mixing_.T, strict=True)
    brought = np.array([np.var(np.outer(source, mixing), axis=0).sum() for source, mixing in pairs])
    np.testing.assert_allclose(brought / np.var(mixed(), axis=0).sum(), ratio, rtol=1e-9)
    largest = np.abs(found.components_).argmax(axis=1)
    assert np.all(found.components_[np.arange(4), largest] > 0)


def test_the_start_decides_nothing_but_the_number_of_steps():
    one, two = (ICA(random_state=seed, tol=1e-10).fit(mixed()) for seed in (0, 1))
    np.testing.assert_allclose(one.components_, two.components_, atol=1e-5)


@pytest.mark.parametrize("size", [1e150, 1e-150, 1e8])
def test_the_scale_and_the_place_of_the_numbers_do_not_matter(size):
    plain, ours = ICA(random_state=0).fit(mixed()), ICA(random_state=0).fit(mixed() * size)
    np.testing.assert_allclose(ours.transform(mixed() * size), plain.transform(mixed()), atol=1e-6)
    far = ICA(random_state=0).fit(mixed() + size) if size == 1e8 else None
    if far is not None:
        np.testing.assert_allclose(far.transform(mixed() + size), plain.transform(mixed()), atol=1e-5)


def test_weights_are_copies_where_sources_can_be_told_apart():
    x, counts = mixed()[:400], np.random.default_rng(2).integers(0, 3, 400)
    one = ICA(random_state=0, tol=1e-8).fit(x, sample_weight=counts)
    two = ICA(random_state=0, tol=1e-8).fit(np.repeat(x, counts, axis=0))
    np.testing.assert_allclose(one.components_, two.components_, rtol=1e-7)
    three = ICA(random_state=0, tol=1e-8).fit(x, sample_weight=0.037 * counts)
    np.testing.assert_allclose(three.components_, two.components_, rtol=1e-7)


def test_an_early_end_is_told():
    with pytest.warns(ConvergenceWarning, match="come to rest after 1 steps"):
        model = ICA(max_iter=1, random_state=0).fit(mixed())
    assert not model.converged_


def test_more_sources_than_axes_are_refused_or_told():
    x = mixed()[:, :2]
    with pytest.raises(InputError, match="n_components=3"):
        ICA(3).fit(x)
    with pytest.warns(ConvergenceWarning, match="along 2 axes"):
        assert ICA(3, random_state=0).fit(np.column_stack([x, x[:, 0]])).n_components_ == 2
    with pytest.raises(ParameterError, match="w_init"):
        ICA(w_init=np.eye(3)).fit(x)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_strange_tables_do_no_harm():
    for x in (np.ones((1, 2)), np.ones((6, 3)), np.arange(4.0)[:, None], np.random.default_rng(0).normal(size=(4, 30))):
        assert np.isfinite(ICA(random_state=0).fit_transform(x)).all()


def test_explanations_add_up():
    model = ICA(random_state=0).fit(mixed())
    told = model.explain(mixed(), component=1)[3]
    assert told.total == pytest.approx(model.transform(mixed())[3, 1])
    assert told.add_up() == pytest.approx(told.total)
    assert "source" in str(model)
