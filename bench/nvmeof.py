"""NVMe/TCP compared with NBD on one node: interleaved rounds, medians, ratios."""

import argparse
import collections
import os
import pathlib
import platform
import signal
import statistics
import sys

import frontends
import nbd
import report

CASES = [nbd.Case(operation, 4096, depth)
         for operation in ("randread", "randwrite") for depth in (1, 32)]
SENDINGS = ["unbatched", "batched"]
GOAL = 1.15
# Operations per second, and CPU microseconds per operation of the node and of the client.
Sample = collections.namedtuple("Sample", "iops cpu client")


def load(program, uri, case, sending, seconds, options):
    java = pathlib.Path(os.environ["JAVA_HOME"]) / "bin" / "java"
    printed, used = frontends.client(
        [str(java), "-Xshare:auto", "-XX:+UseSerialGC", "-cp", str(options.work / "classes"),
         program, uri, ",".join(map(str, options.pids)), case.operation, str(case.bytes),
         str(case.depth), str(seconds), sending])
    if case.operation == "fill":
        return None
    operations, nanos, cpu = map(int, printed.split())
    # The client's CPU time includes its start and a warm-up of a quarter of the time.
    return Sample(operations / nanos * 1e9, cpu / 1000 / max(operations, 1),
                  used * 1e6 / max(operations * 1.25, 1))


def measure(endpoints, options):
    """Runs rounds. Each round covers every case on both frontends, in alternating order."""
    samples = collections.defaultdict(list)
    sides = list(endpoints.items())
    for turn in range(-1, options.rounds):
        print("warm-up" if turn < 0 else f"round {turn + 1} of {options.rounds}", flush=True)
        order = sides if turn % 2 else sides[::-1]
        for sending in options.sendings:
            for case in CASES:
                for name, (program, uri) in order:
                    seconds = max(options.seconds, 3) if turn < 0 else options.seconds
                    sample = load(program, uri, case, sending, seconds, options)
                    if turn >= 0:
                        samples[sending, case, name].append(sample)
    return {key: Sample(*map(statistics.median, zip(*runs))) for key, runs in samples.items()}


def table(result, options):
    lines = [
        "# NVMe/TCP beside NBD", "",
        "Two volumes of one replica on one node, one shown through each frontend, by small clients that"
        f" differ in the protocol only. Medians of {options.rounds} interleaved rounds of"
        f" {options.seconds:g} s, one connection, {report.layout()}, files on tmpfs, Linux"
        f" {platform.release()}. *CPU* is the node's CPU time per operation, all threads. *Client* is"
        f" the client's own, its JVM's start included. Goal: CPU at most {GOAL} of NBD's.", ""]
    for sending in options.sendings:
        lines += [f"## Client: {sending}", "",
                  "| | operations, ratio | CPU, ratio | goal | operations/s: NVMe | NBD"
                  " | CPU µs: NVMe | NBD | client µs: NVMe | NBD |",
                  "|---|---|---|---|---|---|---|---|---|---|"]
        for case in CASES:
            nvme, base = (result[sending, case, name] for name in ("nvmeof", "nbd"))
            cpu = nvme.cpu / base.cpu
            lines.append(
                f"| {report.label(case)} | {nvme.iops / base.iops:.2f} | {cpu:.2f}"
                f" | {'met' if cpu <= GOAL else 'missed'} | {nvme.iops:.0f} | {base.iops:.0f}"
                f" | {nvme.cpu:.1f} | {base.cpu:.1f} | {nvme.client:.1f} | {base.client:.1f} |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench nvmeof")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each measurement")
    parser.add_argument("--sendings", nargs="+", choices=SENDINGS, default=SENDINGS)
    parser.add_argument("--results", type=pathlib.Path, help="folder for nvmeof.md")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    node = frontends.Node(options.home, options.work)
    try:
        options.pids = node.pids
        endpoints = {"nbd": ("NbdLoad", node.volume("nbd")),
                     "nvmeof": ("NvmeLoad", node.volume("nvmeof"))}
        frontends.fill(endpoints["nbd"][1], options.work)
        load(*endpoints["nvmeof"], nbd.Case("fill", 16384, 32), "unbatched", 0, options)
        result = measure(endpoints, options)
    finally:
        node.stop()
    text = table(result, options)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "nvmeof.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
