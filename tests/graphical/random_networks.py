"""Random networks, and the joint table that answers every question about them by enumeration."""

import numpy as np

from learnt.graphical import BayesianNetwork


def random_network(seed, n=6, most_parents=3, most_states=3, zeros=0.0):
    rng = np.random.default_rng(seed)
    network = BayesianNetwork()
    names = [f"v{i}" for i in rng.permutation(n)]
    for i, name in enumerate(names):
        count = int(rng.integers(0, min(i, most_parents) + 1))
        parents = [names[j] for j in rng.choice(i, count, replace=False)] if count else []
        states = [f"s{k}" for k in range(int(rng.integers(1 if most_states > 2 else 2, most_states + 1)))]
        shape = [len(network.states(p)) for p in parents]
        table = rng.dirichlet(np.ones(len(states)), size=shape)
        dead = rng.random(table.shape) < zeros
        dead[..., rng.integers(len(states))] = False
        table = np.where(dead, 0, table)
        network.add(name, parents, table / table.sum(axis=-1, keepdims=True), states)
    return network


def joint_table(network):
    """An axis for each variable, in the order of `variables`."""
    place = {name: v for v, name in enumerate(network.variables)}
    operands = []
    for name in network.variables:
        operands += [network.table(name).values, [*(place[p] for p in network.parents(name)), place[name]]]
    return np.einsum(*operands, range(len(place)))


def random_evidence(network, seed, share=0.4, soft=0.0):
    rng = np.random.default_rng(seed)
    found = {}
    for name in network.variables:
        states = network.states(name)
        if rng.random() < share:
            found[name] = states[rng.integers(len(states))]
        elif rng.random() < soft:
            found[name] = rng.random(len(states)).tolist()
    return found


def enumerated(network, evidence):
    """The joint table times what was seen."""
    table = joint_table(network)
    for v, name in enumerate(network.variables):
        if name not in evidence:
            continue
        seen = evidence[name]
        states = network.states(name)
        weight = np.array(seen) if isinstance(seen, list) else np.array([s == seen for s in states], float)
        table = table * weight.reshape([-1 if u == v else 1 for u in range(table.ndim)])
    return table


def marginal(table, *axes):
    return np.einsum(table, range(table.ndim), list(axes))


def assert_most_probable(found, network, evidence, table):
    """That no entry of the joint table of what was seen is larger than that of the states found."""
    hard = {n: s for n, s in evidence.items() if not isinstance(s, list)}
    states = {**hard, **found}
    place = tuple(network.states(n).index(states[n]) for n in network.variables)
    np.testing.assert_allclose(table[place], table.max(), rtol=1e-12)
    np.testing.assert_allclose(found.probability, table.max() / table.sum(), rtol=1e-10)
