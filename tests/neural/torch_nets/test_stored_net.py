"""Nets that are stored: what does not fit is refused in words, before PyTorch sees it."""

from dataclasses import replace

import numpy as np
import pytest

import learnt
from learnt.errors import SavedModelError
from learnt.neural.torch_nets.conv_layers import ConvLayers
from learnt.neural.torch_nets.lstm_layers import LstmLayers
from learnt.neural.torch_nets.stored_net import TorchNet

LAYERS = [ConvLayers(1, (3, 4), 2), LstmLayers(2, (5,), (3,), 4, 2, True, 3), LstmLayers(0, (), (), 2, 1, False, 2)]


@pytest.fixture(params=LAYERS, ids=["images", "sequences", "no columns"])
def net(request):
    return TorchNet.start(request.param, np.zeros(request.param.classes), 0, np.float32)


def test_the_names_and_shapes_are_those_of_pytorch(net):
    torch = pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")
    modules = net.layers.modules(torch, 0.0)
    made = {n: tuple(t.shape) for n, t in modules.state_dict().items() if not n.endswith("num_batches_tracked")}
    assert made == net.layers.shapes()
    assert net.n_parameters == sum(p.numel() for p in modules.parameters())


def test_what_modules_hold_comes_back(net):
    torch = pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")
    again = net.with_state_of(net.modules(torch, torch.device("cpu")))
    for name, tensor in net.tensors.items():
        np.testing.assert_array_equal(again.tensors[name], tensor)
    assert again.dtype == np.float32


def test_tensors_that_do_not_fit_are_refused_by_name(net):
    one = net.tensors["out.weight"]
    with pytest.raises(ValueError, match=r"'out.weight' has the shape .*, but its layer has"):
        replace(net, tensors=net.tensors | {"out.weight": one[:, :1]})
    with pytest.raises(ValueError, match="'extra' is too many or absent"):
        replace(net, tensors=net.tensors | {"extra": one})
    with pytest.raises(ValueError, match=r"'out.bias' is too many or absent"):
        replace(net, tensors={name: t for name, t in net.tensors.items() if name != "out.bias"})
    with pytest.raises(ValueError, match="one precision"):
        replace(net, tensors=net.tensors | {"out.weight": one.astype(np.float64)})
    with pytest.raises(ValueError, match="numbers that no net has"):
        replace(net, tensors=net.tensors | {"out.weight": one * np.nan})


@pytest.mark.parametrize("changed", ["shape", "layers", "settings", "name"])
def test_a_file_whose_parts_contradict_each_other_is_refused(small_net, small_memory, tmp_path, changed):
    path = tmp_path / "net.learnt"
    for model in (small_net, small_memory):
        learnt.save(model, path)
        raw = path.read_bytes()
        n = int.from_bytes(raw[:8], "little")
        header, swap = raw[8 : 8 + n], {
            "shape": (b'"shape":[10,6]', b'"shape":[6,10]') if model is small_net else (b'[2,30]', b'[30,2]'),
            "layers": (b'\\"classes\\":', b'\\"classes\\":1'),
            "settings": (b'"channels\\"', b'"chanels\\"') if model is small_net else (b'hidden_size', b'hiden_size'),
            "name": (b'out.bias', b'out.bios'),
        }[changed]  # fmt: skip
        assert swap[0] in header, swap
        header = header.replace(*swap)
        header += b" " * (-len(header) % 8)
        path.write_bytes(len(header).to_bytes(8, "little") + header + raw[8 + n :])
        with pytest.raises(SavedModelError, match="cannot be loaded"):
            learnt.load(path)
