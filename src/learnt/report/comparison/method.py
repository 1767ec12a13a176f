"""Section 3: how it was measured, in words that can be pasted into a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.evaluate.comparison.running.sampling import rows_compared
from learnt.evaluate.comparison.words import set_otherwise
from learnt.report.comparison.reproduce import drawn_by_us
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import list_names, name
from learnt.report.section import Section
from learnt.show.words import count_of

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparison.comparison import Comparison

MOST_NAMED = 6
REFERENCES = (
    "C. Nadeau, Y. Bengio: Inference for the generalization error. Machine Learning 52, 2003.",
    "J. C. Hsu: Multiple Comparisons. Theory and Methods. Chapman and Hall, 1996.",
    "V. Chernozhukov, D. Chetverikov, K. Kato: Gaussian approximations and multiplier bootstrap for maxima of sums of "
    "high-dimensional random vectors. Annals of Statistics 41, 2013.",
    "S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 1979.",
    "J. Demšar: Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.",
)


def method(comparison: Comparison) -> Section:
    paragraphs = [_data(comparison), _folds(comparison), _figures(comparison)]
    body = fill_template("method.html.j2", paragraphs=paragraphs, references=REFERENCES)
    return Section("method", "How it was measured", "Method", body)


def _data(comparison: Comparison) -> Markup:
    from markupsafe import Markup

    problem = comparison.problem
    what = (
        "regression"
        if problem.classes is None
        else f"classification into {'two' if problem.n_classes == 2 else problem.n_classes} classes"
    )
    text = Markup("The table holds {} and {}, from which ‘{}’ was to be predicted ({}).").format(
        count_of(problem.n_rows, "row"), count_of(problem.table.n_columns, "column"), name(problem.target_name), what
    )
    if problem.weights is not None:
        text += " Rows were weighted, in training and in scoring."
    if comparison.loss is not None:
        text += " Answers were chosen by the smallest expected cost under a given matrix of costs."
    return text


def _folds(comparison: Comparison) -> Markup:
    from markupsafe import Markup

    from learnt import __version__

    problem = comparison.problem
    if drawn_by_us(comparison):
        how = f"{comparison.cv}-fold cross-validation"
        how += f", repeated {comparison.repeats} times with new folds" if comparison.repeats > 1 else ""
        how += f", stratified by {'the class' if problem.classes is not None else 'tenths of the target'}"
        how += f" (random seed {comparison.random_state})"
        if (rows := rows_compared(comparison)) < problem.n_rows:
            how += f", on a stratified sample of {count_of(rows, 'row')}"
    else:
        how = f"{comparison.splitting.words}, cut by a splitter of the user's own"
        how += ": each tests rows that come after those it was trained on" if comparison.splitting.in_order else ""
    part = "split" if comparison.splitting.in_order else "fold"
    groups = " Rows of one group were never split between training and testing." if problem.groups is not None else ""
    return Markup(
        "{} of the software learnt, version {}, were compared by {}.{} All learners were trained and tested on the "
        "same {}. Where a learner encodes, scales or fills in cells, it learnt how from the training rows of the "
        "{} alone. {}"
    ).format(
        count_of(len(comparison.done), "learner"), __version__, how, groups, f"{part}s", part, _settings(comparison)
    )


def _settings(comparison: Comparison) -> Markup:
    from markupsafe import Markup

    if any(o.tuned is not None for o in comparison.done):
        return Markup(
            "Settings were chosen by an inner cross-validation over the training rows of each fold (nested), so that "
            "no test row took part in the choice."
        )
    changed = set_otherwise(comparison)
    if not changed:
        return Markup("Every learner was used with its default settings.")
    more = [f"{len(changed) - MOST_NAMED} more"] if len(changed) > MOST_NAMED else []
    return Markup("Learners were used with their default settings, except {}.").format(
        list_names([*changed[:MOST_NAMED], *more])
    )


def _figures(comparison: Comparison) -> Markup:
    from markupsafe import Markup

    metric, k = comparison.metric, comparison.n_folds
    others = [m.title for m in comparison.metrics if m.name != metric.name]
    also = Markup("; {} were computed as well").format(list_names(others)) if others else ""
    ranked = " Mean ranks over the folds are drawn after [5], but joined by these tests."
    ranked = ranked if comparison.ties is not None and len(comparison.ties.names) > 2 else ""
    alpha = 0.05 if comparison.ties is None else comparison.ties.alpha
    by_rows = comparison.ties is not None and comparison.ties.by == "rows"
    return Markup(
        "Learners were ranked by the mean {} over the {} folds{}. {}{} No rows were held out beyond the folds."
    ).format(metric.title, k, also, _by_rows(comparison, alpha) if by_rows else _by_folds(alpha), ranked)


def _by_rows(comparison: Comparison, alpha: float) -> str:
    what = "groups of rows" if comparison.problem.groups is not None else "rows"
    return (
        f"What each row contributes to the score of each learner was compared row by row; variances over {what} "
        "were multiplied by 1 + n/n_train, which allows for the training rows that folds share [1]. Learners that may "
        f"be the best are those left by multiple comparisons with the best [2] at the level {alpha:g}; all pairs were "
        "compared by the largest of their t statistics; critical values come from the multiplier bootstrap [3]. "
        "Intervals of scores between 0 and 1 are Wilson's for the number of rows that would be as sure, others are t "
        "intervals."
    )


def _by_folds(alpha: float) -> str:
    return (
        "Intervals are 95 % t intervals of that mean with the variance (1/k + n_test/n_train)·s², which allows for "
        "the training rows that folds share [1]. All pairs of learners were compared by the corrected resampled "
        f"t-test [1], two-tailed, and the p-values adjusted together by Holm's method [4] at the level {alpha:g}."
    )
