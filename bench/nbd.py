"""Speed of volumes with one and with three local replicas, compared with nbdkit and qemu-nbd.
Interleaved rounds in several placements, medians, ratios."""

import argparse
import collections
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys

import placements
import report
import servers

Case = collections.namedtuple("Case", "operation bytes depth")
CASES = [
    Case("randread", 4096, 1), Case("randread", 4096, 32),
    Case("randwrite", 4096, 1), Case("randwrite", 4096, 32),
    Case("read", 131072, 8), Case("write", 131072, 8),
    Case("read", 1048576, 8), Case("write", 1048576, 8),
]
# Operations per second, and CPU microseconds of the server per operation.
Sample = collections.namedtuple("Sample", "iops cpu")


def case(text):
    """Parses SIZE-read|write-DEPTH, such as 4k-read-1; accesses of 4 KiB are random."""
    match = re.fullmatch(r"(\d+)([km])-(read|write)-(\d+)", text)
    if not match:
        raise argparse.ArgumentTypeError(
            f"\"{text}\": expected SIZE-read|write-DEPTH, for example 4k-read-1 or 1m-write-8")
    size = int(match[1]) << (10 if match[2] == "k" else 20)
    if not 4096 <= size <= 1 << 20 or not 1 <= int(match[4]) <= 128:
        raise argparse.ArgumentTypeError(
            f"\"{text}\": the size must be 4k to 1m and the depth 1 to 128")
    return Case(("rand" if size == 4096 else "") + match[3], size, int(match[4]))


def client_cores(options):
    return getattr(options, "client_cores", servers.CLIENT_CORE)


def own_client(sending):
    def run(server, one, options):
        line = subprocess.run(
            ["taskset", "-c", client_cores(options),
             str(pathlib.Path(os.environ["JAVA_HOME"]) / "bin" / "java"),
             "-Xshare:auto", "-XX:+UseSerialGC", "-cp", str(options.work / "classes"), "NbdLoad",
             server.uri, ",".join(map(str, server.pids)), one.operation, str(one.bytes), str(one.depth),
             str(options.seconds), sending],
            text=True, check=True, stdout=subprocess.PIPE).stdout
        operations, nanos, cpu = map(int, line.split())
        return Sample(operations / nanos * 1e9, cpu / 1000 / max(operations, 1))
    return run


def cpu_seconds(pids):
    """Returns the user and system time in seconds of all threads of some processes."""
    ticks = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def fio(server, one, options):
    before = cpu_seconds(server.pids)
    text = subprocess.run(
        ["taskset", "-c", client_cores(options), "fio", "--name=bench", "--ioengine=nbd",
         f"--uri={server.uri}", f"--rw={one.operation}", f"--bs={one.bytes}",
         f"--iodepth={one.depth}", f"--size={server.size}", "--time_based",
         f"--runtime={options.seconds}", "--norandommap", "--randrepeat=0",
         "--output-format=json"],
        text=True, check=True, stdout=subprocess.PIPE).stdout
    job = json.loads(text[text.index("{"):])["jobs"][0]
    side = job["write" if one.operation.endswith("write") else "read"]
    return Sample(side["iops"], (cpu_seconds(server.pids) - before) * 1e6 / side["total_ios"])


CLIENTS = {"unbatched": own_client("unbatched"), "batched": own_client("batched"), "fio": fio}


def warm_up(all_servers, options, seconds=4):
    """Runs load, so that the JVM compiles its hot methods. The peers get the same load, for fairness."""
    longer = argparse.Namespace(**{**vars(options), "seconds": max(options.seconds, seconds)})
    for server in all_servers:
        for one in options.cases:
            CLIENTS["unbatched"](server, one, longer)
        if "fio" in options.clients:
            fio(server, CASES[1], longer)


