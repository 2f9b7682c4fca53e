"""iSCSI compared with tgt, by libiscsi's clients: interleaved rounds, medians, ratios."""

import argparse
import collections
import pathlib
import platform
import re
import signal
import statistics
import subprocess
import sys
import time

import frontends
import nbd
import report
import servers

TARGET = "iqn.2026-11.test:bench"
CASES = [nbd.Case(operation, 4096, depth)
         for operation in ("randread", "read", "write") for depth in (1, 32)]
CPU_GOAL, IOPS_GOAL = 0.5, 1.8
# Operations per second, and CPU microseconds per operation of the server and of the client.
Sample = collections.namedtuple("Sample", "iops cpu client")


class Tgt:
    """Linux's SCSI target framework in user space, on its own file."""

    name = "tgt"

    def __init__(self, work):
        port = servers.free_port()
        self.control = str(port % 32768)  # not a TCP port: tgtd permits only smaller numbers
        path = servers.filled(work / "tgt.img", frontends.SIZE)
        pathlib.Path("/var/run/tgtd").mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            ["taskset", "-c", servers.SERVER_CORE, "tgtd", "--foreground", "--control-port",
             self.control, "--iscsi", f"portal=127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pids = [self.process.pid]
        servers.await_port(port, self.process)
        self.admin("new", "target", "--targetname", TARGET)
        self.admin("new", "logicalunit", "--lun", "1", "--backing-store", str(path))
        self.admin("bind", "target", "--initiator-address", "ALL")
        self.uri = f"iscsi://127.0.0.1:{port}/{TARGET}/1"

    def admin(self, operation, mode, *words):
        command = ["tgtadm", "--control-port", self.control, "--lld", "iscsi", "--op", operation,
                   "--mode", mode, "--tid", "1", *words]
        for _ in range(100):
            # The control socket can become ready after the port.
            result = subprocess.run(command, text=True, capture_output=True, check=False)
            if result.returncode == 0:
                return
            time.sleep(0.05)
        raise SystemExit(f"{' '.join(command)} failed: {result.stderr}")

    def stop(self):
        self.process.kill()
        self.process.wait()


def perf(server, case, seconds):
    """Measures random reads by libiscsi's own load. Returns operations per second, seconds, and CPU
    seconds of the client."""
    printed, used = frontends.client(
        ["iscsi-perf", "-r", "-m", str(case.depth), "-b", str(case.bytes // 512), "-t",
         str(round(seconds)), server.uri])
    return float(re.findall(r"iops average (\d+)", printed)[-1]), int(round(seconds)), used


def image(server, case, count):
    """Measures sequential access by QEMU's load over libiscsi. Returns operations per second and
    CPU seconds of the client."""
    command = ["qemu-img", "bench", "-f", "raw", "-t", "none", "-c", str(count), "-d",
               str(case.depth), "-s", str(case.bytes)]
    printed, used = frontends.client(
        command + (["-w"] if case.operation == "write" else []) + [server.uri])
    return count / float(re.search(r"completed in ([\d.]+) seconds", printed)[1]), used


def sample(server, case, seconds):
    before = nbd.cpu_seconds(server.pids)
    if case.operation == "randread":
        iops, ran, used = perf(server, case, seconds)
        operations = iops * ran
    else:
        operations = int(seconds * (4000 if case.depth == 1 else 20000))
        iops, used = image(server, case, operations)
    cpu = nbd.cpu_seconds(server.pids) - before
    return Sample(iops, cpu * 1e6 / operations, used * 1e6 / operations)


def measure(sides, options):
    """Runs rounds. Each round covers every case on both servers, in alternating order."""
    samples = collections.defaultdict(list)
    for turn in range(-1, options.rounds):
        print("warm-up" if turn < 0 else f"round {turn + 1} of {options.rounds}", flush=True)
        for case in CASES:
            for server in sides if turn % 2 else sides[::-1]:
                one = sample(server, case, max(options.seconds, 4) if turn < 0 else options.seconds)
                if turn >= 0:
                    samples[case, server.name].append(one)
    return {key: Sample(*map(statistics.median, zip(*runs))) for key, runs in samples.items()}


def table(result, options):
    lines = [
        "# iSCSI beside tgt", "",
        "A volume of one replica of a whole node, and `tgtd` on a file of the same size, in one run; the"
        " clients are libiscsi's (`iscsi-perf` for reads in any order, `qemu-img bench` for one block"
        f" after the other). Medians of {options.rounds} interleaved rounds of about"
        f" {options.seconds:g} s, one session, {report.layout()}, files on tmpfs, Linux"
        f" {platform.release()}. *CPU* is the server's CPU time per operation, all threads, login"
        " included; *client* is the client's own. Goals: CPU at most"
        f" {CPU_GOAL} of tgt's, operations at least {IOPS_GOAL} of tgt's.", "",
        "| | operations, ratio | CPU, ratio | goals | operations/s: holdfast | tgt"
        " | CPU µs: holdfast | tgt | client µs: holdfast | tgt |",
        "|---|---|---|---|---|---|---|---|---|---|"]
    for case in CASES:
        own, base = (result[case, name] for name in ("holdfast", "tgt"))
        iops, cpu = own.iops / base.iops, own.cpu / base.cpu
        goals = ", ".join(word for word, holds in (
            ("operations missed", iops < IOPS_GOAL), ("CPU missed", cpu > CPU_GOAL)) if holds)
        lines.append(f"| {report.label(case)} | {iops:.2f} | {cpu:.2f} | {goals or 'met'}"
                     f" | {own.iops:.0f} | {base.iops:.0f} | {own.cpu:.1f} | {base.cpu:.1f}"
                     f" | {own.client:.1f} | {base.client:.1f} |")
    return "\n".join(lines + [""])


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench iscsi")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="of each measurement, about")
    parser.add_argument("--results", type=pathlib.Path, help="folder for iscsi.md")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    sides = []
    try:
        sides.append(frontends.Node(options.home, options.work))
        sides[0].uri = sides[0].volume("iscsi")
        frontends.fill(sides[0].uri, options.work)
        sides.append(Tgt(options.work))
        result = measure(sides, options)
    finally:
        for server in sides:
            server.stop()
    text = table(result, options)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "iscsi.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
