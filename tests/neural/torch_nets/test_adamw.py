import numpy as np
import pytest

from learnt.neural.torch_nets.adamw import BETA1, BETA2, EPSILON, AdamW

torch = pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")


def made(seed):
    torch.manual_seed(seed)
    return torch.nn.Linear(3, 2).double()


@pytest.mark.costly  # PyTorch's own loads its compiler
def test_steps_are_those_of_pytorch():
    ours, theirs = made(0), made(0)
    step = AdamW(torch, ours, 0.1, 0.0)
    groups = [{"params": [theirs.weight], "weight_decay": 0.1}, {"params": [theirs.bias], "weight_decay": 0.0}]
    peer = torch.optim.AdamW(groups, betas=(BETA1, BETA2), eps=EPSILON)
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(5, 3)))
    for t in range(6):
        rate = 0.1 / (t + 1)
        (ours(x) ** 3).sum().backward()
        step.step(rate)
        peer.zero_grad()
        (theirs(x) ** 3).sum().backward()
        for group in peer.param_groups:
            group["lr"] = rate
        peer.step()
    for p, q in zip(ours.parameters(), theirs.parameters(), strict=True):
        np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=1e-10)


def test_the_first_step_has_the_length_of_the_rate_and_long_gradients_are_cut():
    net = made(1)
    before = [p.detach().clone() for p in net.parameters()]
    (1e6 * sum(p.sum() for p in net.parameters())).backward()
    AdamW(torch, net, 0.0, 1.0).step(0.01)
    for p, q in zip(net.parameters(), before, strict=True):
        np.testing.assert_allclose((q - p.detach()).numpy(), 0.01, rtol=1e-6)
        assert p.grad is None
