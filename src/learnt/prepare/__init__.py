"""Preparing tables: learners whose answer is another table."""

from learnt.prepare.bag_of_words import BagOfWords
from learnt.prepare.column_spread import column_spread as column_spread
from learnt.prepare.cuts import equal_frequency as equal_frequency
from learnt.prepare.cuts import equal_width as equal_width
from learnt.prepare.date_features import DateFeatures
from learnt.prepare.discretizer import Discretizer
from learnt.prepare.discretizer import Ends as Ends
from learnt.prepare.discretizer import FindEnds as FindEnds
from learnt.prepare.discretizer import find_cuts as find_cuts
from learnt.prepare.documents import column_names_of as column_names_of
from learnt.prepare.imputer import Imputer
from learnt.prepare.intervals import interval_labels as interval_labels
from learnt.prepare.one_hot import OneHotEncoder
from learnt.prepare.ordinal import OrdinalEncoder
from learnt.prepare.polynomial import PolynomialFeatures
from learnt.prepare.scalers import MinMaxScaler, StandardScaler
from learnt.prepare.select_features import SelectFeatures

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
]
