"""Networks against pyAgrum, where it is installed: posteriors, the most probable states, and files of each other."""

import numpy as np
import pytest
from tests.graphical.random_networks import random_evidence, random_network

from learnt.graphical import read_bif

gum = pytest.importorskip("pyagrum")


def as_pyagrum(network, path):
    """By way of a BIF file, which each must read as the other wrote it."""
    network.write_bif(path)
    return gum.loadBN(str(path))


@pytest.mark.parametrize("seed", range(8))
def test_posteriors_are_those_of_pyagrum(seed, tmp_path):
    network = random_network(seed, n=8, most_states=2)
    other = as_pyagrum(network, tmp_path / "network.bif")
    evidence = random_evidence(network, seed, share=0.3)
    engine = gum.LazyPropagation(other)
    engine.setEvidence(evidence)
    engine.makeInference()
    for name, found in network.infer(None, evidence).items():
        labels = [str(label) for label in other.variable(name).labels()]
        expected = dict(zip(labels, engine.posterior(name).tolist(), strict=True))
        np.testing.assert_allclose([expected[s] for s in found.states(name)], found.probabilities, atol=1e-12)
    np.testing.assert_allclose(
        engine.evidenceProbability(), np.exp(network.infer(evidence=evidence)[name].log_evidence)
    )


@pytest.mark.parametrize("seed", range(3))
def test_files_of_pyagrum_are_read(seed, tmp_path):
    network = random_network(seed, n=6, most_states=2)
    other = as_pyagrum(network, tmp_path / "network.bif")
    for name in ("again.bif", "again.bifxml"):
        gum.saveBN(other, str(tmp_path / name))
        again = read_bif(tmp_path / name)
        for variable in network.variables:
            found = again.infer(variable)
            expected = network.infer(variable)
            np.testing.assert_allclose([found[s] for s in network.states(variable)], expected.probabilities, atol=1e-5)
