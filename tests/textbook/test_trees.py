"""Worked examples on trees, as textbooks print them: entropies, gains, splits, pruning, and what trees can express."""

import itertools
from math import comb

import numpy as np
import pytest

import learnt
from learnt.information import (
    conditional_entropy,
    entropy,
    gain_ratio,
    information_gain,
    mutual_information,
    split_information,
)

# Entropy and gain, by hand.


def test_a_code_that_fits_costs_as_many_bits_as_the_entropy():
    symbols = [1 / 2, 1 / 4, 1 / 8, 1 / 8]
    assert entropy(symbols) == 1.75
    assert np.dot(symbols, [1, 2, 3, 3]) == entropy(symbols)


def test_three_equal_symbols_need_a_little_less_than_their_best_code():
    assert entropy([1, 1, 1]) == pytest.approx(1.585, abs=5e-4)
    assert np.mean([1, 2, 2]) == pytest.approx(1.667, abs=5e-4)


def test_the_gains_of_two_splits_of_29_positive_and_35_negative_examples():
    assert entropy([29, 35]) == pytest.approx(0.9937, abs=5e-5)
    assert information_gain([[21, 5], [8, 30]]) == pytest.approx(0.2659, abs=5e-5)
    assert information_gain([[18, 33], [11, 2]]) == pytest.approx(0.1214, abs=5e-5)


@pytest.fixture
def tennis():
    return learnt.datasets.load("play_tennis")


def test_the_root_of_play_tennis(tennis):
    play = tennis["play"]
    assert entropy(labels=play) == pytest.approx(0.9403, abs=5e-5)
    gains = {"outlook": 0.2467, "humidity": 0.1518, "wind": 0.0481, "temperature": 0.0292}
    ratios = {"outlook": 0.1564, "humidity": 0.1518, "wind": 0.0488, "temperature": 0.0188}
    for name, gain in gains.items():
        assert information_gain(tennis[name], play) == pytest.approx(gain, abs=6e-5), name
        assert gain_ratio(tennis[name], play) == pytest.approx(ratios[name], abs=6e-5), name
        split = split_information(labels=tennis[name])
        assert information_gain(tennis[name], play) == pytest.approx(split * gain_ratio(tennis[name], play))
        assert entropy(labels=play) - conditional_entropy(tennis[name], play) == pytest.approx(gain, abs=6e-5)


def test_what_is_asked_below_the_root_of_play_tennis(tennis):
    outlook = np.array(tennis["outlook"].labels())
    for value, winner in (("Sunny", "humidity"), ("Rain", "wind")):
        part = tennis.take(outlook == value)
        gains = {name: mutual_information(part[name], part["play"]) for name in ("humidity", "wind", "temperature")}
        assert max(gains, key=gains.get) == winner
        assert gains[winner] == pytest.approx(0.971, abs=5e-4)


TEMPERATURE = np.array([40.0, 48, 60, 72, 80, 90])
PLAYED = np.array(["No", "No", "Yes", "Yes", "Yes", "No"])


def test_thresholds_lie_where_the_class_changes():
    cuts = {t: information_gain(TEMPERATURE <= t, PLAYED) for t in (TEMPERATURE[1:] + TEMPERATURE[:-1]) / 2}
    assert cuts[54] == pytest.approx(0.4591, abs=5e-5)
    assert cuts[85] == pytest.approx(0.1909, abs=5e-5)
    assert max(cuts, key=cuts.get) == 54
    # Fayyad's theorem: between two rows of one class no cut is best.
    assert all(cuts[t] < cuts[54] for t in (44, 66, 76))
