"""Draw the pictures of docs/learners/lasso.md: `python docs/pictures/penalties.py`."""

from pathlib import Path

import matplotlib as mpl

import learnt

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    cpu = learnt.datasets.load("cpu")
    axes = learnt.lasso_path(_standardised(cpu)).plot()
    axes.set_title("Speed of 209 processors: what enters when the penalty falls")
    axes.set_ylabel("coefficient of the standardised column")
    axes.figure.savefig(HERE / "lasso_path.svg", metadata={"Date": None})
    axes = learnt.Lasso(alpha="cv", standardize=True).fit(cpu).choice_.plot()
    axes.figure.savefig(HERE / "lasso_choice.svg", metadata={"Date": None})


def _standardised(table: learnt.Table) -> learnt.Table:
    numbers = table.drop(table.target)
    scaled = learnt.StandardScaler().fit_transform(numbers)
    columns = {name: scaled[name].values for name in scaled}
    return learnt.Table(columns | {table.target: table[table.target].values}, target=table.target)


if __name__ == "__main__":
    main()
