"""Draw the pictures of docs/reduction.md: `python docs/pictures/reduction.py`."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import learnt

HERE = Path(__file__).parent

#: Degrees of latitude and longitude.
TOWNS = {
    "Zürich": (47.37, 8.54), "Bern": (46.95, 7.45), "Basel": (47.56, 7.59), "Genève": (46.20, 6.15),
    "Lugano": (46.00, 8.95), "Chur": (46.85, 9.53), "Sion": (46.23, 7.36), "St. Gallen": (47.42, 9.37),
    "Luzern": (47.05, 8.31), "Davos": (46.80, 9.83), "Lausanne": (46.52, 6.63),
}  # fmt: skip


def kilometres() -> np.ndarray:
    """Straight lines between all pairs of towns: near enough on a piece of the globe this small."""
    places = np.array(list(TOWNS.values())) * [111.2, 111.2 * np.cos(np.radians(46.8))]
    return np.sqrt(((places[:, None] - places) ** 2).sum(axis=2))


def draw_towns() -> plt.Figure:
    model = learnt.MDS(2, metric="precomputed").fit(kilometres())
    figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    x, y = model.embedding_.T
    ax.plot(x, y, "o", color="#3b75af")
    for name, here in zip(TOWNS, model.embedding_, strict=True):
        ax.annotate(name, here, xytext=(5, 4), textcoords="offset points")
    ax.set_aspect("equal")
    ax.margins(0.12)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set(xlabel="kilometres", ylabel="kilometres")
    return figure


def signals() -> np.ndarray:
    time = np.linspace(0, 8, 400)
    return np.stack([np.sin(2 * time), np.sign(np.sin(3 * time))], axis=1)


def draw_signals() -> plt.Figure:
    """What was sent, what two microphones heard, and what ICA and PCA make of it."""
    sent = signals()
    heard = sent @ [[1.0, 0.6], [0.5, 1.0]] + np.random.default_rng(0).normal(scale=0.05, size=sent.shape)
    shown = {
        "sent": sent,
        "heard": heard,
        "ICA": learnt.ICA(2, random_state=0).fit_transform(heard),
        "PCA": learnt.PCA(2).fit_transform(heard),
    }
    figure, grid = plt.subplots(2, 4, figsize=(10, 3.2), sharex=True, layout="constrained")
    for column, (title, values) in zip(grid.T, shown.items(), strict=True):
        column[0].set_title(title, fontsize=11)
        for ax, line, colour in zip(column, values.T, ("#3b75af", "#ef8636"), strict=True):
            ax.plot(line, color=colour, lw=1.2)
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_color("0.85")
    return figure


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    irises = learnt.datasets.load("iris")
    iris = irises.drop("class")
    model = learnt.PCA(standardize=True).fit(iris)
    drawn = {
        "reduction_biplot": model.biplot(iris, color=irises["class"].labels()).figure,
        "reduction_scree": model.plot().figure,
        "reduction_towns": draw_towns(),
        "reduction_signals": draw_signals(),
    }
    for name, figure in drawn.items():
        figure.savefig(HERE / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
