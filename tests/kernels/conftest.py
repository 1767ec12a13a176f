"""Tables of every layout, every instruction set this processor has, and threads that are put back."""

import numpy as np
import pytest

from learnt import _core


def levels():
    former, found = _core.simd_level(), []
    for name in ("baseline", "avx2", "avx512"):
        try:
            _core.set_simd_level(name)
        except ValueError:
            continue
        found.append(name)
    _core.set_simd_level(former)
    return found


@pytest.fixture(params=levels())
def level(request):
    former = _core.simd_level()
    _core.set_simd_level(request.param)
    yield request.param
    _core.set_simd_level(former)


@pytest.fixture(autouse=True)
def _restored_threads():
    former = _core.get_threads()
    yield
    _core.set_threads(former)


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def dtype(request):
    return request.param
