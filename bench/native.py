"""Longest wait of a client of a volume that its engine exports, while the engine's bundle is replaced."""

import argparse
import os
import pathlib
import platform
import signal
import statistics
import sys
import time

import gaps
import node
import upgrade

SIZE = 64 << 20
VOLUME = "exported"
ENGINE = "example-outside"
ARTIFACT = f"holdfast-engine-{ENGINE}"
GOAL = 1.1
# Probation of a replaced bundle in seconds. It must end before the next replacement.
PROBATION = 1


def serve(nodes):
    nodes.run("shell", f"feature:install {ARTIFACT}")
    nodes.api.create("volumes", "Volume", VOLUME, {
        "size": str(SIZE), "numberOfReplicas": 1, "dataEngine": ENGINE, "frontend": "nbd"})
    nodes.api.await_tickets([VOLUME])
    nodes.api.attach(VOLUME, "node-1")
    nodes.api.await_volumes([VOLUME], "attached")
    require_exported(nodes)
    return nodes.api.endpoint(VOLUME)


def is_exported(nodes):
    engine = next(one for one in nodes.api.items("engines") if one["spec"]["volume"] == VOLUME)
    return any(condition["type"] == "ServedNatively" and condition["status"] == "True"
               for condition in engine["status"]["conditions"])


def require_exported(nodes):
    end = time.monotonic() + 60
    while not is_exported(nodes):
        if time.monotonic() > end:
            raise SystemExit(f"volume {VOLUME}: not exported by its engine after 60 s")
        time.sleep(0.2)


def measure(nodes, versions, rounds):
    """Returns the longest gaps in ms of each replacement and of an undisturbed period of equal length after it."""
    load = gaps.GapClient(serve(nodes), SIZE)
    replaced, undisturbed = [], []
    for _ in range(rounds):
        load.longest()
        began = time.monotonic()
        upgrade.replace(nodes, versions, "bundle:update")
        require_exported(nodes)
        took = time.monotonic() - began
        replaced.append(load.longest()[0])
        upgrade.replace(nodes, versions, "nothing")
        time.sleep(max(0.0, began + 2 * took - time.monotonic()))
        undisturbed.append(load.longest()[0])
    load.stop()
    return replaced, undisturbed


def require_replacements(nodes, rounds):
    """Fails unless the node's log shows that the volume left its bundle in each round."""
    left = (nodes.data / "log/holdfast.log").read_text().count("the bundle of its engine was removed; holding its requests")
    if left < rounds:
        raise SystemExit(f"volume {VOLUME}: left its bundle {left} times in {rounds} replacements")


def row(name, found):
    return f"| {name} | {len(found)} | {statistics.median(found):.0f} | {max(found):.0f} |"


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench native")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--results", type=pathlib.Path, help="folder for native.md")
    options = parser.parse_args()
    # Exit by SystemExit when bench/run sends SIGTERM, so that the servers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    nodes = node.Nodes(options.home, options.work,
                       java=f"{os.environ.get('HOLDFAST_JAVA_OPTS', '')}"
                       f" -Dholdfast.upgrade.probation.seconds={PROBATION}")
    try:
        versions = upgrade.Versions(options.home, options.work, ARTIFACT)
        replaced, undisturbed = measure(nodes, versions, options.rounds)
        require_replacements(nodes, options.rounds)
    finally:
        # The exporting processes outlive the container, so detach the volume first.
        nodes.run("volume", "detach", VOLUME)
        nodes.stop()
    ratio = max(replaced) / max(undisturbed)
    text = "\n".join([
        "# A native export while its engine's bundle is replaced", "",
        f"`./holdfast bench native {' '.join(sys.argv[5:])}`", "",
        f"One client with {gaps.DEPTH} writes of 4 KiB under way on one connection to the process of engine"
        f" {ENGINE}, {os.cpu_count()} cores, Linux {platform.release()}, load {os.getloadavg()[0]:.1f} at the"
        " end. The longest gap between two completions, in ms, during each replacement and during a period"
        " of the same length after it, in which a command only lists bundles.", "",
        "| period | times | p50 | longest |", "|---" * 4 + "|",
        row("bundle replaced", replaced), row("undisturbed", undisturbed), "",
        f"Longest gap with replacements to that without: {ratio:.2f} (goal: at most {GOAL}).", ""])
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "native.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
