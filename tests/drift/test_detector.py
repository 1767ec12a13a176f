"""DriftDetector: the alarms of river on the same streams, and what a user may do to it."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.drift.streams import SETTINGS, STREAMS

from learnt import DriftDetector
from learnt.errors import InputError, ParameterError

RIVER = json.loads((Path(__file__).parents[1] / "against" / "drift.json").read_text())["found"]


@pytest.mark.parametrize("name", SETTINGS)
def test_alarms_and_warnings_are_those_of_river(name):
    method, stream, settings = SETTINGS[name]
    detector = DriftDetector(method, **settings)
    detector.update(STREAMS[stream]())
    assert detector.alarms_ == RIVER[name]["alarms"]
    assert detector.warnings_ == RIVER[name]["warnings"]


@pytest.mark.parametrize("method", ["adwin", "ddm", "eddm", "page_hinkley"])
def test_pieces_of_a_stream_are_the_stream(method):
    values = STREAMS["errors 2"]()
    whole, pieces = DriftDetector(method), DriftDetector(method)
    whole.update(values)
    found = []
    for piece in np.array_split(values[:4000], 37):
        found += pieces.update(piece)
    for value in values[4000:]:
        found += pieces.update(value)
    assert found == pieces.alarms_ == whole.alarms_
    assert pieces.warnings_ == whole.warnings_
    assert pieces.n_seen_ == len(values)


def test_a_cut_is_where_brute_force_finds_one():
    """ADWIN with a bucket for each value looks at all cuts of the window, as the paper's first version does."""
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(size=60), rng.normal(3, 1, 60)])
    detector = DriftDetector("adwin", clock=1, max_buckets=1000, min_window=1, grace=1)
    found = detector.update(values)
    window: list[float] = []
    expected = []
    for i, value in enumerate(values):
        window.append(value)
        if len(window) > 1 and _differs(np.array(window), 0.002):
            expected.append(i)
            window = []
    assert found == expected
    assert len(found) == 1


def _differs(window, delta):
    n = len(window)
    chance = np.log(2 * np.log(n) / delta)
    for k in range(2, n - 1):
        inverse = 1 / k + 1 / (n - k)
        bound = np.sqrt(2 * inverse * window.var() * chance) + 2 / 3 * chance * inverse
        if abs(window[:k].mean() - window[k:].mean()) > bound:
            return True
    return False


def test_it_says_what_it_saw_draws_and_forgets():
    detector = DriftDetector("ddm")
    assert str(detector) == "ddm: nothing seen"
    assert detector.update([]) == []
    values = STREAMS["errors 0"]()
    detector.update(values)
    assert str(detector) == f"ddm: 6,000 values, drift at {detector.alarms_[0]}, {detector.alarms_[1]}"
    drawn = detector.plot(values)
    assert sum(len(set(line.get_xdata())) == 1 for line in drawn.lines) == 2
    assert detector.reset().n_seen_ == 0
    assert detector.alarms_ == []
    assert detector.update(values) == RIVER["ddm 0"]["alarms"]


@pytest.mark.parametrize("value", [0.0, 1.0, 1e300, -1e-300])
def test_a_stream_of_one_value_never_drifts(value):
    for method in ("adwin", "page_hinkley"):
        assert DriftDetector(method).update(np.full(5000, value)) == []


@pytest.mark.parametrize(
    ("method", "values", "words"),
    [
        ("adwin", [1.0, float("nan")], "Value 1 is missing or infinite"),
        ("adwin", [np.inf], "Value 0 is missing or infinite"),
        ("adwin", ["a"], "not a number"),
        ("adwin", [[1.0, 2.0]], "2 dimensions"),
        ("ddm", [0, 1, 0.3], r"Value 2 is 0.3. ddm takes errors"),
    ],
)
def test_what_is_no_stream_is_refused_and_changes_nothing(method, values, words):
    detector = DriftDetector(method)
    detector.update([0, 1])
    with pytest.raises(InputError, match=words):
        detector.update(values)
    assert detector.n_seen_ == 2


def test_settings_are_checked():
    with pytest.raises(ParameterError, match="method"):
        DriftDetector("cusum").update([1])
    with pytest.raises(ParameterError, match="max_buckets"):
        DriftDetector(max_buckets=1).update([1])
