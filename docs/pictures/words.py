"""Draw the picture of the page on word vectors: `python docs/pictures/words.py`."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import learnt

HERE = Path(__file__).parent
TOPICS = ("cat kitten dog puppy purrs barks", "bank loan credit money lends pays", "rain snow wind cloud storm thaw")


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    rng = np.random.default_rng(0)
    every = " ".join(TOPICS).split()
    texts = [" ".join([*rng.choice(TOPICS[i % 3].split(), 3), *rng.choice(every, 3)]) for i in range(800)]
    axes = learnt.Word2Vec(16, epochs=20).fit(texts).vectors_.plot()
    axes.figure.savefig(HERE / "word2vec.svg", bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
