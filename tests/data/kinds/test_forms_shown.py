"""Dates and money are shown as such by whatever is learnt from them."""

from __future__ import annotations

import datetime as dt
import re
import warnings

import numpy as np
import pytest
from tests.rotation import by_turns

import learnt
from learnt.data.form import Form
from learnt.data.table import Column, Table


def shop(n=60):
    rng = np.random.default_rng(0)
    days = 19_000.0 + rng.integers(0, 400, n)
    price = np.round(rng.gamma(2.0, 40.0, n), 2)
    return Table.of_columns(
        [
            Column("signup", "numeric", days, (), Form("date")),
            Column("price", "numeric", price, (), Form("number", "€", True, 2)),
            Column("town", "nominal", rng.integers(0, 3, n).astype(np.int32), ("Basel", "Bern", "Chur")),
        ]
    )


def fitted(entry, table):
    y = {
        "classification": np.where(np.arange(table.n_rows) % 3 == 0, "late", "soon"),
        "regression": np.arange(table.n_rows) % 7 + 1.0,
    }
    few = {"n_clusters": 3, "random_state": 0}
    model = entry.cls()
    model.set_params(**{name: value for name, value in few.items() if name in model.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(table, y.get(entry.task))


@pytest.mark.parametrize(
    "entry",
    by_turns("dates shown", [e for e in learnt.learners() if "text" not in e.abilities and hasattr(e.cls, "predict")]),
)
def test_every_learner_fits_explains_and_prints_dates_and_money(entry):
    table = shop()
    model = fitted(entry, table if "nominal" in entry.abilities else table.drop("town"))
    told = "\n".join([repr(model), str(model), str(model.explain(table)[:2])])
    explanation = model.explain(table)[0]
    assert explanation.add_up() == pytest.approx(explanation.total, rel=1e-9, abs=1e-9)
    for e in explanation.evidence:
        if e.column == "signup":
            assert e.value == dt.date(1970, 1, 1) + dt.timedelta(days=int(table["signup"].values[0]))
    assert not re.findall(r"(?<![\d.])19[0-4]\d\d(?!\d)", told), told


def test_a_tree_tests_dates_as_dates_and_the_test_is_true_to_the_rows():
    days = np.array([19_000.0, 19_010.0, 19_021.0, 19_030.0])
    table = Table.of_columns([Column("signup", "numeric", days, (), Form("date"))])
    tree = learnt.DecisionTreeClassifier().fit(table, ["a", "a", "b", "b"])
    text = str(tree)
    shown = re.search(r"signup ≤ (\d{4}-\d\d-\d\d)", text)
    assert shown, text
    cut = (dt.date.fromisoformat(shown[1]) - dt.date(1970, 1, 1)).days
    assert ((days <= cut) == np.array([True, True, False, False])).all()
    assert [str(rule.conditions[0]) for rule in tree.to_rules()] == [f"signup ≤ {shown[1]}", f"signup > {shown[1]}"]


@pytest.mark.parametrize("frame", ["pandas", "polars", "arrow"])
def test_dates_of_frames_are_dates_in_tables_trees_and_descriptions(frame):
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    cells = {"signup": [dt.datetime(2022, 1, 1) + dt.timedelta(days=9 * i) for i in range(30)]}
    data = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[frame](cells)
    table = Table(data)
    assert dict(table.kinds) == {"signup": "date"}
    assert table["signup"].labels()[:2] == [dt.date(2022, 1, 1), dt.date(2022, 1, 10)]
    assert "2022-01-10" in repr(table)
    assert "2022-01-10" in table._repr_html_()
    assert "2022-01-01" in str(learnt.describe(table))
    for part in (table.rows(1, 3), table.take([1, 2]), table.select(["signup"]), table[1:3]):
        assert part.schema["signup"].form == Form("date")
    assert table.matched(table.schema)["signup"].form == Form("date")
    tree = learnt.DecisionTreeRegressor(max_depth=1).fit(table, np.arange(30.0))
    assert re.search(r"signup ≤ 2022-\d\d-\d\d", str(tree))
    assert re.search(r"≤ 2022-\d\d-\d\d", str(tree.explain(table)[0]))


def test_plain_numbers_given_to_a_learner_of_dates_are_shown_as_dates():
    table = shop().select(["signup"])
    tree = learnt.DecisionTreeRegressor(max_depth=1).fit(table, table["signup"].values)
    assert "signup = 2022-" in str(tree.explain({"signup": [19_100.0]})[0])


def test_a_saved_model_keeps_the_forms_of_its_columns(tmp_path):
    table = shop()
    tree = learnt.DecisionTreeRegressor(max_depth=2).fit(table, table["price"].values)
    learnt.save(tree, tmp_path / "tree.learnt")
    again = learnt.load(tmp_path / "tree.learnt")
    assert str(again) == str(tree)
    assert "€" in str(tree)
    assert [c.form for c in again._schema] == [c.form for c in table.schema]


def test_money_is_shown_with_its_unit_in_tables_descriptions_and_explanations():
    table = shop()
    first = f"€{table['price'].values[0]:,.2f}"
    assert first in repr(table)
    assert f"€{table['price'].values.min():,.2f}" in str(learnt.describe(table))
    assert f"€{table['price'].values.max():,.2f}" in learnt.describe(table)._repr_html_()
    model = learnt.LinearRegression().fit(table, np.arange(table.n_rows))
    assert f"price = {first}" in str(model.explain(table)[0])
    assert table["price"].labels()[0] == table["price"].values[0]


def test_dates_and_texts_of_their_own_in_every_row_are_no_identifiers():
    from learnt.describe.suspects import identifiers

    days = Column("signup", "numeric", 19_000.0 + np.arange(60), (), Form("date"))
    texts = tuple(sorted(f"a long text of its own {i}" for i in range(60)))
    review = Column("review", "nominal", np.arange(60, dtype=np.int32), texts, Form("text"))
    assert not identifiers([days, review])
    found = str(learnt.describe(Table.of_columns([days, review])))
    assert "identifier" not in found
    assert "'review' holds long texts" in found
    assert identifiers([Column("code", "numeric", 19_000.0 + np.arange(60))])


def test_kinds_say_date_and_text_and_take_them_back():
    days = {"d": ["2024-01-31", None, "2024-02-01"], "n": [20240131, 20240201, None], "y": [2021.0, 2022.0, 2023.0]}
    table = Table(days, kinds={"d": "date", "n": "date", "y": "date"})
    assert set(table.kinds.values()) == {"date"}
    assert table["d"].labels() == [dt.date(2024, 1, 31), None, dt.date(2024, 2, 1)]
    assert table["n"].labels() == [dt.date(2024, 1, 31), dt.date(2024, 2, 1), None]
    assert table["y"].labels()[0] == dt.date(2021, 1, 1)
    assert Table(table, kinds={"d": "numeric"})["d"].labels() == [19_753, None, 19_754]
    assert Table(table, kinds={"d": "nominal"})["d"].categories == ("2024-01-31", "2024-02-01")
    assert dict(Table({"t": ["a b", "c"]}, kinds={"t": "text"}).kinds) == {"t": "text"}
    with pytest.raises(learnt.errors.KindError, match="'soon' and cannot be read as dates"):
        Table({"d": ["soon"]}, kinds={"d": "date"})


def test_axes_of_pictures_have_dates_and_money_at_their_ticks():
    table = shop().select(["signup", "price"])
    y = np.where(table["signup"].values > 19_200, "late", "soon")
    tree = learnt.DecisionTreeClassifier(max_depth=2).fit(table, y)
    ax = learnt.draw_regions(tree, table, y)
    ax.figure.canvas.draw()
    assert all(re.fullmatch(r"202\d-\d\d-\d\d", tick.get_text()) for tick in ax.get_xticklabels())
    assert all("€" in tick.get_text() for tick in ax.get_yticklabels())
