#!/usr/bin/env python3
"""Nets with default settings on real tables: learnt, scikit-learn behind its usual pipeline, and gradient boosting.

python mlp_defaults.py                     ten tables of classes, mean ranks at the end
python mlp_defaults.py wine titanic --rows 500 --folds 3
python mlp_defaults.py --drawn 20          so many tables drawn by chance, their targets too; --seed draws others

All have the same stratified folds and one thread. The tables are the first ten, by name, of those of classes that have
200 rows or more; none was left out for its result.
"""

import argparse

import boosting_defaults
import study_tables

TABLES = ("anes96", "biopsy", "breast_cancer", "cancer", "chile", "cowles", "crabs", "glass", "hdma", "mode")


def learnt_net(classes):
    import learnt

    return (learnt.MLPClassifier if classes else learnt.MLPRegressor)()


def sklearn_net(classes):
    """Numbers filled in by their median and standardised, an indicator for each category."""
    import warnings

    import pandas as pd
    from sklearn.compose import ColumnTransformer, make_column_selector
    from sklearn.impute import SimpleImputer
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    warnings.simplefilter("ignore")
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    columns = ColumnTransformer(
        [
            ("numbers", numbers, make_column_selector(dtype_include="number")),
            ("texts", OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include=pd.CategoricalDtype)),
        ]
    )
    return make_pipeline(columns, (MLPClassifier if classes else MLPRegressor)(random_state=0))


LIBRARIES = {"learnt": learnt_net, "sklearn": sklearn_net, "boosting": boosting_defaults.learnt}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tables", nargs="*", help=f"names of tables; none: {', '.join(TABLES)}")
    p.add_argument("--drawn", type=int, help="tables drawn from those that no study names")
    p.add_argument("--seed", type=int, default=21, help="of what is drawn")
    p.add_argument("--rows", type=int, default=1000, help="rows of a table, at most")
    p.add_argument("--folds", type=int, default=5)
    a = p.parse_args()
    rows, names = {}, a.tables or TABLES
    if a.drawn:
        drawn = study_tables.draw(a.drawn, a.seed)
        study_tables.CLASSES.update({file: (file, target, []) for file, target in drawn.items()})
        names = list(drawn)
    for name in names:
        X, y, _ = study_tables.load(name, a.rows)
        rows[name] = {
            library: boosting_defaults.scores(library, make, name, a.rows, a.folds)
            for library, make in LIBRARIES.items()
        }
        found = "   ".join(
            f"{library} " + " ".join(f"{measure} {value:.4f}" for measure, value in score.items())
            for library, score in rows[name].items()
        )
        print(f"{name:{14 if not a.drawn else 26}} {len(y):5} × {X.shape[1]:<3} {found}", flush=True)
    for (measure, count), places in boosting_defaults.ranks(rows).items():
        print(f"mean rank of {count} by {measure}: " + ", ".join(f"{one} {rank:.2f}" for one, rank in places.items()))


if __name__ == "__main__":
    main()
