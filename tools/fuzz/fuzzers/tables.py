"""Random tables, learners and settings: fitted, asked, saved and asked again."""

from __future__ import annotations

import json
import math
import random
import tempfile
import warnings
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from tools.fuzz.case import Case, Fuzzer
from tools.fuzz.examples import UNLISTED, fit, learners
from tools.fuzz.questions import PLOTS, ask_everything, one_of
from tools.fuzz.settings import draw_settings, small_settings

import learnt

_SIZES = (0, 1, 2, 3, 3, 5, 8, 12, 20, 40)
_WORDS = ("a", "b", "Zürich", "", " ", "x y", "1", "nan", "?", "ß" * 40)


def draw_column(n: int, chance: random.Random, counts: bool) -> list[Any]:
    """Cells of one kind, with gaps or not."""
    scale = 10.0 ** chance.choice((0, 0, 0, 0, -8, 8, -150, 150, -300, 300))
    cells: list[Any]
    match chance.randrange(9):
        case 0 | 1:
            cells = [chance.gauss(0, 1) * scale for _ in range(n)]
        case 2:
            cells = [float(chance.randrange(4)) for _ in range(n)]
        case 3:
            cells = [chance.choice((0.1, 7.0, -3.0, 0.0))] * n
        case 4:
            cells = [chance.choice(_WORDS[: chance.choice((1, 2, 3, 10))]) for _ in range(n)]
        case 5:
            cells = [chance.random() < 0.5 for _ in range(n)]
        case 6:
            cells = [f"label {i}" for i in range(n)]
        case 7:
            cells = [1e9 + chance.random() * 1e-3 for _ in range(n)]
        case _:
            cells = [None] * n
    if counts:
        cells = [abs(cell) if isinstance(cell, float) else cell for cell in cells]
    share = chance.choice((0, 0, 0, 0.1, 0.5, 0.95))
    cells = [None if chance.random() < share else cell for cell in cells]
    if chance.random() < 0.03 and n:
        cells[chance.randrange(n)] = chance.choice((math.inf, -math.inf, 1e308, "odd"))
    return cells


def draw_target(needs: Any, n: int, chance: random.Random) -> list[Any] | None:
    if needs == "classes":
        labels = chance.choice((("yes", "no"), ("a", "b", "c"), ("one",), (0, 1), (True, False), tuple(range(12))))
        cells: list[Any] = [chance.choice(labels) for _ in range(n)]
    elif needs == "numbers":
        scale = 10.0 ** chance.choice((0, 0, 0, -8, 8, 150, -150))
        cells = [chance.gauss(5, 1) * scale if chance.random() < 0.95 else 2.0 for _ in range(n)]
    else:
        return None
    if chance.random() < 0.04 and n:
        cells[chance.randrange(n)] = chance.choice((None, math.nan, math.inf, "odd", -1))
    return cells


def draw_y(entry: Any, n: int, chance: random.Random) -> list[Any] | None:
    """A target of the kind that a learner takes; sets of labels are lists."""
    kind = UNLISTED[entry.name].target if entry.name in UNLISTED else entry.cls().needs
    if kind == "labels":
        return [chance.sample(["a", "b", "c"], chance.randrange(4)) for _ in range(n)]
    if kind == "some classes":
        share = chance.choice((0.0, 0.5, 0.9))
        return [None if chance.random() < share else cell for cell in draw_target("classes", n, chance) or ()]
    return draw_target("classes" if kind == "of sequences" else kind, n, chance)


def draw_columns(entry: Any, n: int, chance: random.Random) -> dict[str, list[Any]]:
    """Columns that a learner takes, mostly."""
    rows = UNLISTED[entry.name].rows if entry.name in UNLISTED else None
    if "text" in entry.abilities:
        return {"c0": [chance.choice((None, "red apple", "a", "", "grüne Birne " * 3)) for _ in range(n)]}
    p, counts = chance.choice((1, 1, 2, 3, 5)), "counts" in entry.abilities
    if rows == "images":
        return {"c0": [[[chance.choice((0.0, 0.5, 1.0, 255.0, math.nan)) for _ in range(3)]] * p for _ in range(n)]}
    columns = {f"c{j}": draw_column(n, chance, counts) for j in range(p)}
    if rows == "ratings" and chance.random() < 0.9:
        users, items = (
            chance.choice((("Anna", "Beat", None), (1, 2, 3), (1.5, None), tuple(_WORDS))),
            ("tea", "milk", "rice"),
        )
        named = {name: [chance.choice(ids) for _ in range(n)] for name, ids in (("user", users), ("item", items))}
        columns = named | ({"rating": columns["c0"]} if chance.random() < 0.9 else {})
    return columns


