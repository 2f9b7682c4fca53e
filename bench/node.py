"""Nodes of Holdfast for measurements through their API."""

import json
import os
import pathlib
import subprocess

import api
import servers


class Nodes:
    """One node, or several nodes of one cluster on this host, each in its own process."""

    def __init__(self, home, work, count=1, disks=1, java=""):
        self.command = [str(pathlib.Path(home) / "holdfast")]
        self.data = work / "data"
        self.environment = dict(os.environ, HOLDFAST_NO_BUILD="1", HOLDFAST_JAVA_OPTS=java)
        ports = [word for key in servers.PORTS for word in (f"--{key}-port", str(servers.free_port()))]
        several = ["--nodes", str(count), "--address", "127.0.72.1"] if count > 1 else []
        self.run("up", "--no-demo", "--open-frontends", "loopback", "--disks", str(disks),
                 *several, *ports)
        self.api = api.Api(self.data / "kubeconfig")

    def pids(self):
        status = json.loads(self.run("status", "-o", "json"))
        return [node["pid"] for node in status.get("nodes") or [status]]

    def volume(self, name, size, replicas, node):
        self.api.create("volumes", "Volume", name,
                        {"size": str(size), "numberOfReplicas": replicas, "frontend": "nbd"})
        self.api.await_tickets([name])
        self.api.attach(name, node)
        self.api.await_volumes([name], "attached")
        return self.api.endpoint(name)

    def run(self, *words):
        result = subprocess.run([*self.command, *words, "--data", str(self.data)], text=True,
                                env=self.environment, stdout=subprocess.PIPE, check=False)
        if result.returncode:
            raise SystemExit(f"holdfast {' '.join(words)} failed: {result.stdout}")
        return result.stdout

    def stop(self):
        self.run("down")
