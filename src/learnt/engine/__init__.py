"""Plans, passes and statistics, and the engines that run them."""

from learnt.engine.engines import LocalEngine, Plan, Request, Source, StreamEngine, run
from learnt.engine.passes import Batch, Pass, Statistic

__all__ = ["Batch", "LocalEngine", "Pass", "Plan", "Request", "Source", "Statistic", "StreamEngine", "run"]
