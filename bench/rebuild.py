"""Speed of a full and of a partial rebuild, compared with nbdcopy of the same bytes."""

import argparse
import collections
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import time

import client
import node
import servers

REGION = 16 << 20
DELTA_PART = 4
PIECE = 1 << 20
VOLUME = "rebuilt"
# Seconds that a node may take to detect a change or to become a member again.
PATIENCE = 300
GOAL = 0.95
Round = collections.namedtuple("Round", "kind rebuild nbdcopy")


class Cluster:
    """Three nodes: the engine on the first, a replica on each of the others."""

    def __init__(self, home, work, size):
        self.nodes = node.Nodes(home, work, 3, 1, "-Dholdfast.replica.tls=off")
        self.await_disks()
        self.nodes.api.patch("nodes", "node-1", {"spec": {"allowScheduling": False}})
        self.uri = self.nodes.volume(VOLUME, size, 2, "node-1")
        self.await_healthy()

    def await_disks(self):
        for _ in range(PATIENCE * 2):
            found = self.nodes.api.items("nodes")
            if sum(bool(one["status"].get("diskStatus")) for one in found) == 3:
                return
            time.sleep(0.5)
        raise SystemExit("not all nodes show their disk")

    def await_healthy(self):
        self.until(lambda modes: modes.count("RW") == 2)

    def until(self, wanted):
        """Returns the time at which the modes of the replicas first satisfy a condition."""
        return next(self.moments(wanted))

    def moments(self, *wanted):
        """Yields the times of several conditions, one after the other. Watches, because polling
        would disturb the measurement."""
        changes = self.nodes.api.watch("engines", PATIENCE)
        for one in wanted:
            end = time.monotonic() + PATIENCE
            modes = None
            while modes is None or not one(modes):
                if time.monotonic() > end:
                    raise SystemExit(f"the replicas are {modes} after {PATIENCE} s")
                engine = next(changes)
                if engine["spec"]["volume"] == VOLUME:
                    modes = list(engine.get("status", {}).get("replicaModeMap", {}).values())
            yield time.monotonic()

    def rebuilt(self):
        """Returns the seconds from the observed start of a rebuild until the replica is current."""
        began, ended = self.moments(lambda modes: "WO" in modes, lambda modes: modes.count("RW") == 2)
        return ended - began

    def full(self):
        self.copies(1)
        self.until(lambda modes: modes.count("RW") == 1 and "WO" not in modes)
        self.copies(2)
        return self.rebuilt()

    def copies(self, count):
        self.nodes.api.patch("volumes", VOLUME, {"spec": {"numberOfReplicas": count}})

    def delta(self, offsets):
        self.nodes.run("down", "--node", "3")
        writer = client.Client(self.uri)
        for offset in offsets:
            for at in range(offset, offset + REGION, PIECE):
                writer.write(at, os.urandom(PIECE))
        writer.flush()
        writer.close()
        self.until(lambda modes: modes.count("RW") == 1)
        self.nodes.run("up", "--no-demo", "--node", "3")
        return self.rebuilt()


def image(path, size, offsets):
    """Creates a file that contains data in these regions only."""
    with open(path, "wb") as file:
        file.truncate(size)
        for offset in offsets:
            file.seek(offset)
            for _ in range(REGION // PIECE):
                file.write(os.urandom(PIECE))
    return path


def serve(path):
    port = servers.free_port()
    process = subprocess.Popen(["nbdkit", "-f", "-i", "127.0.0.1", "-p", str(port), "file",
                                str(path)])
    servers.await_port(port, process)
    return process, f"nbd://127.0.0.1:{port}/"


def nbdcopy(source, work, size):
    """Returns the seconds that nbdcopy needs from one nbdkit to another, into an empty file."""
    target = work / "target.img"
    with open(target, "wb") as file:
        file.truncate(size)
    running = [serve(source), serve(target)]
    try:
        began = time.monotonic()
        subprocess.run(["nbdcopy", "--destination-is-zero", running[0][1], running[1][1]],
                       check=True)
        return time.monotonic() - began
    finally:
        for process, _ in running:
            process.kill()
            process.wait()
        target.unlink()


def measure(cluster, options, size):
    whole = range(0, size, REGION)
    part = range(0, size, REGION * DELTA_PART)
    sources = {"full": image(options.work / "full.img", size, whole),
               "delta": image(options.work / "delta.img", size, part)}
    rounds = []
    for number in range(options.rounds):
        for kind, offsets in (("full", whole), ("delta", part)):
            moved = len(offsets) * REGION / 1e6
            copies = [lambda k=kind: cluster.full() if k == "full" else cluster.delta(part),
                      lambda k=kind: nbdcopy(sources[k], options.work, size)]
            # The order alternates with the rounds.
            seconds = {at: copies[at]() for at in ((0, 1) if number % 2 == 0 else (1, 0))}
            rounds.append(Round(kind, moved / seconds[0], moved / seconds[1]))
            print(rounds[-1], flush=True)
    return rounds


def table(rounds, options, size):
    command = "./holdfast bench rebuild " + " ".join(sys.argv[5:])
    lines = [
        "# Rebuilds beside nbdcopy", "", f"`{command.strip()}`", "",
        f"Medians of {options.rounds} interleaved rounds, a volume of {size >> 20} MiB without"
        " holes, three nodes in processes of their own, the engine on the one without a replica,"
        f" files on tmpfs, connections in clear, {os.cpu_count()} cores for all,"
        f" Linux {platform.release()}."
        " *full* makes a new replica; *delta* brings one back that missed every fourth 16 MiB."
        " *nbdcopy* copies the same bytes from one `nbdkit file` to another.", "",
        "| | rebuild MB/s | nbdcopy MB/s | ratio (goal ≥ " + f"{GOAL}) | least and most |",
        "|---|---|---|---|---|"]
    for kind in ("full", "delta"):
        of = [one for one in rounds if one.kind == kind]
        ratios = sorted(one.rebuild / one.nbdcopy for one in of)
        lines.append(f"| {kind} | {statistics.median(one.rebuild for one in of):.0f}"
                     f" | {statistics.median(one.nbdcopy for one in of):.0f}"
                     f" | {statistics.median(ratios):.2f} | {ratios[0]:.2f}, {ratios[-1]:.2f} |")
    return "\n".join([*lines, ""])


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench rebuild")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=1024, help="of the volume, in MiB")
    parser.add_argument("--results", type=pathlib.Path, help="folder for rebuild.md")
    options = parser.parse_args()
    # Exit by SystemExit when bench/run sends SIGTERM, so that the servers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    size = options.size << 20
    cluster = Cluster(options.home, options.work, size)
    try:
        writer = client.Client(cluster.uri)
        for at in range(0, size, PIECE):
            writer.write(at, os.urandom(PIECE))
        writer.flush()
        writer.close()
        rounds = measure(cluster, options, size)
    finally:
        cluster.nodes.stop()
    text = table(rounds, options, size)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "rebuild.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
