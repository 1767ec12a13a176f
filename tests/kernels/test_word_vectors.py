"""The training of word vectors against its definition in NumPy."""

from itertools import pairwise

import numpy as np
import pytest

from learnt import _core

WORDS, DIMS, STRIDE = 30, 20, 32
RATE = 0.05


def sigmoid(s):
    return 1 / (1 + np.exp(-s))


def text(n_documents=40, seed=0):
    rng = np.random.default_rng(seed)
    documents = [rng.integers(-1, WORDS, rng.integers(0, 14)) for _ in range(n_documents)]
    offsets = np.concatenate([[0], np.cumsum([len(d) for d in documents])]).astype(np.int64)
    return offsets, np.concatenate(documents).astype(np.int32)


def start(seed=1):
    both = np.zeros((2, WORDS, STRIDE), np.float32)
    both[:, :, :DIMS] = np.random.default_rng(seed).normal(size=(2, WORDS, DIMS)) * 0.3
    return both


def trainer(
    ids, *, batch=7, often=1e9, cbow=False, negatives=5, epochs=1, window=3, keep=None, rate=RATE, last=0.0, seed=9
):
    noise = np.arange(1.0, WORDS + 1) ** 0.75
    keep = np.linspace(0.4, 1.0, WORDS) if keep is None else keep
    places = int((ids >= 0).sum())
    return _core.VectorTrainer(
        noise, keep, STRIDE, window, negatives, batch, often, cbow, rate, last, epochs, places, seed
    )


def judged(made, windows, i, x, y, *, cbow, negatives):
    """Neighbours, outputs, inputs, scores, and which outputs count, of window i."""
    place, word, left, right, _ = windows[i]
    around = [windows[j][1] for j in range(i - left, i + right + 1) if j != i]
    outputs = [word, *made.draw(place, negatives)]
    counts = np.array([True, *(o != word for o in outputs[1:])])
    inputs = x[around].mean(axis=0, keepdims=True) if cbow else x[around]
    return around, outputs, inputs, inputs @ y[outputs].T, counts


def pair_losses(scores, counts):
    return -np.log(sigmoid(np.column_stack([scores[:, :1], -scores[:, 1:]]))) * counts


def defined(made, offsets, ids, *, batch, cbow, negatives):
    """One epoch in double precision: the errors of a batch, then its updates one after the other; and the mean loss."""
    windows = made.windows(offsets, ids)
    x, y = start().astype(float)
    settings = {"cbow": cbow, "negatives": negatives}
    loss = pairs = 0
    for begin in range(0, len(windows), batch):
        errors = {}
        for i in range(begin, min(begin + batch, len(windows))):
            if windows[i][2] + windows[i][3] == 0:
                continue
            _, _, _, scores, counts = judged(made, windows, i, x, y, **settings)
            rate = RATE * (1 - windows[i][0] / (ids >= 0).sum())
            errors[i] = rate * (np.eye(1, negatives + 1) - sigmoid(scores)) * counts
            loss, pairs = loss + pair_losses(scores, counts).sum(), pairs + len(scores)
        for i, g in errors.items():
            around, outputs, inputs, _, _ = judged(made, windows, i, x, y, **settings)
            left, right = windows[i][2:4]
            shares = np.array([windows[j][4] for j in range(i - left, i + right + 1) if j != i])
            moves, back = g @ y[outputs], g.T @ inputs
            moves = np.repeat(moves, len(around), axis=0) if cbow else moves
            back[0] *= windows[i][4]
            np.add.at(y, outputs, back)
            np.add.at(x, around, moves * shares[:, None])
    return x, y, loss / pairs


@pytest.mark.parametrize("cbow", [False, True])
@pytest.mark.parametrize(
    ("batch", "often", "negatives"), [(1, 1e9, 5), (7, 1e9, 5), (16, 1.5, 3), (5, 1e9, 1), (4, 1e9, 13)]
)
def test_an_epoch_is_what_its_definition_says(level, cbow, batch, often, negatives):
    offsets, ids = text()
    x, y = start()
    made = trainer(ids, batch=batch, often=often, cbow=cbow, negatives=negatives)
    expected = defined(made, offsets, ids, batch=batch, cbow=cbow, negatives=negatives)
    made.learn(offsets, ids, x, y)
    loss = made.finish_epoch(x, y)
    np.testing.assert_allclose(x, expected[0], atol=2e-5)
    np.testing.assert_allclose(y, expected[1], atol=2e-5)
    assert loss == pytest.approx(expected[2], rel=1e-5)
    assert not x[:, DIMS:].any()
    assert not y[:, DIMS:].any()


