"""Every check a learner does not pass, with the reason. The suite fails when an entry is no longer needed."""

_DRAWN = (
    "the start is drawn by row, and this check shuffles the rows: equal in distribution, and exactly from a "
    "given start, which our own checks of weights show"
)

_EVIDENCE = (
    "weights count as copies of rows, also in the least weight of a leaf and in the pessimistic errors: 0.037 of a "
    "row is less evidence than a row"
)

_SMOOTHED = (
    "smoothing gives the value that never occurs a share too, which is larger in a class of fewer rows; it is what "
    "the rule says and what peers do"
)
_COUNTED = (
    "weights count as copies of rows, and smoothing adds a fixed count: 0.037 of a row is less evidence than a row"
)
_MISSING_STAYS = "a missing cell becomes a missing number, and the table of this check has some"

_ONE_STEP = (
    "rows are met in a drawn order, one step each: a row twice is two steps at two times, a weight of two is one "
    "double step; both lead to the same optimum, which the tests of descent show"
)
_IN_ORDER = "mistakes depend on the order of the rows, and this check shuffles them; copies side by side are equal"

#: (learner, check) → why it is right not to pass. "*" stands for all learners.
OWN: dict[tuple[str, str], str] = {
    **{
        (learner, f"a_row_twice_is_a_weight_of_two{where}"): _ONE_STEP
        for learner in ("SGDClassifier", "SGDRegressor")
        for where in ("", "_in_a_sparse_matrix", "_for_few_rows")
    },
    ("DecisionTreeRegressor", "a_small_model_pickles_small"): (
        "60 rows of different targets make 60 leaves: 119 nodes of 84 bytes, and their columns"
    ),
    ("C45Classifier", "equal_weights_are_no_weights"): _EVIDENCE,
    ("LogisticRegression", "equal_weights_are_no_weights"): (
        "weights count as copies of rows, and the penalty stands against their sum, as scikit-learn's C does: 0.037 of "
        "every row is less evidence than the rows"
    ),
    ("Ridge", "equal_weights_are_no_weights"): (
        "weights count as copies of rows, and the penalty stands against their sum: 0.037 of a row is less evidence"
    ),
    ("OneVsRestClassifier", "equal_weights_are_no_weights"): (
        "its members are penalised: the penalty stands against the sum of weights, and 0.037 of a row is less evidence"
    ),
    ("OneVsRestClassifier", "a_scan_is_watched"): "its members tell their own steps, under their own name",
    ("RuleListClassifier", "equal_weights_are_no_weights"): _EVIDENCE,
    ("MinimumRiskClassifier", "constant_columns_do_no_harm"): _SMOOTHED,
    ("NaiveBayesClassifier", "constant_columns_do_no_harm"): _SMOOTHED,
    **{
        (learner, check): why
        for learner in ("BernoulliNB", "ComplementNB", "MultinomialNB")
        for check, why in (
            ("constant_columns_do_no_harm", "each column is a word of the vocabulary: its count changes all shares"),
            ("a_column_without_a_single_cell_does_no_harm", "a word that never occurs is smoothed like the others"),
            ("equal_weights_are_no_weights", _COUNTED),
        )
    },
    ("OrdinalEncoder", "one_nominal_column_is_enough"): _MISSING_STAYS,
    ("PolynomialFeatures", "one_nominal_column_is_enough"): _MISSING_STAYS,
    ("ID3Classifier", "the_order_of_columns_when_fitting_does_not_matter"): (
        "unpruned, it ends in nodes of a few rows that several columns split equally well: the first of them is taken"
    ),
}

#: The same for scikit-learn's checks, by their names there.
SKLEARN: dict[tuple[str, str], str] = {
    **{
        (learner, f"check_sample_weight_equivalence_on_{kind}_data"): why
        for kind in ("dense", "sparse")
        for learner, why in (
            ("SGDClassifier", _ONE_STEP),
            ("SGDRegressor", _ONE_STEP),
            ("Perceptron", _IN_ORDER),
            ("DualPerceptron", _IN_ORDER),
            ("KernelPerceptron", _IN_ORDER),
            ("Winnow", _IN_ORDER),
        )
    },
    ("Winnow", "check_classifiers_train"): (
        "it is for columns that are true or false: of the two numbers of this check it sees whether they are above 0"
    ),
    ("KMeans", "check_sample_weight_equivalence_on_dense_data"): _DRAWN,
    ("KMeans", "check_sample_weight_equivalence_on_sparse_data"): _DRAWN,
    ("OrdinalRegression", "check_classifiers_train"): (
        "the three clouds of this check do not lie along a line in the order of their labels, as ordered classes do"
    ),
}


def reason(table: dict[tuple[str, str], str], learner: str, check: str) -> str | None:
    return table.get((learner, check), table.get(("*", check)))
