"""The servers in the comparison, each with exports of the same size."""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import time

SERVER_CORE = "0"
# With one core for both, the results contain the cost of the work but not that of waking another core.
CLIENT_CORE = os.environ.get("HOLDFAST_BENCH_CLIENT_CORE",
                             "1" if (os.cpu_count() or 1) > 1 else "0")
SIZE = 1 << 30
# Ports of a node. Each node on this host needs different ones.
PORTS = ("api", "rpc", "nbd", "replica", "ssh")
# Name of the node that runs the distribution given by --before.
BEFORE = "before"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_port(port, process):
    for _ in range(200):
        if process.poll() is not None:
            raise SystemExit(f"{process.args[0]} ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")


def filled(path, size=SIZE):
    """Creates a file without holes, because reads of holes would distort the measurement."""
    block = os.urandom(1 << 20)
    with open(path, "wb") as file:
        for _ in range(size // len(block)):
            file.write(block)
    return path


class Peer:
    """A server that runs as a child process on its own file."""

    def __init__(self, name, command, work, size=SIZE):
        self.name = name
        self.size = size
        self.port = port = free_port()
        path = filled(work / f"{name}.img", size)
        words = [word.format(port=port, file=path) for word in command]
        self.process = subprocess.Popen(["taskset", "-c", SERVER_CORE, *words])
        self.pids = [self.process.pid]
        self.uri = f"nbd://127.0.0.1:{port}/"
        await_port(port, self.process)

    def stop(self):
        self.process.kill()
        self.process.wait()


class Export:
    """A volume of a node. Its CPU time is that of the node, which also stops it."""

    def __init__(self, name, uri, size, pids):
        self.name = name
        self.uri = uri
        self.size = size
        self.pids = pids


class Holdfast:
    """A complete node, and volumes with all replicas on its own disks."""

    def __init__(self, home, work, name="holdfast", replicas=(1,), size=SIZE):
        self.name = name
        self.command = [str(pathlib.Path(home) / "holdfast")]
        self.data = ["--data", str(work / f"data-{name}")]
        ports = [word for key in PORTS for word in (f"--{key}-port", str(free_port()))]
        self.run("up", "--no-demo", "--open-frontends", "loopback", "--disks", str(max(replicas)),
                 *ports, wrapper=["taskset", "-c", SERVER_CORE])
        self.pids = [json.loads(self.run("status", "-o", "json"))["pid"]]
        self.exports = [self.volume(count, size, work) for count in replicas]

    def volume(self, replicas, size, work):
        """Creates a volume and fills it completely. Returns its export."""
        volume = f"bench-{replicas}"
        self.run("volume", "create", volume, "--size", str(size), "--replicas", str(replicas))
        self.run("volume", "attach", volume)
        uri = self.run("volume", "endpoint", volume, "--remote").strip()
        image = filled(work / "fill.img", size)
        subprocess.run(["qemu-img", "convert", "-n", "-S", "0", "-f", "raw", "-O", "raw",
                        str(image), uri], check=True)
        image.unlink()
        return Export(self.name if replicas == 1 else f"{self.name}-{replicas}", uri, size,
                      self.pids)

    def run(self, *words, wrapper=()):
        environment = dict(os.environ, HOLDFAST_NO_BUILD="1")
        result = subprocess.run([*wrapper, *self.command, *words, *self.data], text=True,
                                env=environment, stdout=subprocess.PIPE, check=False)
        if result.returncode:
            raise SystemExit(f"holdfast {' '.join(words)} failed: {result.stdout}")
        return result.stdout

    def collections(self):
        """Returns the number of young and full garbage collections since the start."""
        jstat = pathlib.Path(os.environ["JAVA_HOME"]) / "bin" / "jstat"
        lines = subprocess.run([str(jstat), "-gcutil", str(self.pids[0])], text=True, check=True,
                               stdout=subprocess.PIPE).stdout.splitlines()
        columns = dict(zip(lines[0].split(), lines[1].split()))
        return int(columns["YGC"]) + int(columns["FGC"])

    def stop(self):
        self.run("down")


# Subjects of the comparison with nbdkit, and the number of local replicas of a node's volumes.
REPLICAS = {"holdfast": 1, "holdfast-3": 3}
QEMU = "qemu-nbd"
NAMES = [*REPLICAS, QEMU]
NBDKIT_COMMAND = ["nbdkit", "-f", "-i", "127.0.0.1", "-p", "{port}", "file", "{file}"]
QEMU_COMMAND = ["qemu-nbd", "-t", "-e", "16", "-f", "raw", "--cache=writeback",
                "-b", "127.0.0.1", "-p", "{port}", "{file}"]


@contextlib.contextmanager
def started(options):
    """Starts the chosen servers and nbdkit. Yields the node of this build, or None, and all servers."""
    size = options.size << 20
    replicas = [count for name, count in REPLICAS.items() if name in options.servers]
    builds = {"holdfast": options.home, **({BEFORE: options.before} if options.before else {})}
    nodes, peers = [], []
    try:
        for name, home in builds.items() if replicas else ():
            nodes.append(Holdfast(home, options.work, name, replicas, size))
        peers.append(Peer("nbdkit", NBDKIT_COMMAND, options.work, size))
        if QEMU in options.servers:
            peers.append(Peer(QEMU, QEMU_COMMAND, options.work, size))
        exports = [export for node in nodes for export in node.exports]
        yield (nodes[0] if nodes else None), exports + peers
    finally:
        for server in nodes + peers:
            server.stop()
