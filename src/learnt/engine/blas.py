"""NumPy's and SciPy's BLAS, held to one thread: threaded BLAS changes bits with the thread count."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_controller: Any = None
_lock = threading.Lock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Inside, every BLAS call uses one thread. Looking for libraries takes a millisecond, so once is enough."""
    global _controller
    with _lock:
        if _controller is None:
            import scipy.linalg  # noqa: F401  its BLAS must be loaded to be found
            from threadpoolctl import ThreadpoolController

            _controller = ThreadpoolController().select(user_api="blas")
    with _controller.limit(limits=1):
        yield
