"""Curves and tables of how well a model answers, as objects that print, draw themselves and become frames."""

from learnt.evaluate.curves.calibration import CalibrationCurve, calibration
from learnt.evaluate.curves.confusion import ConfusionMatrix, confusion
from learnt.evaluate.curves.gain import GainCurve, gain
from learnt.evaluate.curves.precision_recall import PrecisionRecallCurve, precision_recall
from learnt.evaluate.curves.residuals import ResidualPlot, residuals
from learnt.evaluate.curves.roc import RocCurve, roc

__all__ = [
    "CalibrationCurve",
    "ConfusionMatrix",
    "GainCurve",
    "PrecisionRecallCurve",
    "ResidualPlot",
    "RocCurve",
    "calibration",
    "confusion",
    "gain",
    "precision_recall",
    "residuals",
    "roc",
]
