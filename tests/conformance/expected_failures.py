"""Every expected failure of a check, with its reason. The suite fails when one of them passes."""

_NUMBERED = (
    "clusters are numbered by their first rows, and this check shuffles the rows: the same clusters under other numbers"
)

_OTHER_UNIT = (
    "a column of labels or gaps makes metric='auto' the mixed one, in shares of ranges: the same eps is then another"
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

_IN_ORDER = "mistakes depend on the order of the rows, and this check shuffles them; copies side by side are equal"

_KEPT_IN_ORDER = (
    "which rows are kept depends on their order, and this check shuffles them; copies side by side are equal"
)
_MANY = "it holds many models: 10 trees of this table, or 50 rounds, take more than one"

_FORESTS = ("ExtraTreesClassifier", "ExtraTreesRegressor", "RandomForestClassifier", "RandomForestRegressor")
_BY_PLACE = "columns are drawn by their place among all: equal in distribution"
_MEMBERS = ("StackingClassifier", "StackingRegressor", "VotingClassifier", "VotingRegressor")
_FIRST_WEIGHTS = "first weights are drawn by the places of inputs: equal in distribution"
#: (learner, check) → why its failure is expected, and right. "*" stands for all learners.
OWN: dict[tuple[str, str], str] = {
    **{
        (learner, check): why
        for learner in ("MLPClassifier", "MLPRegressor")
        for check, why in (
            ("the_order_of_columns_when_fitting_does_not_matter", _FIRST_WEIGHTS),
            ("a_small_model_pickles_small", "128 hidden units have a few thousand weights of 4 bytes"),
        )
    },
    (
        "Autoencoder",
        "a_small_model_pickles_small",
    ): "64 hidden units on either side have a few thousand weights of 4 bytes",
    ("DecisionTreeRegressor", "a_small_model_pickles_small"): (
        "60 rows of different targets make 60 leaves: 119 nodes of 84 bytes, and their columns"
    ),
    **{
        (learner, "equal_weights_count_as_none"): _EVIDENCE
        for learner in ("GradientBoostingClassifier", "GradientBoostingRegressor")
    },
    **{
        (learner, "equal_weights_count_as_none"): _EVIDENCE
        for learner in ("C45Classifier", "ObliqueTreeClassifier", "ObliqueTreeRegressor", "OptionTreeClassifier")
    },
    ("LogisticRegression", "equal_weights_count_as_none"): (
        "weights count as copies of rows, and the penalty stands against their sum, as scikit-learn's C does: 0.037 of "
        "every row is less evidence than the rows"
    ),
    ("Ridge", "equal_weights_count_as_none"): (
        "weights count as copies of rows, and the penalty stands against their sum: 0.037 of a row is less evidence"
    ),
    ("OneVsRestClassifier", "equal_weights_count_as_none"): (
        "its members are penalised: the penalty stands against the sum of weights, and 0.037 of a row is less evidence"
    ),
    **{
        (learner, "equal_weights_count_as_none"): (
            "gate and experts are penalised: the penalty stands against the sum of weights, and 0.037 of a row is less "
            "evidence"
        )
        for learner in ("MixtureOfExpertsClassifier", "MixtureOfExpertsRegressor")
    },
    **{
        (learner, "equal_weights_count_as_none"): (
            "weights count as copies of rows, also in the number of neighbours: five of them are a weight of 5, of "
            "which 0.037 of a row is less than a row"
        )
        for learner in ("KNeighborsClassifier", "KNeighborsRegressor")
    },
    ("MixtureModel", "equal_weights_count_as_none"): (
        "weights count as copies of rows, and its priors are a fixed number of rows: 0.037 of a row is less evidence"
    ),
    ("OneVsRestClassifier", "a_scan_is_watched"): "its members tell their own steps, under their own name",
    ("AlternatingTreeClassifier", "equal_weights_count_as_none"): _COUNTED,
    ("BayesNetClassifier", "equal_weights_count_as_none"): _COUNTED,
    ("RuleListClassifier", "equal_weights_count_as_none"): _EVIDENCE,
    ("MDS", "a_row_of_weight_zero_may_hold_the_largest_numbers"): (
        "a row of weight 0 has no say, but a place on the map, which there is not for the largest numbers"
    ),
    ("DBSCAN", "constant_columns_do_no_harm"): _OTHER_UNIT,
    ("DBSCAN", "a_column_without_a_single_cell_does_no_harm"): _OTHER_UNIT,
    ("MinimumRiskClassifier", "constant_columns_do_no_harm"): _SMOOTHED,
    ("NaiveBayesClassifier", "constant_columns_do_no_harm"): _SMOOTHED,
    **{
        (learner, check): why
        for learner in ("BernoulliNB", "ComplementNB", "MultinomialNB")
        for check, why in (
            ("constant_columns_do_no_harm", "each column is a word of the vocabulary: its count changes all shares"),
            ("a_column_without_a_single_cell_does_no_harm", "a word that never occurs is smoothed like the others"),
            ("equal_weights_count_as_none", _COUNTED),
        )
    },
    **{
        (learner, "a_small_model_pickles_small"): _MANY
        for learner in (
            "AdaBoostRegressor",
            "BaggingClassifier",
            "BaggingRegressor",
            "GradientBoostingClassifier",
            "RandomSubspaceClassifier",
        )
    },
    ("RandomSubspaceClassifier", "the_order_of_columns_when_fitting_does_not_matter"): (
        "columns are drawn by their place: equal in distribution"
    ),
    **{
        (learner, check): why
        for learner in _FORESTS
        for check, why in (
            ("a_small_model_pickles_small", _MANY),
            ("the_order_of_columns_when_fitting_does_not_matter", _BY_PLACE),
        )
    },
    **{
        (learner, check): why
        for learner in _MEMBERS
        for check, why in (
            ("a_small_model_pickles_small", _MANY),
            ("the_order_of_columns_when_fitting_does_not_matter", "its forests draw columns by their place"),
            ("equal_weights_count_as_none", _EVIDENCE),
        )
    },
    **{
        (learner, "a_scan_is_watched"): "its members tell their own steps, under their own name"
        for learner in ("VotingClassifier", "VotingRegressor")
    },
    **{
        (learner, "one_row_is_enough"): "the mean of a dozen equal numbers is that number up to its last bit"
        for learner in ("ExtraTreesRegressor", "RandomForestRegressor")
    },
    **{
        ("KMedoids", check): (
            "complete numbers are measured by Euclid's metric, and with a column of another kind, or with gaps, all "
            "columns by the mixed one: other distances, other groups"
        )
        for check in ("constant_columns_do_no_harm", "a_column_without_a_single_cell_does_no_harm")
    },
    **{
        (learner, "equal_weights_count_as_none"): (
            "weights count as copies of rows, and C is the price of one: 0.037 of a row costs 0.037 as much"
        )
        for learner in ("LinearSVC", "LinearSVR", "SVC", "SVR")
    },
    ("KernelPCA", "a_small_model_pickles_small"): (
        "a component is a sum over all rows, and all components are kept: 60 rows make 59 of 60 coefficients"
    ),
    ("OrdinalEncoder", "one_nominal_column_is_enough"): _MISSING_STAYS,
    ("PolynomialFeatures", "one_nominal_column_is_enough"): _MISSING_STAYS,
    **{
        (learner, "the_order_of_columns_when_fitting_does_not_matter"): (
            "unpruned trees end in nodes of a few rows that several columns split equally well: the first is taken"
        )
        for learner in (
            "ID3Classifier",
            "DecisionTreeClassifier",
            "DecisionTreeRegressor",
            "BaggingClassifier",
            "BaggingRegressor",
            "AdaBoostRegressor",
            "ObliqueTreeClassifier",
            "ObliqueTreeRegressor",
            "OptionTreeClassifier",
        )
    },
    ("OptionTreeClassifier", "a_small_model_pickles_small"): "it holds many subtrees: up to 36 below its options",
    ("AlternatingTreeClassifier", "the_order_of_columns_when_fitting_does_not_matter"): (
        "late rounds hang tests below nodes of a few rows, which several columns tell apart equally well: the first is "
        "taken"
    ),
}

#: The same for scikit-learn's checks, by their names there. Fifteen at most: a test counts them.
SKLEARN: dict[tuple[str, str], str] = {
    **{
        (learner, f"check_sample_weight_equivalence_on_{kind}_data"): why
        for kind in ("dense", "sparse")
        for learner, why in (
            ("Perceptron", _IN_ORDER),
            ("DualPerceptron", _IN_ORDER),
            ("KernelPerceptron", _IN_ORDER),
            ("InstanceBasedClassifier", _KEPT_IN_ORDER),
            ("CondensedNeighbors", _KEPT_IN_ORDER),
        )
    },
    ("AgglomerativeClustering", "check_sample_weight_equivalence_on_dense_data"): _NUMBERED,
    ("DivisiveClustering", "check_sample_weight_equivalence_on_dense_data"): _NUMBERED,
}


def reason(table: dict[tuple[str, str], str], learner: str, check: str) -> str | None:
    return table.get((learner, check), table.get(("*", check)))
