import numpy as np
import pandas as pd
import pytest
from tests.neural.torch_nets.conftest import mixed_steps

import learnt
from learnt import LSTMClassifier
from learnt.errors import InputError

torch = pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")


@pytest.mark.costly
def test_the_first_and_the_last_symbol_decide_which_counts_of_words_cannot_know(ends):
    X, y = ends(300)
    new, truth = ends(200, seed=1)
    model = LSTMClassifier(hidden_size=24, max_iter=18).fit(X, y)
    assert model.score(new, truth) > 0.95
    texts, new_texts = ([" ".join(2 * s for s in seq) for seq in given] for given in (X, new))
    assert learnt.text_classifier().fit(texts, y).score(new_texts, truth) < 0.75
    longer, more = ends(100, seed=2, longest=20)
    assert model.score(longer, more) > 0.85
    found = model.explain(new[:1])[0]
    assert {e.column for e in found.by_size()[:2]} <= {"step 0", f"step {len(new[0]) - 1}", "step 1"}


def test_all_forms_of_sequences_give_the_same_answers():
    table, y = mixed_steps(20)
    lengths = pd.Series(table["id"]).value_counts(sort=False).to_numpy()
    how = {"hidden_size": 4, "max_iter": 2}
    model = LSTMClassifier(**how).fit(table, y, sequence="id")
    expected = model.predict_proba(table)
    steps = {name: table[name] for name in ("heat", "sign")}
    cut = LSTMClassifier(**how).fit(steps, y, lengths=lengths)
    np.testing.assert_array_equal(cut.predict_proba(steps, lengths=lengths), expected)
    frames = [part.drop(columns="id") for _, part in pd.DataFrame(table).groupby("id", sort=False)]
    np.testing.assert_array_equal(LSTMClassifier(**how).fit(frames, y).predict_proba(frames), expected)
    whole = pd.DataFrame(table).assign(label=np.repeat(y, lengths), w=np.repeat(np.ones(20), lengths))
    whole["t"] = whole.groupby("id").cumcount()
    mixed = whole.sample(frac=1, random_state=0).reset_index(drop=True)
    named = LSTMClassifier(**how).fit(mixed, "label", "w", sequence="id", order="t")
    ids = list(dict.fromkeys(mixed["id"]))
    order = [sorted(ids).index(name) for name in ids]
    np.testing.assert_array_equal(named.predict_proba(mixed.drop(columns=["label", "w"])), expected[order])
    assert named.score(mixed, "label", "w") == model.score(table, y)


def test_rows_that_were_meant_as_sequences_are_told_what_to_do():
    texts = ["not bad, really good", "not good, really bad"] * 4
    with pytest.raises(InputError, match=r"one sequence of 8 rows, and y has 8 classes.*learnt\.split_words\(texts\)"):
        LSTMClassifier().fit(texts, ["likes", "dislikes"] * 4)
    with pytest.raises(InputError, match=r"one sequence of 2 rows.*\(lengths=\)\.$"):
        LSTMClassifier().fit([[1.0, 2.0], [3.0, 4.0]], [0, 1])
    with pytest.raises(InputError, match=r"different lengths.*as an array"):
        LSTMClassifier().fit([["a", "b"], ["b"]], [0, 1])
    model = LSTMClassifier(hidden_size=2, max_iter=1).fit([np.array(list("ab")), np.array(list("b"))], [0, 1])
    with pytest.raises(InputError, match="one sequence of 3 rows"):
        model.score(["a", "b", "b"], [0, 1, 1])
    assert model.predict(["a", "b", "b"]).shape == (1,)


