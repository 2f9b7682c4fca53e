"""Three replicas compared with one replica, nbdkit and QEMU's quorum: interleaved rounds, medians, ratios."""

import argparse
import pathlib
import platform
import signal
import sys

import nbd
import placements
import replicas
import report
import servers

CASES = nbd.CASES[:4]
# Goals relative to the quorum: the minimum ratio of operations and the maximum ratio of CPU time.
GOALS = {CASES[1]: (2.5, None), CASES[2]: (1.25, None), CASES[3]: (4.5, 0.2)}


def table(result, order, options):
    names = [server.name for server in order]
    command = "./holdfast bench replicated " + " ".join(sys.argv[5:])
    lines = [
        "# Three replicas in processes of their own", "",
        f"`{command.strip()}`", "",
        f"Medians of {options.rounds} interleaved rounds of {options.seconds:g} s, one connection,"
        f" {report.layout()}, files on tmpfs, Linux {platform.release()}. *three* and *one* are"
        " volumes of a cluster of four nodes, each a whole container, with replicas on other nodes"
        " than the engine and connections between the nodes in clear; *three-tls* is the same"
        " with TLS between the nodes. *quorum* is `qemu-storage-daemon` over three `nbdkit file`."
        " CPU is that of all processes of a side, per operation.", ""]
    for client in options.clients:
        lines += [f"## Client: {client}", "",
                  "| | " + " | ".join(f"{name}: operations/s, CPU µs" for name in names)
                  + " | three to quorum: operations, CPU | three to nbdkit: operations |",
                  "|---" * (len(names) + 3) + "|"]
        for case in CASES:
            cells = [f"{result[client, case, name].iops:.0f}, {result[client, case, name].cpu:.1f}"
                     for name in names]
            least, most = GOALS.get(case, (None, None))
            iops, cpu = ratios(result, client, case, "quorum")
            cells.append(f"{iops:.2f}{goal(least, '≥')}, {cpu:.2f}{goal(most, '≤')}")
            cells.append(f"{ratios(result, client, case, 'nbdkit')[0]:.2f}")
            lines.append(f"| {report.label(case)} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def goal(value, sign):
    return "" if value is None else f" (goal {sign} {value})"


def ratios(result, client, case, base):
    three, other = result[client, case, "three"], result[client, case, base]
    return three.iops / other.iops, three.cpu / other.cpu


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench replicated")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each measurement")
    parser.add_argument("--no-tls", action="store_true", help="without the cluster with TLS")
    parser.add_argument("--before", type=pathlib.Path, metavar="DIR",
                        help="distribution of an earlier build, measured in the same rounds")
    parser.add_argument("--clients", nargs="+", choices=nbd.CLIENTS, default=list(nbd.CLIENTS))
    parser.add_argument("--results", type=pathlib.Path, help="folder for replicated.md")
    options = parser.parse_args()
    options.cases = CASES
    # Exit by SystemExit when bench/run sends SIGTERM, so that the servers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    started = []

    def begin(server):
        started.append(server)
        return server

    try:
        clear = begin(replicas.Cluster(options.home, options.work, "127.0.70.1", False))
        order = [replicas.Volume("three", clear, replicas.REPLICAS, options.work),
                 begin(replicas.Quorum(options.work)),
                 replicas.Volume("one", clear, 1, options.work),
                 begin(servers.Peer("nbdkit", servers.NBDKIT_COMMAND, options.work, replicas.SIZE))]
        if not options.no_tls:
            encrypted = begin(
                replicas.Cluster(options.home, options.work, "127.0.71.1", True, "tls"))
            order.append(
                replicas.Volume("three-tls", encrypted, replicas.REPLICAS, options.work))
        if options.before:
            earlier = begin(replicas.Cluster(options.before, options.work, "127.0.73.1", False,
                                             servers.BEFORE))
            order.append(
                replicas.Volume(servers.BEFORE, earlier, replicas.REPLICAS, options.work))
        placements.pin({pid for server in order for pid in server.pids}, servers.SERVER_CORE)
        print("warm-up", flush=True)
        nbd.warm_up(order, options)
        result = nbd.medians(nbd.measure(order, options))
    finally:
        for server in started:
            server.stop()
    text = table(result, order, options)
    if options.before:
        text += report.change(result, CASES, options, "three", servers.BEFORE)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "replicated.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
