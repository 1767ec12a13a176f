"""Novelty: rows that are unlike those that were fitted."""

from learnt.novelty.novelty_detector import NoveltyDetector

__all__ = ["NoveltyDetector"]
