"""What is made once and kept."""

import numpy as np
import pytest
from tests.graphical.random_networks import random_network

from learnt.errors import InputError
from learnt.graphical.inference.compiled import KEPT, flat_sets, memory_words


def test_a_chain_has_width_one_and_a_clique_of_all_its_own():
    chain = random_network(0, n=6, most_parents=1, most_states=2)
    assert chain.width().width == 1
    assert chain.width().largest == pytest.approx(4)
    assert chain._compiled.width(range(6)).largest == pytest.approx(2**6)  # a joint question ties all of them


def test_trees_of_joint_questions_are_kept_up_to_a_limit_and_the_main_one_always():
    network = random_network(1, n=8, most_parents=2)
    names = network.variables
    network.infer(names[0])
    main = network._compiled.tree()
    for a in range(7):
        for b in range(a + 1, 8):
            network.infer([names[a], names[b], names[(b + 1) % 8]] if (b + 1) % 8 != a else names[a], joint=True)
    assert len(network._compiled._trees) <= KEPT
    assert network._compiled.tree() is main


def test_other_tables_keep_the_order_but_not_the_trees():
    network = random_network(4, n=5)
    first = network._compiled
    tree = first.tree()
    even = [np.full(v.shape, 1 / v.shape[-1]) for v in first.values]
    twin = first.with_values(even)
    assert twin.tree() is not tree
    assert first.tree() is tree
    blank = np.full((1, 5), -1, np.int32)
    found, log_evidence = twin.posteriors(blank, None, [(v,) for v in range(5)])
    for p, k in zip(found, twin.counts.tolist(), strict=True):
        np.testing.assert_allclose(p[0], 1 / k, rtol=1e-12)
    np.testing.assert_allclose(log_evidence, 0, atol=1e-12)


def test_memory_is_refused_before_it_is_taken():
    network = random_network(3, n=8)
    with pytest.raises(InputError, match=r"The width is \d+: .* More than 64 bytes are not taken\. infer\(\) answers"):
        network._compiled.tree((), 64)


def test_sets_one_after_the_other():
    start, members = flat_sets([(1, 2), (), (0,)])
    assert start.tolist() == [0, 2, 2, 3]
    assert members.tolist() == [1, 2, 0]


@pytest.mark.parametrize(("size", "words"), [(0, "0 bytes"), (1023, "1023 bytes"), (2**20, "1 MB"), (2.0**72, "TB")])
def test_memory_in_words(size, words):
    assert memory_words(size).endswith(words)
