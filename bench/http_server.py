"""The HTTP server of a node: speed compared with the JDK's, CPU of API requests, memory of clients,
and a flood."""

import argparse
import contextlib
import http.client
import os
import pathlib
import signal
import sys
import urllib.parse

import http_flood
import http_load
import http_peers
import nbd
import node
import volumes

ROWS = 500
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
# The API answers 1,000 requests per second of one user and refuses the rest.
CASES = {
    "one resource": ("apis/holdfast.dev/v1/nodes/node-1", "application/json", 800),
    f"table of {ROWS} rows": (f"apis/holdfast.dev/v1/events?limit={ROWS}", TABLE, 40),
}
SECONDS = 5
CHANGES = 50
FLOOD = 20000


def requests(nodes, pid, options):
    """Yields the best round of each case and protocol."""
    authorization = f"Authorization: Bearer {nodes.api.token}"
    for case, (path, accept, rate) in CASES.items():
        for protocol, words in http_load.PROTOCOLS.items():
            connections = int(words[words.index("-c") + 1])
            limited = [*words, "--rps", str(rate // connections)]
            yield case, protocol, http_load.best(
                http_load.measure(pid, f"{nodes.api.server}/{path}", limited, int(rate * SECONDS * options.share),
                                  [authorization, f"Accept: {accept}"]) for _ in range(options.rounds))


class Growth:
    """Growth of the live heap objects and of the resident memory, in KiB per client."""

    def __init__(self, pid, count):
        self.pid, self.count, self.base = pid, count, volumes.figures(pid)

    def text(self):
        now = volumes.figures(self.pid)
        return (f"{(now.heap - self.base.heap) / self.count:.1f} KiB of objects, "
                f"{(now.resident - self.base.resident) / self.count:.1f} KiB resident")


def idle_connections(nodes, pid, count):
    """Returns the memory of a connection that is idle after a request."""
    server = urllib.parse.urlsplit(nodes.api.server)
    growth = Growth(pid, count)
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            connection = http.client.HTTPSConnection(server.hostname, server.port, context=nodes.api.tls, timeout=60)
            stack.callback(connection.close)
            connection.request("GET", "/apis/holdfast.dev/v1/nodes/node-1",
                               headers={"Authorization": f"Bearer {nodes.api.token}"})
            connection.getresponse().read()
        return growth.text()


def change_cost(nodes, pid):
    """Returns the node's CPU time per change of a resource in us."""
    before = nbd.cpu_seconds([pid])
    for number in range(CHANGES):
        nodes.api.patch("events", "bench-0", {"spec": {"count": number + 2}})
    return (nbd.cpu_seconds([pid]) - before) * 1e6 / CHANGES


def watches(nodes, pid, count):
    """Returns the memory of a watch, and the CPU time of a change with one watch and with all watches."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(nodes.api.open("GET", "events?watch=true"))
        change_cost(nodes, pid)
        one = change_cost(nodes, pid)
        growth = Growth(pid, count)
        for _ in range(count):
            stack.enter_context(nodes.api.open("GET", "events?watch=true"))
        return growth.text(), one, change_cost(nodes, pid)


def of_node(home, work, options):
    """Measures a node. Yields lines of the report."""
    nodes = node.Nodes(home, work)
    try:
        pid = nodes.pids()[0]
        for number in range(ROWS):
            nodes.api.create("events", "Event", f"bench-{number}", {
                "regarding": {"kind": "Node", "name": "node-1"}, "type": "Normal",
                "reason": "Bench", "message": f"row {number}", "count": 1})
        yield from ["| request to a node | protocol | CPU, us | requests/s | mean, ms | refused |", "|---|---|---|---|---|---|"]
        for case, protocol, load in requests(nodes, pid, options):
            yield f"| {case} | {protocol} | {load.cpu:.0f} | {load.rate:.0f} | {load.mean:.1f} | {load.refused} |"
        yield ""
        yield f"An idle connection takes {idle_connections(nodes, pid, options.clients)}, of {options.clients} connections."
        memory, one, many = watches(nodes, pid, options.clients)
        yield (f"A watch takes {memory}, of {options.clients} watches. A change costs the node {one:.0f} us of CPU with 1 watch, "
               f"and {many:.0f} us with {options.clients + 1}.")
        yield from http_flood.flood(nodes, pid, int(FLOOD * options.share))
        yield from http_flood.slow(nodes, pid, options.slow_clients, options.slow_seconds)
    finally:
        nodes.stop()


def of_peers(options):
    """Compares the server with the JDK's. Yields lines of the report."""
    yield from ["| case | server | protocol | CPU of a request, us | requests/s | CPU to JDK | rate to JDK |",
                "|---|---|---|---|---|---|---|"]
    for case, server, protocol, load, cpu, rate in http_peers.rows(
            options.home, options.work, options.rounds, options.share):
        yield f"| {case} | {server} | {protocol} | {load.cpu:.0f} | {load.rate:.0f} | {cpu:.2f} | {rate:.2f} |"


def measurements(options):
    """Runs all measurements. Yields each line of the report as soon as it is complete."""
    yield from [f"Load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.", ""]
    yield from of_peers(options)
    yield ""
    yield from of_node(options.home, options.work / "data", options)
    yield from ["", f"Load of the machine after: {os.getloadavg()[0]:.1f}."]


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench http")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=float, default=1, help="of the number of requests; at least 0.1")
    parser.add_argument("--clients", type=int, default=100, help="idle connections, and watches; at most 127")
    parser.add_argument("--slow-clients", type=int, default=200)
    parser.add_argument("--slow-seconds", type=int, default=20)
    parser.add_argument("--results", type=pathlib.Path, help="folder for http.md")
    options = parser.parse_args()
    if not 1 <= options.clients <= 127:
        parser.error(f"--clients {options.clients}: expected 1 to 127, because one user may have 128 watches")
    if options.share < 0.1:
        parser.error(f"--share {options.share}: expected at least 0.1, because each connection needs requests")
    # Exit by SystemExit when bench/run sends SIGTERM, so that the servers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    lines = []
    for line in measurements(options):
        print(line, flush=True)
        lines.append(line)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "http.md").write_text("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
