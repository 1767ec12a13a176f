"""The same numbers as hmmlearn's, from the same parameters."""

import logging

import numpy as np
import pytest

from learnt import HiddenMarkovModel

hmmlearn = pytest.importorskip("hmmlearn.hmm")
logging.getLogger("hmmlearn").setLevel(logging.ERROR)
LENGTHS = [150, 1, 249]
pytestmark = pytest.mark.filterwarnings("ignore")


def chain(rng, k):
    return rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), size=k)


def compare(ours, theirs, x):
    """Answers from the same parameters."""
    assert ours.log_likelihood(x, lengths=LENGTHS).sum() == pytest.approx(theirs.score(x, LENGTHS), rel=1e-10)
    np.testing.assert_allclose(ours.smooth(x, lengths=LENGTHS), theirs.predict_proba(x, LENGTHS), atol=1e-9)
    value, _ = theirs.decode(x, LENGTHS)
    assert sum(path.log_probability for path in ours.decode(x, lengths=LENGTHS)) == pytest.approx(value, rel=1e-10)


def learn(ours, theirs, x, iterations=6):
    """The same steps, as long as theirs go on."""
    theirs.set_params(n_iter=iterations, tol=-np.inf, init_params="")
    theirs.fit(x, LENGTHS)
    fitted = HiddenMarkovModel(
        len(ours.start_),
        emissions=ours.emissions,
        init=ours,
        max_iter=iterations,
        tol=0,
        smoothing=0,
        variance_floor=1e-12,
    ).fit(x, lengths=LENGTHS)
    history = np.array(theirs.monitor_.history)
    assert len(history) >= 3
    np.testing.assert_allclose(fitted.objectives_[: len(history)] * len(x), history, rtol=1e-8)
    np.testing.assert_allclose(fitted.transition_, theirs.transmat_, atol=1e-5)
    np.testing.assert_allclose(fitted.start_, theirs.startprob_, atol=1e-5)
    return fitted


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_gaussian_emissions(kind):
    rng = np.random.default_rng(0)
    start, transition = chain(rng, 3)
    x = rng.normal(np.repeat([0, 2, 4, 0], 100)[:, None], 1.0, size=(400, 2))
    means = np.array([[0.0, 1.0], [2.0, 2.0], [4.0, 3.0]])
    spread = np.full((3, 2), 1.5) if kind == "diag" else np.tile([[1.5, 0.3], [0.3, 1.0]], (3, 1, 1))
    theirs = hmmlearn.GaussianHMM(3, kind, min_covar=0, covars_prior=0, covars_weight=0)
    theirs.n_features = 2
    theirs.startprob_, theirs.transmat_, theirs.means_, theirs.covars_ = start, transition, means, spread
    name = {"full": "covariances", "diag": "variances"}[kind]
    ours = HiddenMarkovModel.from_tables(start, transition, {"means": means, name: spread})
    compare(ours, theirs, x)
    if kind == "diag":  # with covariances theirs adds rows to each state that no setting takes away
        np.testing.assert_allclose(learn(ours, theirs, x).means_, theirs.means_, atol=1e-6)


def test_categorical_emissions():
    rng = np.random.default_rng(1)
    start, transition = chain(rng, 3)
    emission = rng.dirichlet(np.ones(4), size=3)
    x = rng.integers(4, size=(400, 1))
    theirs = hmmlearn.CategoricalHMM(3)
    theirs.startprob_, theirs.transmat_, theirs.emissionprob_ = start, transition, emission
    theirs.n_features = 4
    ours = HiddenMarkovModel.from_tables(start, transition, {"probabilities": emission})
    compare(ours, theirs, x)
    fitted = learn(ours, theirs, x)
    np.testing.assert_allclose(fitted.probabilities_["x0"], theirs.emissionprob_, atol=1e-5)


def test_poisson_emissions():
    rng = np.random.default_rng(2)
    start, transition = chain(rng, 2)
    x = rng.poisson(np.repeat([1, 6, 1, 6], 100)[:, None], size=(400, 2))
    theirs = hmmlearn.PoissonHMM(2)
    theirs.startprob_, theirs.transmat_, theirs.lambdas_ = start, transition, np.array([[1.0, 2.0], [5.0, 4.0]])
    ours = HiddenMarkovModel.from_tables(start, transition, {"rates": theirs.lambdas_})
    compare(ours, theirs, x)
    fitted = learn(ours, theirs, x)
    np.testing.assert_allclose(fitted.means_, theirs.lambdas_, atol=1e-5)
