"""Placements of servers and client on the cores of this machine."""

import collections
import os
import subprocess

Placement = collections.namedtuple("Placement", "title server client")

CORES = sorted(os.sched_getaffinity(0))
EVERY = ",".join(map(str, CORES))
FIRST, LAST = str(CORES[0]), str(CORES[-1])

PLACEMENTS = {
    "one-core": Placement("server and client on the same core", FIRST, FIRST),
    "two-cores": Placement("server and client on one core each", FIRST, LAST),
    "scheduler": Placement("all cores for both, chosen by the scheduler", EVERY, EVERY),
}


def pin(pids, cores):
    """Moves all threads of some processes to the cores. Later threads inherit them."""
    for pid in pids:
        subprocess.run(["taskset", "-a", "-p", "-c", cores, str(pid)], check=True,
                       stdout=subprocess.DEVNULL)