@pytest.mark.parametrize("cbow", [False, True])
def test_a_small_step_goes_down_the_gradient_of_the_loss(cbow):
    """All windows in one batch: numbers move by −rate times the derivative of its loss, by finite differences; words of
    a mean by that of the mean, the derivative of their own times how many they are."""
    offsets, ids = np.array([0, 9], np.int64), np.array([3, 8, 5, 3, 1, 0, 29, 8, 8], np.int32)
    rate, (x, y) = 1e-3, start()
    made = trainer(ids, batch=50, cbow=cbow, keep=np.ones(WORDS), rate=rate, last=rate)
    windows = made.windows(offsets, ids)
    before = np.stack([x, y]).astype(float)

    def loss(x, y, of_input):
        parts = [judged(made, windows, i, x, y, cbow=cbow, negatives=5) for i in range(len(windows))]
        return sum(
            pair_losses(scores, counts).sum() * (len(around) if cbow and of_input else 1)
            for around, _, _, scores, counts in parts
        )

    gradient = np.zeros_like(before)
    for place in np.ndindex(2, WORDS, 2):
        for sign in (1, -1):
            both = before.copy()
            both[place] += sign * 1e-5
            gradient[place] += sign * loss(*both, place[0] == 0) / 2e-5
    made.learn(offsets, ids, x, y)
    made.finish_epoch(x, y)
    moved = (np.stack([x, y]) - before)[:, :, :2] / rate
    np.testing.assert_allclose(moved, -gradient[:, :, :2], atol=0.02)
    assert np.abs(gradient).max() > 0.3


@pytest.mark.parametrize("cbow", [False, True])
def test_threads_and_cuts_change_no_bit(level, cbow):
    offsets, ids = text(900)
    seen = []
    for threads, cuts in ((1, [0, 900]), (2, [0, 900]), (4, [0, 1, 1, 17, 200, 900])):
        _core.set_threads(threads)
        x, y = start()
        made = trainer(ids, cbow=cbow, epochs=2, batch=16)
        losses = []
        for _ in range(2):
            for a, b in pairwise(cuts):
                made.learn(offsets[a : b + 1] - offsets[a], ids[offsets[a] : offsets[b]], x, y)
            losses.append(made.finish_epoch(x, y))
        seen.append((x.tobytes(), y.tobytes(), losses))
    assert seen[0] == seen[1] == seen[2]


def test_words_stay_and_are_drawn_as_often_as_asked():
    """Counts of 60,000 places against their probabilities, by five standard errors."""
    n, keep = 60_000, np.linspace(0.05, 1.0, WORDS)
    ids = np.tile(np.arange(WORDS, dtype=np.int32), n // WORDS)
    made = trainer(ids, keep=keep, window=4)
    windows = made.windows(np.array([0, n], np.int64), ids)
    stayed = np.bincount([w[1] for w in windows], minlength=WORDS)
    expected = keep * n / WORDS
    assert np.all(np.abs(stayed - expected) <= 5 * np.sqrt(expected * (1 - keep)))
    reach = np.bincount([max(w[2], w[3]) for w in windows], minlength=5)[1:]
    assert np.all(np.abs(reach - len(windows) / 4) < 5 * np.sqrt(len(windows) / 4))
    drawn = np.bincount([word for place in range(12_000) for word in made.draw(place, 5)], minlength=WORDS)
    noise = np.arange(1.0, WORDS + 1) ** 0.75
    shares = noise / noise.sum()
    assert np.all(np.abs(drawn - n * shares) < 5 * np.sqrt(n * shares))


def test_nobody_draws_a_thousand_million_words():
    made = trainer(np.array([4, 5], np.int32))
    assert len(made.draw(0, 1000)) == 1000
    for count in (-1, 2**31):
        with pytest.raises(ValueError, match="'count'"):
            made.draw(0, count)


def test_a_word_that_comes_in_a_burst_moves_less():
    ids = np.array([4] * 6 + [5], np.int32)
    made = trainer(ids, batch=5, often=2.0, keep=np.ones(WORDS))
    shares = [w[4] for w in made.windows(np.array([0, 7], np.int64), ids)]
    np.testing.assert_allclose(shares, [1, 1, (2 / 3) ** 2, (2 / 4) ** 2, (2 / 5) ** 2, (2 / 5) ** 2, 1], rtol=1e-6)


def test_wrong_arguments_are_refused():
    offsets, ids = text()
    x, y = start()
    made = trainer(ids)
    for given in (
        (offsets + 1, ids, x, y),
        (offsets[:0], ids, x, y),
        (offsets, ids + 1000, x, y),
        (offsets, ids, x[:5], y),
        (offsets, ids, x, np.ascontiguousarray(y[:, :16])),
    ):
        with pytest.raises(ValueError, match=r"."):
            made.learn(*given)
    for wrong in ({"window": 0}, {"batch": 0}, {"often": 0.5}, {"negatives": -1}, {"epochs": 0}):
        with pytest.raises(ValueError, match=r"."):
            trainer(ids, **wrong)


def test_sequences_are_the_words_in_their_order():
    from learnt.data.texts import encoded_terms

    documents = _core.Documents(("the cat, the dog", None, "", "dog x dog bird"))
    rules, terms = _core.TokenRules(True, 1, 1, None, None), _core.Terms(*encoded_terms(["dog", "the"]))
    offsets, ids = _core.encode_sequences(documents, rules, terms)
    assert offsets.tolist() == [0, 4, 4, 4, 7]
    assert ids.tolist() == [1, -1, 1, 0, 0, 0, -1]
