"""Networks made by hand: copied and pickled without what can be made again."""

import copy
import pickle

import pytest

from learnt.graphical import BayesianNetwork, MarkovNetwork


def networks():
    rain = BayesianNetwork().add("rain", table={"no": 0.8, "yes": 0.2})
    tie = MarkovNetwork().add({"rain": ["no", "yes"]}, [4.0, 1.0])
    return [rain, tie]


@pytest.mark.parametrize("network", networks(), ids=lambda n: type(n).__name__)
def test_a_copy_answers_alike_and_carries_no_compiled_tree(network):
    assert network.infer("rain")["yes"] == pytest.approx(0.2)
    assert "_compiled" in vars(network)
    for twin in (pickle.loads(pickle.dumps(network)), copy.deepcopy(network)):
        assert "_compiled" not in vars(twin)
        assert twin.infer("rain")["yes"] == pytest.approx(0.2)


@pytest.mark.parametrize("network", networks(), ids=lambda n: type(n).__name__)
def test_there_is_nothing_to_set_and_nothing_left_to_fit(network):
    assert network.get_params() == {}
    assert network.__sklearn_is_fitted__()
