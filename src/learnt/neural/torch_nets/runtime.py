"""PyTorch where it is needed: loaded in words, on the device asked for, by as many threads as learnt may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from learnt.errors import MissingPackageError, ParameterError
from learnt.threads import threads


def import_extra(package: str, what: str) -> Any:
    """A package of the extra "torch", or an error that says what to install."""
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingPackageError(
            f"{what}, which is not installed. Install it: pip install 'learnt[torch]'."
        ) from error


def import_torch(owner: str) -> Any:
    """PyTorch."""
    return import_extra("torch", f"{owner} computes by PyTorch")


def device_named(torch: Any, asked: str, owner: str) -> Any:
    """The device: "auto" is a graphics card where PyTorch can use one."""
    usable = bool(torch.cuda.is_available())
    if asked == "cuda" and not usable:
        raise ParameterError(
            f"{owner}: device='cuda' is not there: PyTorch {torch.__version__} finds no graphics card it can use. "
            "Choose device='auto' or 'cpu', or install a PyTorch for this card and its driver."
        )
    return torch.device("cuda" if asked != "cpu" and usable else "cpu")


#: Additions and multiplications of one product, about 3 ms, that are worth a second thread: of less, threads wait for
#: each other most of the time, on a busy machine all of it.
WORTH_THREADS = 1e8


@contextmanager
def computing(torch: Any, device: Any, work: float, seed: int | None = None) -> Iterator[None]:
    """As many threads as learnt has, if products of so much `work` are worth them, and numbers drawn from `seed`;
    afterwards both are what they were."""
    former = torch.get_num_threads()
    cards = [device] if device.type == "cuda" else []
    torch.set_num_threads(threads() if work >= WORTH_THREADS else 1)
    try:
        if seed is None:
            yield
        else:
            with torch.random.fork_rng(devices=cards):
                torch.manual_seed(seed % 2**63)
                yield
    finally:
        torch.set_num_threads(former)
