"""Cost of many open volumes with three replicas: memory, threads, descriptors, time to start."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import time

import client
import node

SIZE = 64 << 20
BLOCK = 4096
REPLICAS = 3
LOAD, DEPTH = 1 << 20, 8
# Memory budget of a node without load in KiB, from docs/operations/nodes.md.
BUDGET = 350 << 10
RETURNED_WITHIN = 120
Figures = collections.namedtuple("Figures", "heap resident threads descriptors")


def status(pid):
    """Returns the resident memory in KiB and the number of threads."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return [int(re.search(key + r":\s+(\d+)", text)[1]) for key in ("VmRSS", "Threads")]


def figures(pid):
    """Returns memory, threads and descriptors. The heap counts live objects only, so it does not
    depend on the collector."""
    java = pathlib.Path(os.environ["JAVA_HOME"]) / "bin" / "jcmd"
    histogram = subprocess.run([str(java), str(pid), "GC.class_histogram"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout
    used = int(re.search(r"^Total +\d+ +(\d+)$", histogram, re.MULTILINE)[1]) >> 10
    resident, threads = status(pid)
    return Figures(used, resident, threads, len(os.listdir(f"/proc/{pid}/fd")))


def busy(nodes, names, writes):
    """Connects one client to each volume. Each client in turn writes, and stays connected."""
    clients = [client.Client(nodes.api.endpoint(name)) for name in names]
    for number in range(writes):
        for one in clients:
            one.write(number * (SIZE // writes), bytes(BLOCK))
    return clients


def loaded(nodes, pid, seconds):
    """Runs large requests on two volumes. Reports the memory that the idle node then keeps without
    a forced collection."""
    names = ["load-1", "load-2"]
    uris = [nodes.volume(name, SIZE, 1, "node-1") for name in names]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        requests = sum(pool.map(
            lambda uri: client.Client(uri).load(SIZE, LOAD, DEPTH, seconds), uris))
    under_load = status(pid)[0]
    end = time.monotonic() + RETURNED_WITHIN
    while (idle := status(pid)[0]) > BUDGET and time.monotonic() < end:
        time.sleep(1)
    for name in names:
        nodes.run("volume", "delete", name, "--when-detached")
        nodes.run("volume", "detach", name)
    return (f"{requests} requests of 1 MiB at depth {DEPTH} on two volumes, {seconds} s:"
            f" {under_load >> 10} MiB resident at their end, {idle >> 10} MiB idle"
            f" (budget {BUDGET >> 10} MiB)."), idle <= BUDGET


def restart(nodes, names):
    nodes.run("down")
    began = time.monotonic()
    nodes.run("up", "--no-demo")
    up = time.monotonic() - began
    while True:
        serving = {engine["spec"]["volume"] for engine in nodes.api.items("engines")
                   if any(c["reason"] == "Serving" for c in engine["status"]["conditions"])
                   and engine["status"]["currentState"] == "running"}
        if serving.issuperset(names):
            return up, time.monotonic() - began
        time.sleep(0.5)


def row(label, now, base, count):
    return (f"| {label} | {now.heap / 1024:.0f} | {now.resident / 1024:.0f} | {now.threads}"
            f" | {now.descriptors} | {(now.heap - base.heap) / count:.0f}"
            f" | {(now.resident - base.resident) / count:.0f}"
            f" | {(now.descriptors - base.descriptors) / count:.1f} |")


def measure(nodes, pid, options):
    names = [f"v{number}" for number in range(options.volumes)]
    engine = f"node-{2 if options.nodes > 1 else 1}"
    lines = []
    text, within = ("", True) if options.nodes > 1 else loaded(nodes, pid(), options.load_seconds)
    print(text, flush=True)
    base = figures(pid())
    lines.append(row("none", base, base, options.volumes))
    began = time.monotonic()
    for name in names:
        nodes.api.create("volumes", "Volume", name,
                         {"size": str(SIZE), "numberOfReplicas": REPLICAS, "frontend": "nbd"})
    nodes.api.await_tickets(names)
    made = time.monotonic() - began
    print(f"made in {made:.0f} s", flush=True)
    began = time.monotonic()
    for name in names:
        nodes.api.attach(name, engine)
    nodes.api.await_volumes(names, "attached", 1200)
    attached = time.monotonic() - began
    print(f"attached in {attached:.0f} s", flush=True)
    lines.append(row("open, idle", figures(pid()), base, options.volumes))
    clients = busy(nodes, names, 4)
    lines.append(row("with a client each, written to", figures(pid()), base, options.volumes))
    for one in clients:
        one.close()
    texts = [text, f"Made in {made:.0f} s, attached in {attached:.0f} s."]
    if options.nodes == 1:
        up, serving = restart(nodes, names)
        texts.append(f"After a restart the node was up after {up:.0f} s and served all of them"
                     f" after {serving:.0f} s.")
        lines.append(row("after a restart, idle", figures(pid()), base, options.volumes))
    return lines, texts, within


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench volumes")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--volumes", type=int, default=500)
    parser.add_argument("--nodes", type=int, default=1, choices=(1, 3),
                        help="1: three disks of one node; 3: a replica on each of three nodes")
    parser.add_argument("--load-seconds", type=int, default=60)
    parser.add_argument("--results", type=pathlib.Path, help="folder for volumes.md")
    options = parser.parse_args()
    # Exit by SystemExit when bench/run sends SIGTERM, so that the servers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    nodes = node.Nodes(options.home, options.work, options.nodes,
                       REPLICAS if options.nodes == 1 else 1)
    try:
        lines, texts, within = measure(nodes, lambda: nodes.pids()[min(1, options.nodes - 1)], options)
    finally:
        nodes.stop()
    where = "on three disks of one node" if options.nodes == 1 else "on three nodes, one of which" \
        " has all engines; the figures are that node's"
    text = "\n".join([
        f"# {options.volumes} open volumes of three replicas", "",
        f"`./holdfast bench volumes {' '.join(sys.argv[5:])}`", "",
        f"Replicas {where}. Files on tmpfs, Linux {platform.release()}, heap limit as shipped, after"
        " a full collection. Per volume means above a node without volumes. " + " ".join(texts)
        + f" Load of the machine at the end: {os.getloadavg()[0]:.1f}.", "",
        "| volumes | heap MiB | resident MiB | threads | descriptors | heap per volume KiB |"
        " resident per volume KiB | descriptors per volume |", "|---" * 8 + "|", *lines, ""])
    options.results.mkdir(parents=True, exist_ok=True)
    suffix = "" if options.nodes == 1 else "-three-nodes"
    (options.results / f"volumes{suffix}.md").write_text(text)
    print(text)
    if not within:
        raise SystemExit("an idle node keeps more memory after load than its budget")


if __name__ == "__main__":
    main()
