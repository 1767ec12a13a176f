"""Columns of long text become counts of words for learners that can use them, and are left out for others."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.learner.text.reviews import reviews, rows

import learnt
from learnt import (
    DecisionTreeClassifier,
    GradientBoostingClassifier,
    KNeighborsClassifier,
    LinearRegression,
    LogisticRegression,
    MajorityClassifier,
    MultinomialNB,
    NaiveBayesClassifier,
    RandomForestClassifier,
    SGDClassifier,
    Table,
)
from learnt.errors import InputError, LeftOutWarning

WITH_WORDS = [
    DecisionTreeClassifier,
    GradientBoostingClassifier,
    LogisticRegression,
    NaiveBayesClassifier,
    RandomForestClassifier,
    SGDClassifier,
]


def test_words_are_those_of_count_vectorizer_and_answers_those_of_its_matrix():
    sklearn = pytest.importorskip("sklearn.feature_extraction.text")
    from sklearn.naive_bayes import MultinomialNB as Theirs

    table, y = reviews()
    vectorizer = sklearn.CountVectorizer(min_df=2)
    counts = vectorizer.fit_transform(table["review"])
    theirs = Theirs().fit(counts, y)
    ours = MultinomialNB().fit({"review": table["review"]}, y)
    new, _ = reviews(50, seed=1)
    assert_allclose(
        ours.predict_proba({"review": new["review"]}), theirs.predict_proba(vectorizer.transform(new["review"]))
    )
    assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_)


def test_a_table_with_other_columns_is_that_table_with_the_words_as_columns():
    sklearn = pytest.importorskip("sklearn.feature_extraction.text")
    table, y = reviews()
    new, _ = reviews(50, seed=1)
    vectorizer = sklearn.CountVectorizer(min_df=2).fit(table["review"])
    words = vectorizer.get_feature_names_out()

    def by_hand(t):
        counts = vectorizer.transform(t["review"]).toarray()
        return {**{f"n_{w}": counts[:, j] for j, w in enumerate(words)}, "price": t["price"], "shop": t["shop"]}

    ours, plain = LogisticRegression().fit(table, y), LogisticRegression().fit(by_hand(table), y)
    assert_array_equal(ours.predict_proba(new), plain.predict_proba(by_hand(new)))


@pytest.mark.parametrize("learner", WITH_WORDS)
def test_words_tell_more_than_the_other_columns(learner):
    table, y = reviews(300)
    new, truth = reviews(200, seed=1)
    with_words = learner().fit(table, y).score(new, truth)
    without = learner().fit({k: v for k, v in table.items() if k != "review"}, y)
    assert with_words > without.score(new, truth) + 0.15


def test_the_fitted_learner_knows_the_columns_as_they_were_given():
    table, y = reviews()
    model = LogisticRegression().fit(table, y)
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == ["review", "price", "shop"]
    assert 'review: "great"' in model.coefficient_names_
    (note,) = model.notes_
    assert note.text == "'review' is text: 20 words are counted."
    assert note.flag == "--kind review=nominal"


def test_learners_that_compare_rows_leave_text_out_and_say_so():
    table, y = reviews()
    without = {name: cells for name, cells in table.items() if name != "review"}
    with pytest.warns(LeftOutWarning, match=r"'review' is text and was left out: KNeighborsClassifier makes nothing"):
        model = KNeighborsClassifier().fit(table, y)
    assert_array_equal(model.predict_proba(table), KNeighborsClassifier().fit(without, y).predict_proba(without))
    assert "left out" in model.notes_[0].text
    assert_array_equal(model.predict(without), model.predict(table))  # what was left out need not be given
    assert model.feature_names_in_.tolist() == ["price", "shop"]


def test_a_metric_of_texts_compares_them():
    table, y = reviews(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KNeighborsClassifier(text_columns=["review"], n_neighbors=1).fit(table, y)
    assert model.score(table, y) == 1.0


def test_a_table_of_nothing_but_text_is_refused_by_learners_that_leave_it_out():
    table, y = reviews(60)
    with pytest.raises(InputError, match="nothing to learn from but the text of 'review'"):
        KNeighborsClassifier().fit({"review": table["review"]}, y)
    assert LogisticRegression().fit({"review": table["review"]}, y).score({"review": table["review"]}, y) > 0.8


def test_texts_without_a_common_word_are_left_out():
    texts = [" ".join(f"w{i}x{j}" for j in range(9)) for i in range(30)]
    y = np.arange(30) % 2
    with pytest.warns(LeftOutWarning, match="no word of it is in two rows"):
        model = LogisticRegression().fit({"t": texts, "x": np.arange(30.0)}, y)
    assert model.coefficient_names_ == ("x",)
    with pytest.raises(InputError, match="no word of it is in two rows"):
        LogisticRegression().fit({"t": texts}, y)


def test_the_user_says_that_texts_are_labels():
    table, y = reviews(60)
    model = LogisticRegression().fit(Table(table, kinds={"review": "nominal"}), y)
    assert model.notes_ == ()
    assert all(not name.startswith("review:") for name in model.coefficient_names_)


def test_the_user_says_that_a_column_is_text():
    few = {"t": ["red car", "blue car", "red bus", "blue bus"] * 3}
    y = ["red", "blue", "red", "blue"] * 3
    assert Table(few).kinds["t"] == "nominal"
    model = DecisionTreeClassifier().fit(Table(few, kinds={"t": "text"}), y)
    assert model.predict({"t": ["a red train", "some blue thing"]}).tolist() == ["red", "blue"]
    assert 't: "' in str(model)


def test_a_target_is_never_taken_apart():
    table, _ = reviews(40)
    texts = table.pop("review")
    model = DecisionTreeClassifier().fit({**table, "said": texts}, "said")
    assert sorted(set(texts)) == model.classes_.tolist()
    assert model.n_features_in_ == 2


def test_learners_that_look_at_no_column_keep_no_text():
    table, y = reviews(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MajorityClassifier().fit({"review": table["review"]}, y)
    assert model._given_schema()["review"].categories == ()
    assert len(model.predict({"review": ["never seen"]})) == 1


@pytest.mark.parametrize("learner", [*WITH_WORDS, KNeighborsClassifier])
def test_text_survives_saving_and_pickling(tmp_path, learner):
    table, y = reviews(80)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        model = learner().fit(table, y)
    expected = model.predict_proba(table)
    learnt.save(model, tmp_path / "m.learnt")
    loaded = learnt.load(tmp_path / "m.learnt")
    assert_array_equal(loaded.predict_proba(table), expected)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(table), expected)
    assert loaded.notes_ == model.notes_
    assert table["review"][0].encode() not in (tmp_path / "m.learnt").read_bytes()  # words, not texts, are kept


def test_what_a_word_adds_is_explained_by_its_name():
    table, y = reviews()
    model = LogisticRegression().fit(table, y)
    told = model.explain({"review": ["great great"], "price": [0.0], "shop": ["web"]})[0]
    by_name = {e.column: e for e in told.evidence}
    assert by_name['review: "great"'].value == 2
    assert_allclose(told.base + sum(e.contribution for e in told.evidence), told.total, rtol=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "   ",
        "never seen before",
        "Great GREAT!!",
        "naïve Ελληνικά 漢字 😀",
        "a b c",
        "\x00",
        "great" * 10_000,
    ],
)
def test_any_text_is_answered(text):
    table, y = reviews(60)
    for learner in (LogisticRegression(), NaiveBayesClassifier(), DecisionTreeClassifier()):
        p = learner.fit(table, y).predict_proba({"review": [text], "price": [0.0], "shop": ["web"]})
        assert np.isfinite(p).all()


def test_a_text_that_is_missing_or_strange_has_no_words():
    table, y = reviews(60)
    model = LogisticRegression().fit(table, y)

    def answer(text):
        return model.predict_proba({"review": [text], "price": [0.0], "shop": ["web"]})

    for text in (None, "", "zzz qqq", 5, 3.5, True):
        assert_array_equal(answer(text), answer("nothing known here"))


def test_missing_texts_count_as_empty_ones_when_fitting():
    table, y = reviews(60)
    gaps = {**table, "review": [None if i % 7 == 0 else t for i, t in enumerate(table["review"])]}
    blank = {**table, "review": ["" if i % 7 == 0 else t for i, t in enumerate(table["review"])]}
    one, other = LogisticRegression().fit(gaps, y), LogisticRegression().fit(blank, y)
    assert_array_equal(one.predict_proba(table), other.predict_proba(table))


def test_words_of_all_scripts_are_counted():
    texts = [f"{'größe' if i % 2 else 'ΣΊΣΥΦΟΣ'} und dann noch einige andere Wörter {i}" for i in range(40)]
    model = DecisionTreeClassifier().fit({"t": texts}, np.arange(40) % 2)
    assert model.predict({"t": ["GRÖSSE GRÖßE", "σίσυφος"]}).tolist() == [1, 0]


def test_an_array_without_names_may_hold_text():
    table, y = reviews(60)
    array = np.array([[t, p] for t, p in zip(table["review"], table["price"], strict=True)], dtype=object)
    model = LogisticRegression().fit(array, y)
    assert model.n_features_in_ == 2
    assert_array_equal(model.predict(array[:7]), model.predict(array)[:7])


def test_columns_may_come_in_any_order_and_by_the_name_of_a_word():
    table, y = reviews(60)
    table['review: "great"'] = list(range(60))
    model = LogisticRegression().fit(table, y)
    assert 'review: "great"_2' in model.coefficient_names_
    assert_array_equal(model.predict(dict(reversed(table.items()))), model.predict(table))


def test_two_columns_of_text_have_words_of_their_own():
    one, y = reviews(80)
    other, _ = reviews(80, seed=5)
    model = LogisticRegression().fit({"first": one["review"], "second": other["review"]}, y)
    names = model.coefficient_names_
    assert {'first: "great"', 'second: "great"'} <= set(names)
    assert len(model.notes_) == 2


def test_frames_files_and_scans_give_the_same_model(tmp_path):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    table, y = reviews(150)
    frame = pd.DataFrame({**table, "y": y})
    frame.to_csv(tmp_path / "r.csv", index=False)
    frame.to_parquet(tmp_path / "r.parquet")
    expected = LogisticRegression().fit(table, y).predict_proba(table)
    sources = [
        frame,
        pl.DataFrame({**table, "y": y}),
        learnt.read(tmp_path / "r.csv"),
        learnt.read(tmp_path / "r.parquet"),
        learnt.scan(tmp_path / "r.csv", batch_rows=40),
        learnt.scan(tmp_path / "r.parquet", batch_rows=40),
    ]
    for source in sources:
        model = LogisticRegression().fit(source, "y")
        assert_allclose(model.predict_proba(source), expected, rtol=1e-9, err_msg=str(type(source)))


def test_a_scan_with_text_reads_its_other_columns_as_all_files_together_decide(tmp_path):
    """A few words among numbers are missing cells, also in a batch where they are many."""
    table, y = reviews(1000)
    words = ["unknown" if 100 <= i < 110 else str(i % 13) for i in range(1000)]
    day = [f"{1 + i % 12:02d}/{1 + i % 28:02d}/2024" for i in range(1000)]
    lines = zip(table["review"], words, day, y, strict=True)
    (tmp_path / "r.csv").write_text("review,n,day,y\n" + "".join(",".join(cells) + "\n" for cells in lines))
    whole = learnt.read(tmp_path / "r.csv")
    assert dict(whole.kinds) == {"review": "text", "n": "numeric", "day": "date", "y": "nominal"}
    expected = LogisticRegression().fit(whole, "y").predict_proba(whole)
    scanned = LogisticRegression().fit(learnt.scan(tmp_path / "r.csv", batch_rows=20), "y")
    assert_allclose(scanned.predict_proba(whole), expected, rtol=1e-6)


def test_tables_of_text_come_out_as_text_again():
    pd = pytest.importorskip("pandas")
    table, _ = reviews(60)
    out = Table(table).to_pandas()
    assert not isinstance(out["review"].dtype, pd.CategoricalDtype)
    assert Table(out).kinds["review"] == "text"
    assert Table(Table(table).to_arrow()).kinds["review"] == "text"


@pytest.mark.parametrize("learner", [NaiveBayesClassifier, SGDClassifier, LogisticRegression])
def test_more_rows_are_counted_in_the_words_of_the_first_ones(learner):
    table, y = reviews(200)
    model = learner()
    for part in np.array_split(np.arange(200), 4):
        model.partial_fit(rows(table, part), y[part], classes=["kept", "returned"])
    new, truth = reviews(100, seed=2)
    assert model.score(new, truth) > 0.75
    assert model.n_features_in_ == 3


def test_rows_given_in_parts_are_rows_given_at_once_where_the_words_are_the_same():
    table, y = reviews(200)
    parts, whole = NaiveBayesClassifier(), NaiveBayesClassifier().fit(table, y)
    for part in np.array_split(np.arange(200), 2):
        parts.partial_fit(rows(table, part), y[part])
    assert_allclose(parts.predict_proba(table), whole.predict_proba(table), rtol=1e-9)


def test_a_fit_that_goes_on_counts_the_same_words():
    table, y = reviews(200)
    forest = RandomForestClassifier(n_estimators=5, warm_start=True).fit(rows(table, range(100)), y[:100])
    names = forest._schema.names
    forest.set_params(n_estimators=10).fit(rows(table, range(100, 200)), y[100:])
    assert forest._schema.names == names
    assert len(forest.trees_) == 10


def test_members_of_ensembles_count_words_where_they_can():
    table, y = reviews(80)
    for model in (
        learnt.BaggingClassifier(LogisticRegression()),
        learnt.OneVsRestClassifier(),
        learnt.AdaBoostClassifier(),
    ):
        assert model.fit(table, y).score(table, y) > 0.8
    with pytest.warns(LeftOutWarning):
        learnt.BaggingClassifier(KNeighborsClassifier()).fit(table, y)


def test_a_loss_around_a_fitted_classifier_reads_its_text(tmp_path):
    table, y = reviews(80)
    inner = LogisticRegression().fit(table, y)
    around = inner.with_loss({("kept", "returned"): 1, ("returned", "kept"): 5})
    assert_array_equal(around.predict_proba(table), inner.predict_proba(table))
    learnt.save(around, tmp_path / "m.learnt")
    assert_array_equal(learnt.load(tmp_path / "m.learnt").predict(table), around.predict(table))
    assert learnt.MinimumRiskClassifier().fit(table, y).score(table, y) > 0.8


def test_several_labels_and_rankings_read_text():
    table, y = reviews(80)
    model = learnt.MultiLabelClassifier().fit(table, [["good"] if v == "kept" else ["bad"] for v in y])
    labels = model.labels_.tolist()
    answer = model.predict({"review": ["great lovely", "awful broken"], "price": [0, 0], "shop": ["web", "web"]})
    assert answer[[0, 1], [labels.index("good"), labels.index("bad")]].tolist() == [1, 1]
    ranker = learnt.PairwiseRanker().fit(table, (y == "kept").astype(float))
    best, worst = ranker.predict({"review": ["great lovely", "awful broken"], "price": [0, 0], "shop": ["web", "web"]})
    assert best > worst


def test_numbers_are_predicted_from_words():
    table, y = reviews(150)
    number = np.where(y == "kept", 3.0, -2.0)
    assert LinearRegression().fit(table, number).score(table, number) > 0.5


def test_check_says_nothing_about_new_texts():
    table, y = reviews(60)
    model = LogisticRegression().fit(table, y)
    assert model.check({"review": ["something new"], "price": [0.0], "shop": ["web"]}) == ()
    (note,) = model.check({"review": ["something new"], "price": [0.0], "shop": ["moon"]})
    assert note.column == "shop"


def test_a_saved_model_whose_words_do_not_make_its_columns_is_refused():
    from learnt.errors import SavedModelError
    from learnt.learner.text.text_columns import CountedText, TextColumns

    table, y = reviews(60)
    model = LogisticRegression().fit(table, y)
    words = model._text_columns
    model._text_columns = TextColumns(words.given, (CountedText("review", ("one",), 1),), "counts", ())
    with pytest.raises(SavedModelError, match="do not make the columns"):
        model._check_fitted_state()
    for wrong in ((CountedText("price", ("one",), 1),), (CountedText("review", (), 0),), (words.counted * 2), ()):
        with pytest.raises(ValueError, match=r"documents|words"):
            TextColumns(words.given, wrong, "counts", ())


@pytest.mark.parametrize("step", [learnt.StandardScaler, learnt.MinMaxScaler, learnt.Discretizer, learnt.Imputer])
@pytest.mark.parametrize("kind", ["table", "frame", "scan"])
def test_text_passes_through_preparation_with_the_texts_that_fitting_has_not_seen(step, kind, tmp_path):
    pd = pytest.importorskip("pandas")
    table, _ = reviews(80)
    new, _ = reviews(80, seed=7)
    frame = pd.DataFrame(new)
    frame.to_csv(tmp_path / "new.csv", index=False)
    given = {"table": Table(new), "frame": frame, "scan": learnt.scan(tmp_path / "new.csv", batch_rows=30)}[kind]
    made = step().fit(table).transform(given)
    assert Table(made)["review"].labels() == new["review"]


def test_a_missing_text_is_not_filled():
    table, _ = reviews(60)
    table["review"][3] = None
    table["price"][4] = None
    made = learnt.Imputer().fit(table).transform(table)
    assert made["review"].labels()[3] is None
    assert not made["price"].missing.any()
    with pytest.raises(learnt.errors.ParameterError, match="'review', which holds long texts"):
        learnt.Imputer({"review": "most_frequent"}).fit(table)


def test_what_draws_columns_from_all_others_leaves_text_out():
    table, _ = reviews(60)
    steps = (learnt.PolynomialFeatures(), learnt.PCA(2), learnt.RandomProjection(2))
    for step in (*steps, learnt.OneHotEncoder(), learnt.OrdinalEncoder()):
        with pytest.warns(LeftOutWarning, match="makes nothing of words"):
            step.fit(table)
        assert len(step.get_feature_names_out()) < 20


def test_texts_that_all_differ_are_not_the_column_that_tells_most():
    given, y = reviews(60)
    table = Table(given)
    with pytest.warns(LeftOutWarning, match="SelectFeatures makes nothing of words"):
        chosen = learnt.SelectFeatures(k=5).fit(table, y)
    texts = [name for name, kind in table.kinds.items() if kind == "text"]
    assert texts
    assert not set(texts) & set(chosen.selected_)
    assert chosen.transform(table).names == tuple(chosen.selected_)