def draw_more(entry: Any, n: int, chance: random.Random) -> dict[str, Any]:
    """What else `fit` is given."""
    match entry.name:
        case "PairwiseRanker" if chance.random() < 0.8:
            return {
                "groups": [chance.choice((0, 1, 1, 2, None) if chance.random() < 0.05 else (0, 1, 2)) for _ in range(n)]
            }
        case "LSTMClassifier" | "HiddenMarkovModel" if chance.random() < 0.8:
            return {"lengths": chance.choice(([1] * n, [n], [n - 1, 1], [2] * (n // 2), [0, n], [n, n], []))}
        case "BayesianNetwork":
            return {"n_bins": chance.choice((1, 2, 3, 5)), "method": chance.choice(("counts", "counts", "em"))}
    return {}


def _structure(columns: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Arrows among the columns of a network, now and then in a circle or to a column that is not there."""
    names = [*columns, "unseen"] if chance.random() < 0.1 else list(columns)
    later = names if chance.random() < 0.05 else []
    parents = {n: chance.sample([*names[:i], *later], min(i, chance.randrange(3))) for i, n in enumerate(names)}
    return {"structure": parents}


def draw_weights(n: int, chance: random.Random) -> list[float] | None:
    match chance.randrange(8):
        case 0:
            return [chance.random() for _ in range(n)]
        case 1:
            return [float(chance.randrange(3)) for _ in range(n)]
        case 2:
            wild = chance.choice((0.0, -1.0, math.nan, math.inf, 1e-300, 1e300))
            return [wild if chance.random() < 0.3 else 1.0 for _ in range(n)]
        case _:
            return None


#: Settings that are learners: one, or a list of them.
_INSIDE = ("estimator", "final_estimator", "estimators")


def draw_members(entries: dict[str, Any], entry: Any, chance: random.Random) -> dict[str, Any]:
    """Names of the learners that an ensemble is made of; the default members are mostly slow ones."""
    simple = [name for name, e in entries.items() if e.task == entry.task and name not in UNLISTED
              and "text" not in e.abilities and not set(_INSIDE) & set(e.cls.domains)]  # fmt: skip
    drawn: dict[str, Any] = {}
    for name in [name for name in _INSIDE if name in getattr(entry.cls, "domains", {})]:
        if name == "estimators" and chance.random() < 0.95:
            drawn[name] = chance.sample(simple, chance.choice((1, 2, 2, 3)))
        elif name != "estimators" and chance.random() < 0.5:
            drawn[name] = chance.choice(simple)
    return drawn


class Tables(Fuzzer):
    name = "tables"

    @cached_property
    def _entries(self) -> dict[str, Any]:
        return {entry.name: entry for entry in learners()}

    def begin(self) -> None:
        import pandas  # noqa: F401 - which takes a while at first

        for name in self._entries:  # what is imported late is imported now
            said = {"learner": name, "settings": {}, "columns": {"x": [1.0, 2.0, 3.0, 4.0]}, "y": None, "weights": None,
                    "as": "dict", "more": {"x": [1.0]}}  # fmt: skip
            needs = getattr(self._entries[name].cls(), "needs", None)
            said["y"] = {"classes": ["a", "b", "a", "b"], "numbers": [1.0, 2.0, 3.0, 5.0]}.get(needs)
            try:
                self.attempt(Case(self.name, name, json.dumps(said).encode()))
            except Exception:
                continue

    @cached_property
    def _scratch(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="fuzz-")

    def make(self, chance: random.Random) -> Case:
        entry = self._entries[chance.choice(list(self._entries))]
        n = chance.choice(_SIZES)
        columns = draw_columns(entry, n, chance)
        more = {name: [chance.choice(cells) if cells else 1.0 for _ in range(4)] for name, cells in columns.items()}
        if chance.random() < 0.3 and entry.name != "ConvNetClassifier":
            for cells in more.values():
                cells[chance.randrange(4)] = chance.choice((None, 0.0, 1e300, "new"))
        said = {
            "learner": entry.name,
            "settings": _structure(columns, chance)
            if entry.name == "BayesianNetwork"
            else draw_settings(entry.cls, chance, wrong=0.03),
            "columns": columns,
            "y": draw_y(entry, n, chance),
            "fit": draw_more(entry, n, chance),
            "weights": draw_weights(n, chance),
            "as": chance.choice(("dict", "dict", "pandas", "array")),
            "more": more,
            "inside": draw_members(self._entries, entry, chance),
        }
        return Case(self.name, entry.name, json.dumps(said).encode())

    def attempt(self, case: Case) -> None:
        """NumPy's warnings are findings too: whoever divides by 0 knows what comes out, and says so."""
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            self._attempt(json.loads(case.content), one_of(PLOTS, case.content))

    def _attempt(self, said: dict[str, Any], plots: bool) -> None:
        entry = self._entries[said["learner"]]
        rows = _contained(said["columns"], said["as"], entry)
        more = _contained(said["more"], said["as"], entry)
        weights = None if said["weights"] is None else np.array(said["weights"])
        given = {"sample_weight": weights} if weights is not None else {}
        target = said["y"] and [set(cell) if isinstance(cell, list) else cell for cell in said["y"]]
        inside = {name: self._members(names) for name, names in said.get("inside", {}).items()}
        model = fit(entry.cls(**said["settings"] | inside), rows, target, **given, **said.get("fit", {}))
        answers = ask_everything(model, _read_once(more), {}, plots=plots)
        path = Path(self._scratch.name) / "model.learnt"
        learnt.save(model, path)
        twin = learnt.load(path)
        for question in ("predict", "predict_proba"):
            if question in answers:
                answer = np.asarray(answers[question])
                np.testing.assert_array_equal(_answer(twin, question, more), answer)
                assert not (answer.dtype.kind == "f" and np.isnan(answer).any()), f"{question} says NaN"

    def _members(self, names: Any) -> Any:
        if isinstance(names, list):
            return [self._members(name) for name in names]
        cls = self._entries[names].cls
        return cls(**small_settings(cls))

    def smaller(self, case: Case) -> Iterator[Case]:
        said = json.loads(case.content)
        for simpler in _simpler(said):
            yield Case(case.fuzzer, case.kind, json.dumps(simpler).encode())


def _answer(model: Any, question: str, rows: Any) -> Any:
    try:
        return np.asarray(getattr(model, question)(rows))
    except learnt.errors.LearntError as error:
        return np.array(str(error))


def _contained(columns: dict[str, list[Any]], container: str, entry: Any) -> Any:
    if "text" in entry.abilities:
        return next(iter(columns.values()))
    if entry.name in UNLISTED and UNLISTED[entry.name].rows == "images":
        return np.array(columns["c0"], dtype=float)
    if container == "pandas":
        import pandas as pd

        return pd.DataFrame(columns)
    if container == "array" and all(isinstance(c, float | None) for cells in columns.values() for c in cells):
        return np.array([[math.nan if c is None else c for c in cells] for cells in columns.values()], dtype=float).T
    return columns


def _read_once(rows: Any) -> Any:
    """A table of the rows where they make one: a quarter of the time of all questions went into reading them."""
    if isinstance(rows, list) or getattr(rows, "ndim", 2) != 2:
        return rows
    try:
        return learnt.Table(rows)
    except learnt.errors.LearntError:
        return rows


def _simpler(said: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Fewer rows, columns and settings; plainer cells."""
    n = len(next(iter(said["columns"].values()), []))
    size = n // 2
    while size >= 1:
        for start in range(0, n, size):
            cut = slice(start, start + size)
            yield said | {"columns": {k: _without(v, cut) for k, v in said["columns"].items()},
                          "y": _without(said["y"], cut), "weights": _without(said["weights"], cut)}  # fmt: skip
        size //= 2
    for name in said["columns"] if len(said["columns"]) > 1 else ():
        yield said | {part: {k: v for k, v in said[part].items() if k != name} for part in ("columns", "more")}
    for name in said.get("inside", {}):
        yield said | {"inside": {k: v for k, v in said["inside"].items() if k != name}}
    for name in said["settings"]:
        yield said | {"settings": {k: v for k, v in said["settings"].items() if k != name}}
    if said["weights"] is not None:
        yield said | {"weights": None}
    if said["as"] != "dict":
        yield said | {"as": "dict"}
    m = len(next(iter(said["more"].values())))
    for i in range(m if m > 1 else 0):
        yield said | {"more": {k: v[:i] + v[i + 1 :] for k, v in said["more"].items()}}
    for name, cells in said["columns"].items():
        for i, cell in enumerate(cells):
            for plain in (0.0, 1.0) if isinstance(cell, float) and cell not in (0.0, 1.0) else ():
                yield said | {"columns": said["columns"] | {name: [*cells[:i], plain, *cells[i + 1 :]]}}


def _without(cells: list[Any] | None, cut: slice) -> list[Any] | None:
    return None if cells is None else [cell for i, cell in enumerate(cells) if not cut.start <= i < cut.stop]
