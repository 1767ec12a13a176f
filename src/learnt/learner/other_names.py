"""What people type when they mean a learner or a function of learnt: names of Weka, scikit-learn, R and of speech.

A wrong name is answered with the right one: the lists below first, then the nearest in spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

#: Each line: names of learnt, then what others call it. Letters are compared without case, blanks and punctuation.
_LEARNERS = """
MajorityClassifier MeanRegressor: ZeroR, dummy, baseline, majority, DummyClassifier, DummyRegressor
C45Classifier: J48, C4.5, C5.0, C50, J48graft
ID3Classifier: Id3
DecisionStumpClassifier DecisionStumpRegressor: stump, OneR, 1R
DecisionTreeClassifier DecisionTreeRegressor: tree, decision tree, CART, SimpleCart, REPTree, rpart
ModelTreeRegressor: M5P, M5, M5Rules, Cubist, model tree, linear tree
AlternatingTreeClassifier: ADTree, LADTree, alternating decision tree
ObliqueTreeClassifier ObliqueTreeRegressor: OC1, oblique tree, LMDT, multivariate tree
OptionTreeClassifier: option tree, HoeffdingOptionTree
RuleListClassifier: JRip, PART, RIPPER, rules, decision list
RandomForestClassifier RandomForestRegressor: random forest, forest, rf, ranger
ExtraTreesClassifier ExtraTreesRegressor: extra trees, extremely randomized trees
GradientBoostingClassifier GradientBoostingRegressor: xgboost, xgb, XGBClassifier, XGBRegressor, lightgbm, lgbm, \
LGBMClassifier, LGBMRegressor, catboost, CatBoostClassifier, CatBoostRegressor, gbm, gbdt, gbt, boosting, \
gradient boosting, HistGradientBoostingClassifier, HistGradientBoostingRegressor, \
boosted trees
AdaBoostClassifier AdaBoostRegressor: adaboost, AdaBoostM1
LogitBoostClassifier: LogitBoost, additive logistic regression
AdditiveRegressor: AdditiveRegression, residual fitting
TripletBoostClassifier: Schapire, three hypotheses
MixtureOfExpertsClassifier MixtureOfExpertsRegressor: mixture of experts, moe, experts
BaggingClassifier BaggingRegressor: bagging, bagged trees
RandomSubspaceClassifier: RandomSubSpace
VotingClassifier VotingRegressor: Vote, voting, EnsembleVoteClassifier, blending, averaging
StackingClassifier StackingRegressor: Stacking, StackingC, stacked, stacked generalization, SuperLearner
NaiveBayesClassifier: naive bayes, nb, bayes, GaussianNB, CategoricalNB, NaiveBayesSimple, BayesNet
MultinomialNB: NaiveBayesMultinomial
DiscriminantClassifier: LDA, QDA, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, discriminant, FLDA
KNeighborsClassifier KNeighborsRegressor: IBk, knn, kNN, k nearest neighbors, nearest neighbors, neighbors, KStar, \
RadiusNeighborsClassifier, RadiusNeighborsRegressor
InstanceBasedClassifier: IB1, IB2, IB3
NestedExemplarsClassifier: NNge
NearestExemplar: NearestCentroid, nearest centroid, Rocchio
LocallyWeightedRegressor: LWL, loess, lowess, LWR
LogisticRegression: logistic, logit, logreg, SimpleLogistic, LogisticRegressionCV, MultinomialLogistic, maxent, glm
OrdinalRegression: ordinal logit, polr, ordered logit
LinearRegression: linear, ols, lm, linreg, least squares, SimpleLinearRegression
Ridge: RidgeCV, RidgeRegression, RidgeClassifier, KernelRidge
Lasso: LassoCV, LassoLars
ElasticNet: ElasticNetCV, glmnet, elastic net
SGDClassifier SGDRegressor: sgd, stochastic gradient descent, PassiveAggressiveClassifier
KernelPerceptron: VotedPerceptron
OneVsRestClassifier: MultiClassClassifier, one vs all, ova, ovr, OneVsOneClassifier
MultiLabelClassifier: MultiOutputClassifier, ClassifierChain, BinaryRelevance
MultiResponseClassifier: ClassificationViaRegression
MinimumRiskClassifier: CostSensitiveClassifier, MetaCost
KMeans: SimpleKMeans, k-means, MiniBatchKMeans, XMeans
KMedoids: PAM, CLARA, CLARANS
AgglomerativeClustering: HierarchicalClusterer, hclust, hierarchical, agnes, linkage, ward
DivisiveClustering: DIANA, BisectingKMeans
DBSCAN: OPTICS, HDBSCAN
MixtureModel GaussianMixture: EM, gmm, mixture, mclust, BayesianGaussianMixture
PCA: PrincipalComponents, principal component analysis, prcomp, IncrementalPCA
LatentSemanticAnalysis: LSA, LSI, svd, TruncatedSVD
ICA: FastICA
PCA Autoencoder KernelPCA MDS: dimensionality reduction, dimension reduction, reduce dimensions
MDS PCA: tsne, t-SNE, umap, Isomap, multidimensional scaling
NystroemFeatures: Nystroem, Nyström, kernel approximation
RandomFourierFeatures: RBFSampler, random kitchen sinks, rff
KernelPCA: kpca, kernel principal component analysis
KernelKMeans: kkmeans, kernel k-means, SpectralClustering
RandomProjection: GaussianRandomProjection, SparseRandomProjection
Imputer: SimpleImputer, IterativeImputer, KNNImputer, ReplaceMissingValues, impute, fillna
Discretizer: KBinsDiscretizer, Discretize, binning, cut
OneHotEncoder: one hot, get_dummies, dummies, NominalToBinary
OrdinalEncoder: LabelEncoder
StandardScaler: Standardize, zscore, scale, RobustScaler
MinMaxScaler: Normalize, MinMax, Normalizer
PolynomialFeatures: poly, polynomial, interactions
SelectFeatures: SelectKBest, RFE, SequentialFeatureSelector, AttributeSelection, feature selection
SVC: SMO, SVM, NuSVC, LibSVM, support vector machine
SVR: SMOreg, NuSVR
LinearSVC: LibLINEAR
Autoencoder: auto encoder, denoising autoencoder, bottleneck, AutoEncoder
MLPClassifier MLPRegressor: MLP, MultilayerPerceptron, neural network, neural net, nn, backpropagation
ConvNetClassifier: CNN, ConvNet, convolutional network, image classifier, Dl4jMlpClassifier, Conv2D
LSTMClassifier: LSTM, RNN, GRU, recurrent network, sequence classifier
DriftDetector find_drift: ADWIN, DDM, EDDM, PageHinkley, drift
NoveltyDetector OneClassSVM: IsolationForest, LocalOutlierFactor, LOF, EllipticEnvelope, outlier detection, anomaly
MatrixFactorization: recommender, collaborative filtering, ALS, AlternatingLeastSquares, SVD++, surprise, implicit
LabelPropagation LabelSpreading SelfTrainingClassifier: semi supervised, YATSI, CollectiveClassifier
CoTrainingClassifier: co-training, cotraining
BagOfWords: CountVectorizer, TfidfVectorizer, HashingVectorizer, StringToWordVector, tfidf
Word2Vec: skip gram, SkipGram, CBOW, word embeddings, KeyedVectors, gensim
"""

#: What learnt does not have, and what comes nearest.
_NOT_YET = """
LocallyWeightedRegressor KNeighborsRegressor: GaussianProcess, GaussianProcessRegressor, GaussianProcesses, kriging
"""

_FUNCTIONS = """
tune Tuned: GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV, CVParameterSelection, GridSearch, optuna
cross_validate: cross_val_score, cross_val_predict, cross_val, cv
compare: Experimenter, benchmark, compare_models, setup
split_words: tokenize, tokenizer, word_tokenize, WordTokenizer
read: read_csv, read_excel, read_parquet, load_csv, read_table, open
save: dump, to_pickle, write
load: load_model, restore
Table: DataFrame, table, frame
describe: summary, profile, ProfileReport, info
explain: shap, lime, SHAP
"""


def names_meant(name: str, known: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """What of `known` a name may stand for, best first, and whether learnt lacks the thing itself."""
    import difflib

    known = list(known)
    folded = _folded(name)
    by_fold = {_folded(other): other for other in known}
    if folded in by_fold:  # "random_forest_classifier"
        return (by_fold[folded],), False
    for lines, lacking in ((_LEARNERS, False), (_NOT_YET, True), (_FUNCTIONS, False)):
        meant = tuple(one for one in _listed(lines).get(folded, ()) if one in known)
        if meant:
            return meant, lacking
    pair = tuple(other for other in known if _folded(other) in (f"{folded}classifier", f"{folded}regressor"))
    near = difflib.get_close_matches(folded, by_fold, 1, 0.7)
    return pair or tuple(by_fold[one] for one in near), False


def suggestion(name: str, known: Iterable[str]) -> str:
    """A sentence that names what was meant, or nothing.

    >>> suggestion("J48", ["C45Classifier", "Lasso"])
    "Did you mean 'C45Classifier'?"
    """
    meant, lacking = names_meant(name, known)
    if not meant:
        return ""
    if lacking:
        return f"learnt has none yet; what comes nearest is {_either(meant)}."
    return f"Did you mean {_either(meant)}?"


def _either(names: Sequence[str]) -> str:
    return " or ".join(repr(name) for name in names)


def _folded(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _listed(lines: str) -> dict[str, tuple[str, ...]]:
    pairs = (line.split(":") for line in lines.strip().splitlines())
    return {_folded(other): tuple(ours.split()) for ours, others in pairs for other in others.split(",")}
