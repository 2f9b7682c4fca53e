"""The servers that are compared, each with one export of the same size, on one core."""

import json
import os
import pathlib
import socket
import subprocess
import time

SERVER_CORE = "0"
# One core for both shows the cost of the work without that of waking another core.
CLIENT_CORE = os.environ.get("HOLDFAST_BENCH_CLIENT_CORE",
                             "1" if (os.cpu_count() or 1) > 1 else "0")
SIZE = 1 << 30
# Listeners of a node; each node on this host needs ports of its own.
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
    """A file without holes: reading a hole is not what is measured."""
    block = os.urandom(1 << 20)
    with open(path, "wb") as file:
        for _ in range(size // len(block)):
            file.write(block)
    return path


class Peer:
    """A server that runs as a child on a file of its own."""

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


class Holdfast:
    """A whole node with all its layers, and one volume of one replica."""

    size = SIZE

    def __init__(self, home, work, name="holdfast"):
        self.name = name
        self.command = [str(pathlib.Path(home) / "holdfast")]
        self.data = ["--data", str(work / f"data-{name}")]
        ports = [word for key in PORTS for word in (f"--{key}-port", str(free_port()))]
        self.run("up", "--no-demo", "--open-frontends", "loopback", "--disks", "1", *ports,
                 wrapper=["taskset", "-c", SERVER_CORE])
        self.pids = [json.loads(self.run("status", "-o", "json"))["pid"]]
        self.run("volume", "create", "bench", "--size", str(SIZE), "--replicas", "1")
        self.run("volume", "attach", "bench")
        self.uri = self.run("volume", "endpoint", "bench", "--remote").strip()
        image = filled(work / "fill.img")
        subprocess.run(["qemu-img", "convert", "-n", "-S", "0", "-f", "raw", "-O", "raw",
                        str(image), self.uri], check=True)
        image.unlink()

    def run(self, *words, wrapper=()):
        environment = dict(os.environ, HOLDFAST_NO_BUILD="1")
        result = subprocess.run([*wrapper, *self.command, *words, *self.data], text=True,
                                env=environment, stdout=subprocess.PIPE, check=False)
        if result.returncode:
            raise SystemExit(f"holdfast {' '.join(words)} failed: {result.stdout}")
        return result.stdout

    def collections(self):
        """Garbage collections so far, young and full."""
        jstat = pathlib.Path(os.environ["JAVA_HOME"]) / "bin" / "jstat"
        lines = subprocess.run([str(jstat), "-gcutil", str(self.pids[0])], text=True, check=True,
                               stdout=subprocess.PIPE).stdout.splitlines()
        columns = dict(zip(lines[0].split(), lines[1].split()))
        return int(columns["YGC"]) + int(columns["FGC"])

    def stop(self):
        self.run("down")


def all_servers(home, work, before=None):
    """The peers, and with `before` a node of that distribution."""
    return [
        Holdfast(home, work),
        *([Holdfast(before, work, BEFORE)] if before else []),
        Peer("nbdkit", ["nbdkit", "-f", "-i", "127.0.0.1", "-p", "{port}", "file", "{file}"], work),
        Peer("qemu-nbd", ["qemu-nbd", "-t", "-e", "16", "-f", "raw", "--cache=writeback",
                          "-b", "127.0.0.1", "-p", "{port}", "{file}"], work),
    ]
