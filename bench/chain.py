"""Reads at several depths of a snapshot chain, compared with qcow2 chains served by qemu-nbd."""

import argparse
import collections
import os
import pathlib
import platform
import signal
import subprocess
import sys
import time

import client
import nbd
import node
import placements
import report
import servers

SIZE = 256 << 20
PIECE = 64 << 10
DEPTHS = (1, 10, 50, 100, 250)
CASES = nbd.CASES[:2]
Served = collections.namedtuple("Served", "name uri pids size")


def pieces(layer, depth):
    """Returns the offsets of a layer's pieces. They are spread evenly, and each is in one layer only."""
    return range(layer * PIECE, SIZE, depth * PIECE)


def snapshot(nodes, volume, number):
    name = f"{volume}-s{number}"
    nodes.api.create("snapshots", "Snapshot", name, {"volume": volume, "createSnapshot": True})
    while not nodes.api.call("GET", f"snapshots/{name}")["status"].get("readyToUse"):
        time.sleep(0.02)


def volume(nodes, depth):
    name = f"chain-{depth}"
    uri = nodes.volume(name, SIZE, 1, "node-1")
    writer = client.Client(uri)
    for layer in range(depth):
        if layer:
            snapshot(nodes, name, layer)
        for offset in pieces(layer, depth):
            writer.write(offset, os.urandom(PIECE))
    writer.flush()
    writer.close()
    return Served(f"holdfast-{depth}", uri, nodes.pids(), SIZE)


def overlay(work, depth):
    """Creates a chain of qcow2 files with the same pieces in each layer. Returns the topmost file."""
    below = None
    for layer in range(depth):
        path = work / f"chain-{depth}-{layer}.qcow2"
        words = ["qemu-img", "create", "-q", "-f", "qcow2"]
        words += ["-b", str(below), "-F", "qcow2"] if below else []
        subprocess.run([*words, str(path), *([] if below else [str(SIZE)])], check=True)
        commands = "".join(f"write -q -P {1 + layer % 250} {offset} {PIECE}\n"
                           for offset in pieces(layer, depth))
        subprocess.run(["qemu-io", "-f", "qcow2", str(path)], input=commands, text=True,
                       check=True, stdout=subprocess.DEVNULL)
        below = path
    return below


class Qcow2:
    def __init__(self, work, depth):
        port = servers.free_port()
        self.process = subprocess.Popen(
            ["taskset", "-c", servers.SERVER_CORE, "qemu-nbd", "-t", "-f", "qcow2",
             "-b", "127.0.0.1", "-p", str(port), str(overlay(work, depth))])
        servers.await_port(port, self.process)
        self.served = Served(f"qcow2-{depth}", f"nbd://127.0.0.1:{port}/", [self.process.pid], SIZE)

    def stop(self):
        self.process.kill()
        self.process.wait()


def table(result, depths, options):
    lines = [
        "# Reads at the depths of a chain", "",
        f"`./holdfast bench chain {' '.join(sys.argv[5:])}`".replace(" `", "`"), "",
        f"Random reads of 4 KiB, medians of {options.rounds} interleaved rounds of"
        f" {options.seconds:g} s, one connection, {report.layout()}, files on tmpfs,"
        f" Linux {platform.release()}. Each volume has {SIZE >> 20} MiB, of which each layer holds"
        f" every so-manieth piece of {PIECE >> 10} KiB. The qcow2 chains hold the same and are"
        " served by `qemu-nbd`. CPU is the server's, all threads, per read. Load of the machine"
        f" at the end: {os.getloadavg()[0]:.1f}.", ""]
    for case in CASES:
        lines += [f"## {report.label(case)}", "",
                  "| depth | holdfast: reads/s to depth 1 | CPU to depth 1 | qcow2: reads/s to depth"
                  " 1 | CPU to depth 1 | holdfast to qcow2: reads/s | CPU |", "|---" * 7 + "|"]
        for depth in depths:
            own, other = (result["unbatched", case, f"{name}-{depth}"]
                          for name in ("holdfast", "qcow2"))
            own1, other1 = (result["unbatched", case, f"{name}-{depths[0]}"]
                            for name in ("holdfast", "qcow2"))
            lines.append(f"| {depth} | {own.iops / own1.iops:.2f} | {own.cpu / own1.cpu:.2f}"
                         f" | {other.iops / other1.iops:.2f} | {other.cpu / other1.cpu:.2f}"
                         f" | {own.iops / other.iops:.2f} | {own.cpu / other.cpu:.2f} |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench chain")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each measurement")
    parser.add_argument("--depths", type=int, nargs="+", default=list(DEPTHS))
    parser.add_argument("--results", type=pathlib.Path, help="folder for chain.md")
    options = parser.parse_args()
    options.cases, options.clients = CASES, ["unbatched"]
    # Exit by SystemExit when bench/run sends SIGTERM, so that the servers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    started = []
    try:
        nodes = node.Nodes(options.home, options.work)
        started.append(nodes)
        order = []
        for depth in options.depths:
            print(f"depth {depth}", flush=True)
            order.append(volume(nodes, depth))
            started.append(Qcow2(options.work, depth))
            order.append(started[-1].served)
        placements.pin(nodes.pids(), servers.SERVER_CORE)
        nbd.warm_up(order, options)
        result = nbd.medians(nbd.measure(order, options))
    finally:
        for server in started:
            server.stop()
    text = table(result, options.depths, options)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "chain.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