def measure_round(all_servers, options, turn, samples):
    """Measures every case with every client on every server. The order of the servers changes with the turn."""
    order = all_servers[turn % len(all_servers):] + all_servers[:turn % len(all_servers)]
    for client in options.clients:
        for one in options.cases:
            for server in order:
                samples[client, one, server.name].append(CLIENTS[client](server, one, options))


def measure(all_servers, options):
    samples = collections.defaultdict(list)
    for turn in range(options.rounds):
        print(f"round {turn + 1} of {options.rounds}", flush=True)
        measure_round(all_servers, options, turn, samples)
    return samples


def measure_placements(all_servers, options):
    """Measures all placements within each round. Returns the samples of each placement."""
    samples = {name: collections.defaultdict(list) for name in options.placements}
    pids = {pid for server in all_servers for pid in server.pids}
    for turn in range(options.rounds):
        print(f"round {turn + 1} of {options.rounds}", flush=True)
        for name in options.placements:
            placement = placements.PLACEMENTS[name]
            placements.pin(pids, placement.server)
            options.client_cores = placement.client
            measure_round(all_servers, options, turn, samples[name])
    return samples


def medians(samples):
    return {key: Sample(statistics.median(one.iops for one in runs),
                        statistics.median(one.cpu for one in runs))
            for key, runs in samples.items()}


def collections_under_load(server, node, options):
    """Counts garbage collections during about ten seconds each of reads and of writes at depth 32."""
    counts = {}
    ten = argparse.Namespace(**{**vars(options), "seconds": 8})
    for one in (CASES[1], CASES[3]):
        before = node.collections()
        CLIENTS["unbatched"](server, one, ten)
        counts[one.operation] = node.collections() - before
    return counts


def arguments():
    parser = argparse.ArgumentParser(prog="holdfast bench nbd")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each measurement")
    parser.add_argument("--warm-up", type=float, default=4, metavar="S",
                        help="seconds of each case on each server before the first round")
    parser.add_argument("--cases", nargs="+", type=case, default=CASES, metavar="CASE",
                        help="SIZE-read|write-DEPTH, for example 4k-read-1")
    parser.add_argument("--placements", nargs="+", choices=placements.PLACEMENTS,
                        default=list(placements.PLACEMENTS))
    parser.add_argument("--servers", nargs="+", choices=servers.NAMES, default=list(servers.NAMES),
                        help="beside nbdkit, which is always measured")
    parser.add_argument("--clients", nargs="+", choices=CLIENTS, default=["unbatched", "fio"])
    parser.add_argument("--size", type=int, default=servers.SIZE >> 20, metavar="MIB",
                        help="of each file")
    parser.add_argument("--no-collections", action="store_true",
                        help="without ten seconds of load that count garbage collections")
    parser.add_argument("--before", type=pathlib.Path, metavar="DIR",
                        help="distribution of an earlier build, measured in the same rounds")
    parser.add_argument("--results", type=pathlib.Path, help="folder for nbd.md and nbd.svg")
    options = parser.parse_args()
    options.results = options.results or options.home / "bench" / "results"
    return options


def main():
    options = arguments()
    # Exit by SystemExit when bench/run sends SIGTERM, so that the servers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    origin = report.origin(options.home)
    with servers.started(options) as (node, all_servers):
        print("warm-up", flush=True)
        # Warm up on all cores, because the JVM's compilers need some of them.
        placements.pin({pid for server in all_servers for pid in server.pids}, placements.EVERY)
        options.client_cores = placements.EVERY
        warm_up(all_servers, options, options.warm_up)
        load = os.getloadavg()[0]
        result = {name: medians(samples)
                  for name, samples in measure_placements(all_servers, options).items()}
        origin += f" Load average {load:.1f} before and {os.getloadavg()[0]:.1f} after."
        pauses = ({} if options.no_collections or not node
                  else collections_under_load(all_servers[0], node, options))
    text = report.table(result, options, origin, pauses)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "nbd.md").write_text(text)
    (options.results / "nbd.svg").write_text(report.plot(result, options))
    print(text)


if __name__ == "__main__":
    main()
