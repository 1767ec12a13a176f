#!/usr/bin/env python3
"""Workers killed (SIGKILL) at random moments of fits, workers added, the scheduler lost: what becomes of the fit.

python benchmarks/cluster_kills.py                      fifty kills over five learners
python benchmarks/cluster_kills.py --kills 5 --rows 200000

Each fit must end with the bits that it has on a cluster nobody touches. Exit status 1 if one does not.
"""

import argparse
import os
import random
import signal
import sys
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path

import cluster_data
from cluster_fits import FITS, answers
from run import say


def prints(name, model, table):
    """All fitted numbers as bytes."""
    return {key: value.tobytes() for key, value in answers(name, model, table).items()}


def fit_on(client, name, paths, rounds):
    import learnt

    with learnt.cluster(client):
        return FITS[name](learnt.scan(paths), rounds)


class Cluster:
    """A scheduler and workers, each in a process of its own."""

    def __init__(self, n_workers):
        from distributed import Client
        from distributed.deploy.subprocess import SubprocessCluster

        self.machines = SubprocessCluster(
            n_workers=n_workers, dashboard_address=":0", worker_kwargs={"nthreads": 1, "memory_limit": "2GB"}
        )
        self.client = Client(self.machines)
        self.client.wait_for_workers(n_workers)

    def processes(self):
        return list(self.client.run(os.getpid, on_error="ignore").values())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for end in (lambda: self.client.close(timeout=5), lambda: self.machines.close(timeout=10)):
            with suppress(TimeoutError, OSError):  # of a scheduler that is gone
                end()


def beside(seconds, act):
    """Do something after so many seconds, in a thread of its own."""
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    return timer


def killed(cluster, name, paths, a, seconds, chance):
    """A fit during which one worker is killed; the model, the seconds it took, and when the worker died."""
    cluster.client.wait_for_workers(a.workers)
    victims, moment, dead = cluster.processes(), chance.uniform(0, seconds), []
    victim = chance.choice(victims)

    def kill():
        os.kill(victim, signal.SIGKILL)
        dead.append(moment)

    timer, start = beside(moment, kill), time.perf_counter()
    model = fit_on(cluster.client, name, paths, a.rounds)
    took = time.perf_counter() - start
    timer.cancel()
    timer.join()
    return model, took, bool(dead)


def kills(a, cluster, paths, table, chance):
    """How many fits were struck, and those that ended with other bits."""
    wrong, struck = [], 0
    for name in a.only:
        fit_on(cluster.client, name, paths, a.rounds)
        start = time.perf_counter()
        expected = prints(name, fit_on(cluster.client, name, paths, a.rounds), table)
        seconds = time.perf_counter() - start
        share = -(-a.kills // len(a.only))
        mine, longest, tries = 0, 0.0, 0
        while mine < share and tries < 3 * share:  # a kill that came too late does not count
            tries += 1
            model, took, was_struck = killed(cluster, name, paths, a, 0.95 * seconds, chance)
            mine, longest = mine + was_struck, max(longest, took)
            if prints(name, model, table) != expected:
                wrong.append(f"{name}, fit {tries}")
        struck += mine
        say(
            f"  {name:14} {mine} kills: {seconds:.1f} s undisturbed, {longest:.1f} s at most; {len(wrong)} wrong so far"
        )
    return struck, wrong


def joined(a, paths, table, chance):
    """A worker comes at a step of a fit, which waits for it: the learners that end with other bits."""
    wrong = []
    for name in a.only:
        with Cluster(1) as cluster:
            steps = Steps()
            expected = prints(name, watched(cluster.client, name, paths, a.rounds, steps), table)
            at = chance.randint(1, steps.count)

            def come(cluster=cluster):
                cluster.machines.scale(2)
                cluster.client.wait_for_workers(2)

            found = prints(name, watched(cluster.client, name, paths, a.rounds, Steps(at, come)), table)
            bits = "same bits" if found == expected else "DIFFERENT"
            say(f"  {name:14} with a worker more from step {at} of {steps.count} on: {bits}")
            if found != expected:
                wrong.append(f"{name}, with a worker more")
    return wrong


class Steps:
    """Counts the steps that a fit reports, and does something at one of them."""

    def __init__(self, at=0, act=None):
        self.count, self.at, self.act = 0, at, act

    def __call__(self, step):
        self.count += step.facts.get("unit") == "rows"
        if self.act is not None and self.count == self.at:
            act, self.act = self.act, None
            act()


def watched(client, name, paths, rounds, steps):
    import learnt

    with learnt.watch(steps):
        return fit_on(client, name, paths, rounds)


def scheduler_lost(a, paths):
    """Seconds until a fit says that its scheduler is gone, and what it says."""
    import learnt

    with Cluster(2) as cluster:
        scheduler, gone = cluster.client.run_on_scheduler(os.getpid), []

        def kill():
            os.kill(scheduler, signal.SIGKILL)
            gone.append(time.perf_counter())

        beside(2.0, kill)
        try:
            while True:
                fit_on(cluster.client, "boosting", paths, 50)
        except learnt.errors.ClusterError as error:
            return time.perf_counter() - gone[0], str(error)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--kills", type=int, default=50)
    ap.add_argument("--rows", type=int, default=1_000_000)
    ap.add_argument("--rounds", type=int, default=4)
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--only", default=",".join(FITS), help="learners, with commas between")
    a = ap.parse_args()
    a.only = a.only.split(",")
    import learnt

    warnings.simplefilter("ignore")
    folder: Path = cluster_data.folder_of(a.rows)
    paths = sorted(str(path) for path in (folder / "rows").glob("*.parquet"))
    table = learnt.read(folder / "held_out.parquet").rows(0, 1000)
    chance = random.Random(a.seed)
    with Cluster(a.workers) as cluster:
        struck, wrong = kills(a, cluster, paths, table, chance)
    wrong += joined(a, paths, table, chance)
    seconds, said = scheduler_lost(a, paths)
    say(f"  the scheduler was missed after {seconds:.1f} s: {said}")
    if seconds > 30:
        wrong.append(f"a lost scheduler was told after {seconds:.1f} s")
    print(
        f"{struck} kills over {len(a.only)} learners: " + ("the same bits each time" if not wrong else "; ".join(wrong))
    )
    return bool(wrong)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
