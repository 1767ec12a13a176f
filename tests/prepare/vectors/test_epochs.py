"""What a training is made of."""

import numpy as np
import pytest

import learnt
from learnt.errors import InputError, ParameterError
from learnt.prepare.vectors.epochs import (
    VectorSettings,
    batch_size,
    keep_chances,
    noise_weights,
    occurrences_at_most,
    start_vectors,
    train_vectors,
)


def settings(**changed):
    given = {"n_components": 10, "window": 5, "negative": 5, "cbow": False, "sample": 1e-3, "learning_rate": 0.025,
             "epochs": 2, "seed": 3}  # fmt: skip
    return VectorSettings(**{**given, **changed})


def pieces(*documents):
    offsets = np.concatenate([[0], np.cumsum([len(d) for d in documents])]).astype(np.int64)
    ids = np.concatenate(documents).astype(np.int32)
    return lambda: iter([(offsets, ids)])


def test_the_chance_to_stay_is_the_formula():
    totals = np.array([50_000, 2_000] + [10] * 4800)
    chances = keep_chances(totals, 1e-3)
    assert chances[0] == pytest.approx(np.sqrt(1e-3 / 0.5) + 1e-3 / 0.5)
    assert chances[1] == pytest.approx(np.sqrt(1e-3 / 0.02) + 1e-3 / 0.02)
    assert np.all(chances[2:] == 1)
    assert np.all(keep_chances(totals, 0) == 1)


def test_words_of_equal_frequency_all_stay():
    assert np.all(keep_chances(np.full(9, 100), 1e-3) == 1)


def test_noise_is_the_count_to_the_power_of_three_quarters():
    np.testing.assert_allclose(noise_weights(np.array([1, 16, 10_000])), [1, 8, 1000])


def test_batches_are_small_where_a_word_is_a_large_part_of_the_text():
    assert occurrences_at_most(settings()) == pytest.approx(4.0)
    assert batch_size(np.full(10_000, 5), np.ones(10_000), settings()) == 64
    assert batch_size(np.full(10, 5), np.ones(10), settings()) == 20
    assert batch_size(np.array([1]), np.ones(1), settings(learning_rate=9.0)) == 1


def test_vectors_start_small_and_depend_on_the_seed():
    start = start_vectors(50, settings())
    assert start.shape == (50, 16)
    assert np.abs(start[:, :10]).max() <= 0.05
    assert start[:, :10].std() == pytest.approx(0.1 / np.sqrt(12), rel=0.1)
    assert not start[:, 10:].any()
    assert not np.array_equal(start, start_vectors(50, settings(seed=4)))


def test_epochs_are_told_to_whoever_watches():
    with learnt.watch() as log:
        train_vectors(pieces([0, 1, 2, 1, 0]), np.array([2, 2, 1]), settings(sample=0.0))
    assert [(step.iteration, step.total) for step in log.steps] == [(1, 2), (2, 2)]


def test_a_burst_of_one_word_does_not_run_away():
    rng = np.random.default_rng(0)
    documents = [rng.integers(0, 500, 12) for _ in range(300)] + [np.full(3000, 7)] + [np.tile([1, 2], 1500)]
    totals = np.bincount(np.concatenate(documents), minlength=500)
    vectors, outputs, losses = train_vectors(pieces(*documents), totals, settings(sample=0.0, epochs=3))
    assert np.abs(vectors).max() < 10
    assert np.abs(outputs).max() < 10
    assert losses[-1] < losses[0]


@pytest.mark.costly
def test_rates_at_which_vectors_run_away_are_refused():
    rng = np.random.default_rng(0)
    document = rng.integers(0, 4, 4000)
    with pytest.raises(ParameterError, match=r"learning_rate=9.* too large"):
        train_vectors(
            pieces(document), np.bincount(document), settings(learning_rate=9.0, window=10, negative=20, epochs=5)
        )


def test_words_that_stand_alone_teach_nothing():
    with pytest.raises(InputError, match="beside"):
        train_vectors(pieces([0], [1], [0, -1]), np.array([2, 1]), settings())
