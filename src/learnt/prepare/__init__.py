"""Preparing tables: learners whose answer is another table."""

from learnt.prepare.bag_of_words import BagOfWords
from learnt.prepare.discretizer import Discretizer
from learnt.prepare.imputer import Imputer
from learnt.prepare.one_hot import OneHotEncoder
from learnt.prepare.ordinal import OrdinalEncoder
from learnt.prepare.polynomial import PolynomialFeatures
from learnt.prepare.scalers import MinMaxScaler, StandardScaler
from learnt.prepare.select_features import SelectFeatures

__all__ = [
    "BagOfWords",
    "Discretizer",
    "Imputer",
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PolynomialFeatures",
    "SelectFeatures",
    "StandardScaler",
]
