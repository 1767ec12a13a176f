#!/usr/bin/env python3
"""Metrics on a million rows: learnt beside scikit-learn, the same arrays, rounds alternating, the best counts.

Prints milliseconds of processor time, which a busy machine does not stretch, their ratio (below 1: learnt is faster),
and whether the numbers agree.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sklearn.metrics as theirs
from sklearn.calibration import calibration_curve

from learnt.evaluate import metrics as ours

Case = tuple[str, Callable[[Any], Any], Callable[[Any], Any]]


def cases(n: int) -> Iterator[Case]:
    """A name and the same call for either library (given its module of metrics)."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, n)
    guess = np.where(rng.random(n) < 0.8, codes, rng.integers(0, 3, n))
    names = np.array(["setosa", "versicolor", "virginica"])
    two, two_guess = (codes > 0).astype(np.int64), (guess > 0).astype(np.int64)
    w = rng.random(n)
    score = np.clip(rng.normal(0.5 + 0.2 * (two - 0.5), 0.15), 0, 1)
    p = rng.dirichlet([1, 1, 1], n)
    truth = rng.gamma(2, 2, n) + 0.1
    answer = truth * np.exp(rng.normal(0, 0.1, n))

    def case(name: str, function: str, *args: Any, **kwargs: Any) -> Case:
        def call(library: Any) -> Any:
            return getattr(library, function)(*args, **kwargs)

        return name, call, call

    for name in ("accuracy_score", "balanced_accuracy_score", "matthews_corrcoef", "cohen_kappa_score"):
        yield case(name, name, codes, guess)
    for name in ("zero_one_loss", "hamming_loss", "confusion_matrix"):
        yield case(name, name, codes, guess)
    yield case("accuracy_score, text", "accuracy_score", names[codes], names[guess])
    yield case("confusion_matrix, text", "confusion_matrix", names[codes], names[guess])
    yield case("confusion_matrix, weights", "confusion_matrix", codes, guess, sample_weight=w)
    for name in ("precision_score", "recall_score", "f1_score", "jaccard_score"):
        yield case(name + ", macro", name, codes, guess, average="macro")
    yield case("f1_score, text", "f1_score", names[codes], names[guess], average="macro")
    yield case("f1_score, weights", "f1_score", two, two_guess, sample_weight=w)
    yield case("fbeta_score", "fbeta_score", two, two_guess, beta=2)
    yield case("precision_recall_fscore_support", "precision_recall_fscore_support", codes, guess)
    for name in ("roc_auc_score", "average_precision_score", "roc_curve", "precision_recall_curve"):
        yield case(name, name, two, score)
        yield case(name + ", weights", name, two, score, sample_weight=w)
    yield case("roc_auc_score, ovr", "roc_auc_score", codes, p, multi_class="ovr")
    yield case("roc_auc_score, ovo", "roc_auc_score", codes, p, multi_class="ovo")
    yield case("log_loss", "log_loss", codes, p)
    yield case("log_loss, two classes", "log_loss", two, score)
    yield case("brier_score_loss", "brier_score_loss", two, score)
    yield case("brier_score_loss, three classes", "brier_score_loss", codes, p)
    yield case("top_k_accuracy_score", "top_k_accuracy_score", codes, p, k=2)
    yield "calibration_curve", lambda _: ours.calibration_curve(two, score), lambda _: calibration_curve(two, score)
    for name in (
        "mean_squared_error",
        "root_mean_squared_error",
        "mean_absolute_error",
        "median_absolute_error",
        "mean_absolute_percentage_error",
        "r2_score",
        "explained_variance_score",
        "mean_squared_log_error",
        "mean_pinball_loss",
        "mean_poisson_deviance",
        "d2_absolute_error_score",
        "d2_tweedie_score",
    ):
        yield case(name, name, truth, answer)
        yield case(name + ", weights", name, truth, answer, sample_weight=w)
    yield case("max_error", "max_error", truth, answer)


def best(calls: list[Callable[[], Any]], rounds: int) -> list[float]:
    """Milliseconds of each call, in turns, so that a noisy moment hits both."""
    times = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            start = time.process_time()
            call()
            times[i] = min(times[i], 1e3 * (time.process_time() - start))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| metric | learnt ms | scikit-learn ms | ratio | same |\n|---|---|---|---|---|")
    slower = 0
    for name, mine, peer in cases(options.rows):
        a, b = best([lambda f=mine: f(ours), lambda f=peer: f(theirs)], options.rounds)
        same = _same(mine(ours), peer(theirs))
        slower += a > b
        print(f"| {name} | {a:.1f} | {b:.1f} | {a / b:.2f} | {'yes' if same else 'NO'} |", flush=True)
    print(f"\n{slower} slower than scikit-learn.")


def _same(a: Any, b: Any) -> bool:
    parts = zip(a, b, strict=True) if isinstance(a, tuple) else [(a, b)]
    return all(np.allclose(x, y, rtol=1e-12, atol=1e-12) for x, y in parts if y is not None)


if __name__ == "__main__":
    main()
