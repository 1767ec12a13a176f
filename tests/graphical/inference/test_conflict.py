"""The findings named as contradicting each other, against all subsets."""

from itertools import combinations

import numpy as np
import pytest
from tests.graphical.random_networks import enumerated, random_evidence, random_network

from learnt.graphical import BayesianNetwork, ImpossibleEvidence
from learnt.graphical.inference.conflict import impossible, not_drawn
from learnt.graphical.inference.evidence import findings_of


@pytest.mark.parametrize("seed", range(40))
def test_the_findings_named_are_impossible_together_and_no_part_of_them_is(seed):
    network = random_network(seed, zeros=0.5)
    evidence = random_evidence(network, seed + 1, share=0.8)
    if enumerated(network, evidence).sum() > 0:
        return
    with pytest.raises(ImpossibleEvidence) as caught:
        network.infer(None, evidence)
    named = caught.value.conflict
    assert named
    assert enumerated(network, {n: evidence[n] for n in named}).sum() == 0
    for part in combinations(named, len(named) - 1):
        assert enumerated(network, {n: evidence[n] for n in part}).sum() > 0


def test_a_model_that_allows_nothing_is_told_from_evidence_that_does():
    from learnt.graphical import MarkovNetwork

    nothing = MarkovNetwork().add({"a": "xy"}, [0.0, 0.0])
    assert "nothing is possible" in str(impossible(nothing._compiled, findings_of(nothing._compiled, {"a": "x"})))


def test_improbable_evidence_is_not_called_impossible():
    network = BayesianNetwork().add("a", table={"no": 1 - 1e-9, "yes": 1e-9})
    network.add("b", ["a"], [[1, 0], [0, 1]], ["no", "yes"])
    seen = findings_of(network._compiled, {"b": "yes"})
    error = not_drawn(network._compiled, seen, 1000)
    assert not isinstance(error, ImpossibleEvidence)
    assert "None of 1,000 samples agrees" in str(error)
    np.testing.assert_allclose(network.infer("a", {"b": "yes"})["yes"], 1)
