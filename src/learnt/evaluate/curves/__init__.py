"""Curves and tables of how well a model answers, as objects that print, draw themselves and become frames."""

from learnt.evaluate.curves.calibrated import CalibrationCurve, calibration
from learnt.evaluate.curves.confused import ConfusionMatrix, confusion
from learnt.evaluate.curves.gains import GainCurve, gain
from learnt.evaluate.curves.precise import PrecisionRecallCurve, precision_recall
from learnt.evaluate.curves.receiver import RocCurve, roc
from learnt.evaluate.curves.residual import ResidualPlot, residuals

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
