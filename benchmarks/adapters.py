"""All adapters: importing this module fills `registry.REG`; and the statements whose import is timed."""

import peers.clusters
import peers.linear
import peers.networks
import peers.tables
import peers.trees  # noqa: F401
from registry import REG

__all__ = ["IMPORTS", "REG"]

IMPORTS = {
    "numpy": "import numpy",
    "scipy.sparse+linalg": "import scipy.sparse, scipy.linalg",
    "sklearn": "import sklearn",
    "sklearn linear_model": "from sklearn.linear_model import LogisticRegression",
    "sklearn ensemble": "from sklearn.ensemble import RandomForestClassifier",
    "sklearnex": "from sklearnex.linear_model import LogisticRegression",
    "lightgbm": "import lightgbm",
    "xgboost": "import xgboost",
    "catboost": "import catboost",
    "faiss": "import faiss",
    "torch": "import torch",
    "hmmlearn": "import hmmlearn.hmm",
    "pyagrum": "import pyagrum",
    "pgmpy": "import pgmpy.models, pgmpy.inference",
    "fastcluster": "import fastcluster",
    "celer": "import celer",
    "skglm": "import skglm",
    "pykdtree": "import pykdtree.kdtree",
    "river": "import river.linear_model, river.tree",
    "interpret": "import interpret.glassbox",
    "pandas": "import pandas",
    "pyarrow": "import pyarrow.csv",
}

try:
    import adapter_learnt  # noqa: F401

    IMPORTS["learnt"] = "import learnt"
    IMPORTS["learnt LinearRegression"] = "from learnt import LinearRegression"
except ImportError:
    pass