def test_labels_and_weights_must_be_of_whole_sequences():
    rows = {"id": [1, 1, 2], "x": [1.0, 2.0, 3.0], "label": ["a", "b", "a"], "w": [1.0, 1.0, 2.0]}
    with pytest.raises(InputError, match="'label' changes at row 1 of sequence 1"):
        LSTMClassifier().fit(rows, "label", sequence="id")
    with pytest.raises(InputError, match="'lable'"):
        LSTMClassifier().fit(rows, "lable", sequence="id")
    with pytest.raises(InputError, match="2 rows, y has 3"):
        LSTMClassifier().fit(rows, ["a", "b", "a"], sequence="id")
    with pytest.raises(InputError, match="For a list, give an array"):
        LSTMClassifier().fit([np.zeros(2)], "label")
    with pytest.raises(InputError, match="'label' says nothing of it"):
        LSTMClassifier().fit(rows, "label", lengths=[1, 0, 2])


def test_empty_sequences_and_unknown_symbols_are_answered():
    X = [np.array(list("abc")), np.array([], dtype=str), np.array(list("cb")), np.array(list("a"))]
    model = LSTMClassifier(hidden_size=3, max_iter=3).fit(X, [0, 1, 0, 1])
    p = model.predict_proba([*X, np.array(["never", "seen"])])
    assert p.shape == (5, 2)
    assert np.isfinite(p).all()
    np.testing.assert_array_equal(model.predict_proba([np.array([], dtype=str)])[0], p[1])
    with pytest.raises(InputError, match="No sequence that counts has a row"):
        LSTMClassifier().fit([np.zeros(0), np.zeros(0)], [0, 1])


@pytest.mark.parametrize(
    "cells",
    [
        [1.0] * 6,
        [np.nan] * 6,
        [1e150, -1e150, 0, 1, 2, 3],
        [1e-150, 2e-150, 0, 0, 1e-150, 0],
        ["a"] * 6,
        [None, "b"] * 3,
    ],
    ids=["constant", "all missing", "huge", "tiny", "one symbol", "half missing"],
)
def test_hostile_steps_have_finite_answers(cells, tmp_path):
    table = learnt.Table({"x": cells})
    model = LSTMClassifier(hidden_size=3, max_iter=2).fit(table, [0, 1, 1], lengths=[3, 1, 2])
    p = model.predict_proba(table, lengths=[3, 1, 2])
    assert np.isfinite(p).all()
    (found,) = model.explain(table)
    assert found.add_up() == pytest.approx(found.total)
    learnt.save(model, tmp_path / "net.learnt")
    np.testing.assert_array_equal(learnt.load(tmp_path / "net.learnt").predict_proba(table, lengths=[3, 1, 2]), p)


def test_an_infinite_cell_a_scan_and_a_file_are_refused(tmp_path):
    with pytest.raises(InputError, match="infinite"):
        LSTMClassifier().fit([np.array([1.0, np.inf])], ["a"])
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(InputError, match="not from a scan"):
        LSTMClassifier().fit(learnt.scan(tmp_path / "t.csv"), "y")
    with pytest.raises(InputError):
        LSTMClassifier().fit(str(tmp_path / "t.csv"), ["a"])


def test_layers_and_ways_are_as_set(ends):
    X, y = ends(30)
    for layers, both in ((1, False), (2, True)):
        model = LSTMClassifier(hidden_size=3, n_layers=layers, bidirectional=both, embedding_dim=2, max_iter=1).fit(
            X, y
        )
        names = [name for name in model.weights_ if name.startswith("lstm.weight_hh")]
        assert len(names) == layers * (1 + both)
        assert model.weights_["embed0.weight"].shape == (4, 2)
        assert np.isfinite(model.predict_proba(X)).all()


def test_texts_become_sequences_of_words():
    texts = ["not bad, good", "not good, bad", "good not bad", "bad not good"] * 6
    labels = ["nice", "poor", "nice", "poor"] * 6
    model = LSTMClassifier(hidden_size=8, learning_rate_init=0.02, max_iter=60).fit(learnt.split_words(texts), labels)
    assert model.score(learnt.split_words(texts), labels) == 1.0
