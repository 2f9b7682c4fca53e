"""One node that exports a volume through each of several frontends."""

import json
import os
import pathlib
import subprocess

import servers

SIZE = 256 << 20


class Node(servers.Holdfast):
    """A complete node. Its volumes have one replica."""

    size = SIZE

    def __init__(self, home, work):
        self.command = [str(pathlib.Path(home) / "holdfast")]
        self.data = ["--data", str(work / "data")]
        ports = [word for name in ("api", "nbd", "iscsi", "nvmeof", "ssh")
                 for word in (f"--{name}-port", str(servers.free_port()))]
        self.run("up", "--no-demo", "--open-frontends", "loopback", "--disks", "1", *ports,
                 wrapper=["taskset", "-c", servers.SERVER_CORE])
        self.pids = [json.loads(self.run("status", "-o", "json"))["pid"]]

    def volume(self, frontend):
        """Creates a volume for a frontend. Returns its endpoint."""
        self.run("volume", "create", frontend, "--size", str(SIZE), "--replicas", "1",
                 "--frontend", frontend)
        self.run("volume", "attach", frontend)
        return self.run("volume", "endpoint", frontend, "--remote").strip()


def fill(uri, work):
    """Fills a whole volume with qemu-img."""
    image = servers.filled(work / "fill.img", SIZE)
    subprocess.run(["qemu-img", "convert", "-n", "-S", "0", "-f", "raw", "-O", "raw",
                    str(image), uri], check=True)
    image.unlink()


def client(command):
    """Runs a client on its core. Returns its output and the CPU seconds that it used."""
    process = subprocess.Popen(["taskset", "-c", servers.CLIENT_CORE, *command], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {printed}")
    return printed, used.ru_utime + used.ru_stime
