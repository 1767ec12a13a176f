import numpy as np

from learnt import MLPClassifier


def test_losses_are_drawn_for_rows_learnt_from_and_held_out():
    x = np.random.default_rng(0).normal(size=(200, 2))
    model = MLPClassifier(early_stopping=True, max_iter=8).fit(x, x[:, 0] > 0)
    ax = model.plot_losses()
    assert [len(line.get_xdata()) for line in ax.lines] == [model.n_iter_, model.n_iter_, 1]
    assert len(MLPClassifier(max_iter=3).fit(x, x[:, 0] > 0).plot_losses().lines) == 1
