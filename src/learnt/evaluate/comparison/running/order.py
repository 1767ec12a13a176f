"""In which order learners are run: who gives a first answer, then who usually wins, then everybody else."""

from __future__ import annotations

from learnt.evaluate.comparison.candidates import Candidate

#: Learners that answer at once and are seldom far off; quickest first.
FIRST_ANSWERS = (
    "NaiveBayesClassifier",
    "LinearRegression",
    "Ridge",
    "DiscriminantClassifier",
    "LogisticRegression",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "TextClassifier",
)
#: What wins on most tables, and is worth the wait.
STRONG = (
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "VotingClassifier",
    "VotingRegressor",
)

_BASELINE, _FIRST, _STRONG, CHOSEN_BY_HAND, _OTHER = range(5)


def turn(candidate: Candidate) -> tuple[int, float, str]:
    """Sorts candidates: baselines, first answers, strong ones, the rest; those of one group by expected cost.

    A budget that ends early so leaves out who would have mattered least. Learners that are not learnt's own were chosen
    by hand, so they come right after the strong ones, before learnt's weaker and historical ones.
    """
    name = type(candidate.plain).__name__
    if candidate.baseline:
        return _BASELINE, candidate.cost, candidate.name
    if name in FIRST_ANSWERS:
        return _FIRST, FIRST_ANSWERS.index(name), candidate.name
    if name in STRONG:
        return _STRONG, STRONG.index(name), candidate.name
    ours = type(candidate.plain).__module__.startswith("learnt.")
    return (_OTHER if ours else CHOSEN_BY_HAND), candidate.cost, candidate.name
