"""Speed of one volume beside nbdkit and qemu-nbd: interleaved rounds, medians, ratios."""

import argparse
import collections
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys

import report
import servers

Case = collections.namedtuple("Case", "operation bytes depth")
CASES = [
    Case("randread", 4096, 1), Case("randread", 4096, 32),
    Case("randwrite", 4096, 1), Case("randwrite", 4096, 32),
    Case("read", 131072, 8), Case("write", 131072, 8),
    Case("read", 1048576, 8), Case("write", 1048576, 8),
]
# What is measured: operations per second, and the server's CPU microseconds per operation.
Sample = collections.namedtuple("Sample", "iops cpu")


def own_client(sending):
    def run(server, case, options):
        line = subprocess.run(
            ["taskset", "-c", servers.CLIENT_CORE,
             str(pathlib.Path(os.environ["JAVA_HOME"]) / "bin" / "java"),
             "-Xshare:auto", "-XX:+UseSerialGC", "-cp", str(options.work / "classes"), "NbdLoad",
             server.uri, ",".join(map(str, server.pids)), case.operation, str(case.bytes), str(case.depth),
             str(options.seconds), sending],
            text=True, check=True, stdout=subprocess.PIPE).stdout
        operations, nanos, cpu = map(int, line.split())
        return Sample(operations / nanos * 1e9, cpu / 1000 / max(operations, 1))
    return run


def cpu_seconds(pids):
    """User and system time of all threads of some processes."""
    ticks = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def fio(server, case, options):
    before = cpu_seconds(server.pids)
    text = subprocess.run(
        ["taskset", "-c", servers.CLIENT_CORE, "fio", "--name=bench", "--ioengine=nbd",
         f"--uri={server.uri}", f"--rw={case.operation}", f"--bs={case.bytes}",
         f"--iodepth={case.depth}", f"--size={server.size}", "--time_based",
         f"--runtime={options.seconds}", "--norandommap", "--randrepeat=0",
         "--output-format=json"],
        text=True, check=True, stdout=subprocess.PIPE).stdout
    job = json.loads(text[text.index("{"):])["jobs"][0]
    side = job["write" if case.operation.endswith("write") else "read"]
    return Sample(side["iops"], (cpu_seconds(server.pids) - before) * 1e6 / side["total_ios"])


CLIENTS = {"unbatched": own_client("unbatched"), "batched": own_client("batched"), "fio": fio}


def warm_up(all_servers, options):
    """The JVM compiles what runs often; the peers get the same load, for fairness."""
    longer = argparse.Namespace(**{**vars(options), "seconds": max(options.seconds, 4)})
    for server in all_servers:
        for case in CASES[:options.cases]:
            CLIENTS["unbatched"](server, case, longer)
        fio(server, CASES[1], longer)


def measure(all_servers, options):
    """One round touches every case with every client on every server, in turning order."""
    samples = collections.defaultdict(list)
    for turn in range(options.rounds):
        print(f"round {turn + 1} of {options.rounds}", flush=True)
        order = all_servers[turn % len(all_servers):] + all_servers[:turn % len(all_servers)]
        for client in options.clients:
            for case in CASES[:options.cases]:
                for server in order:
                    samples[client, case, server.name].append(CLIENTS[client](server, case, options))
    return samples


def medians(samples):
    return {key: Sample(statistics.median(one.iops for one in runs),
                        statistics.median(one.cpu for one in runs))
            for key, runs in samples.items()}


def collections_under_load(holdfast, options):
    """Ten seconds of reads and of writes at depth 32."""
    counts = {}
    ten = argparse.Namespace(**{**vars(options), "seconds": 8})
    for case in (CASES[1], CASES[3]):
        before = holdfast.collections()
        CLIENTS["unbatched"](holdfast, case, ten)
        counts[case.operation] = holdfast.collections() - before
    return counts


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench nbd")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each measurement")
    parser.add_argument("--cases", type=int, default=len(CASES), help="only the first N cases")
    parser.add_argument("--clients", nargs="+", choices=CLIENTS, default=list(CLIENTS))
    parser.add_argument("--before", type=pathlib.Path, metavar="DIR",
                        help="distribution of an earlier build, measured in the same rounds")
    parser.add_argument("--results", type=pathlib.Path, help="folder for nbd.md and nbd.svg")
    options = parser.parse_args()
    # Being ended by the script that started us must not leave servers behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    all_servers = servers.all_servers(options.home, options.work, options.before)
    try:
        print("warm-up", flush=True)
        warm_up(all_servers, options)
        result = medians(measure(all_servers, options))
        pauses = collections_under_load(all_servers[0], options)
    finally:
        for server in all_servers:
            server.stop()
    text = report.table(result, CASES[:options.cases], options, pauses)
    if options.before:
        text += report.change(result, CASES[:options.cases], options, "holdfast", servers.BEFORE)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "nbd.md").write_text(text)
    (options.results / "nbd.svg").write_text(report.plot(result, CASES[:options.cases], options))
    print(text)


if __name__ == "__main__":
    main()
