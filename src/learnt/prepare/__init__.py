"""Preparing tables: learners whose answer is another table."""

from learnt.prepare.categories.one_hot import OneHotEncoder
from learnt.prepare.categories.ordinal import OrdinalEncoder
from learnt.prepare.dates.date_features import DateFeatures
from learnt.prepare.missing.imputer import Imputer
from learnt.prepare.numbers.column_spread import column_spread as column_spread
from learnt.prepare.numbers.cuts import equal_frequency as equal_frequency
from learnt.prepare.numbers.cuts import equal_width as equal_width
from learnt.prepare.numbers.discretizer import Discretizer
from learnt.prepare.numbers.discretizer import Ends as Ends
from learnt.prepare.numbers.discretizer import FindEnds as FindEnds
from learnt.prepare.numbers.discretizer import find_cuts as find_cuts
from learnt.prepare.numbers.intervals import interval_labels as interval_labels
from learnt.prepare.numbers.polynomial import PolynomialFeatures
from learnt.prepare.numbers.scalers import MinMaxScaler, StandardScaler
from learnt.prepare.selection.select_features import SelectFeatures
from learnt.prepare.vectors.word2vec import Word2Vec
from learnt.prepare.vectors.word_vectors import WordVectors
from learnt.prepare.words.bag_of_words import BagOfWords
from learnt.prepare.words.documents import column_names_of as column_names_of
from learnt.prepare.words.splitting import WORD as WORD
from learnt.prepare.words.splitting import split_words

__all__ = [
    "BagOfWords",
    "DateFeatures",
    "Discretizer",
    "Imputer",
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PolynomialFeatures",
    "SelectFeatures",
    "StandardScaler",
    "Word2Vec",
    "WordVectors",
    "split_words",
]
