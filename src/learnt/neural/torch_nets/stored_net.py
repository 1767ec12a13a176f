"""A net as it is kept and saved: what its layers are, and their numbers as arrays. No PyTorch is needed to hold one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.neural.torch_nets.conv_layers import ConvLayers
from learnt.neural.torch_nets.lstm_layers import LstmLayers
from learnt.storable import storable


@storable
@dataclass(frozen=True, eq=False)
class TorchNet:
    """Layers and their `tensors` by name, all of one precision. Names and shapes are those that the layers ask for."""

    layers: ConvLayers | LstmLayers
    tensors: dict[str, Array]

    def __post_init__(self) -> None:
        wanted = self.layers.shapes()
        if self.tensors.keys() != wanted.keys():
            odd = sorted(self.tensors.keys() ^ wanted.keys())
            raise ValueError(
                f"The tensors of the net are not those of its layers: {odd[0][:80]!r} is too many or absent."
            )
        dtypes = {tensor.dtype for tensor in self.tensors.values()}
        if len(dtypes) != 1 or not dtypes <= {np.dtype(np.float32), np.dtype(np.float64)}:
            raise ValueError("The tensors of the net are not numbers of one precision.")
        for name, shape in wanted.items():
            tensor = self.tensors[name]
            if tensor.shape != shape:
                raise ValueError(f"The tensor {name!r} has the shape {tensor.shape}, but its layer has {shape}.")
            if not np.isfinite(tensor).all() or (name.endswith("running_var") and (tensor < 0).any()):
                raise ValueError(f"The tensor {name!r} holds numbers that no net has.")

    @classmethod
    def start(cls, layers: ConvLayers | LstmLayers, bias: Array, seed: int, dtype: Any) -> TorchNet:
        """Drawn by NumPy, so that they are the same for any version of PyTorch; scores begin at `bias`."""
        drawn = layers.first_tensors(np.random.default_rng(seed)) | {"out.bias": bias}
        return cls(layers, {name: np.asarray(drawn[name], dtype=dtype) for name in layers.shapes()})

    @property
    def dtype(self) -> Any:
        return next(iter(self.tensors.values())).dtype

    def modules(self, torch: Any, device: Any, *, double: bool = False, dropout: float = 0.0) -> Any:
        """The layers as modules of PyTorch, in the state to predict."""
        made = self.layers.modules(torch, dropout)
        made = made.double() if double or self.dtype == np.float64 else made.float()
        given = {name: torch.from_numpy(tensor.copy()) for name, tensor in self.tensors.items()}
        made.load_state_dict(given, strict=False)  # but for counts of batches, which nothing depends on
        return made.to(device).eval()

    def with_state_of(self, modules: Any) -> TorchNet:
        """The same layers with the numbers of these modules."""
        state = modules.state_dict()
        return replace(self, tensors={name: state[name].detach().cpu().numpy().copy() for name in self.tensors})

    @property
    def n_parameters(self) -> int:
        """Numbers that are learnt; what batches leave behind (running means and variances) is counted by none."""
        return sum(t.size for name, t in self.tensors.items() if ".running_" not in name)
