"""Without PyTorch, words; with it, threads and random numbers are what they were."""

import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest

import learnt
from learnt.errors import MissingPackageError, ParameterError
from learnt.neural.torch_nets.runtime import WORTH_THREADS, computing, device_named, import_extra

WHY = "PyTorch, of the extra torch, is not installed"


@pytest.mark.parametrize(
    ("learner", "given"),
    [(learnt.ConvNetClassifier(), np.zeros((2, 3, 3))), (learnt.LSTMClassifier(), [np.zeros(2), np.ones(3)])],
    ids=["images", "sequences"],
)
def test_without_torch_fitting_says_what_to_install(monkeypatch, learner, given):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackageError, match=r"PyTorch.*pip install 'learnt\[torch\]'"):
        learner.fit(given, ["a", "b"])
    assert not learner.__sklearn_is_fitted__()


def test_a_model_is_loaded_without_torch_and_says_what_to_install_when_asked(
    monkeypatch, small_net, small_memory, tmp_path
):
    for model, given in ((small_net, np.zeros((1, 8, 8))), (small_memory, {"heat": [1.0], "sign": ["x"]})):
        learnt.save(model, tmp_path / "net.learnt")
        with monkeypatch.context() as without:
            without.setitem(sys.modules, "torch", None)
            again = learnt.load(tmp_path / "net.learnt")
            assert again.classes_.tolist() == model.classes_.tolist()
            with pytest.raises(MissingPackageError, match="pip install"):
                again.predict(given)


def test_without_pillow_files_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(MissingPackageError, match=r"Pillow.*learnt\[torch\]"):
        import_extra("PIL.Image", "Image files are read by Pillow")


def test_naming_the_learners_loads_no_torch():
    code = "import sys, learnt; learnt.ConvNetClassifier(); learnt.LSTMClassifier(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.stdout.strip() == "False", done.stderr


def test_a_card_that_is_not_there_is_an_error_in_words(monkeypatch):
    torch = pytest.importorskip("torch", reason=WHY)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ParameterError, match=r"device='cuda' is not there.*device='auto'"):
        learnt.ConvNetClassifier(device="cuda").fit(np.zeros((2, 3, 3)), [0, 1])
    assert device_named(torch, "auto", "Net").type == device_named(torch, "cpu", "Net").type == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert device_named(torch, "auto", "Net").type == device_named(torch, "cuda", "Net").type == "cuda"
    assert device_named(torch, "cpu", "Net").type == "cpu"


def test_threads_and_random_numbers_are_put_back_whatever_happens():
    torch = pytest.importorskip("torch", reason=WHY)
    former, cpu = torch.get_num_threads(), torch.device("cpu")
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    with learnt.threads(former + 1):
        with suppress(KeyboardInterrupt), computing(torch, cpu, 2 * WORTH_THREADS, seed=1):
            assert torch.get_num_threads() == former + 1
            torch.rand(1)
            raise KeyboardInterrupt
        with computing(torch, cpu, WORTH_THREADS / 2):
            assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == former
    assert torch.equal(torch.rand(3), expected)
