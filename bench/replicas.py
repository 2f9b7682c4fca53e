"""The servers in the comparison of replicated volumes: a cluster of nodes, and QEMU's quorum."""

import json
import os
import pathlib
import subprocess
import time

import servers

SIZE = 256 << 20
REPLICAS = 3


class Cluster:
    """Four nodes in separate processes: one has the engine, each of the others has a replica."""

    def __init__(self, home, work, address, tls, name="clear"):
        self.command = [str(pathlib.Path(home) / "holdfast")]
        self.data = ["--data", str(work / f"data-{name}")]
        self.environment = dict(os.environ, HOLDFAST_NO_BUILD="1")
        if not tls:
            self.environment["HOLDFAST_JAVA_OPTS"] = "-Dholdfast.replica.tls=off"
        ports = [word for key in servers.PORTS
                 for word in (f"--{key}-port", str(servers.free_port()))]
        self.run("up", "--no-demo", "--nodes", str(REPLICAS + 1), "--disks", "1",
                 "--open-frontends", "loopback", "--address", address, *ports)
        self.nodes = json.loads(self.run("status", "-o", "json"))["nodes"]
        self.pids = [node["pid"] for node in self.nodes]
        self.await_disks()

    def await_disks(self):
        for _ in range(120):
            disks = json.loads(self.run("disk", "list", "-o", "json"))["items"]
            if len(disks) == len(self.nodes):
                return
            time.sleep(0.5)
        raise SystemExit("not all nodes of the cluster show their disk")

    def volume(self, name, replicas, work):
        """Creates a volume and attaches it to a node without a replica. Returns its URI."""
        self.run("volume", "create", name, "--size", str(SIZE), "--replicas", str(replicas),
                 "--wait")
        resource = json.loads(self.run("volume", "get", name, "-o", "json"))
        near = {replica["nodeID"] for replica in resource["status"]["replicas"]}
        engine = next(node["name"] for node in self.nodes if node["name"] not in near)
        self.run("volume", "attach", name, "--node", engine)
        uri = self.run("volume", "endpoint", name, "--remote").strip()
        image = servers.filled(work / "fill.img", SIZE)
        subprocess.run(["qemu-img", "convert", "-n", "-S", "0", "-f", "raw", "-O", "raw",
                        str(image), uri], check=True)
        image.unlink()
        return uri

    def run(self, *words):
        result = subprocess.run([*self.command, *words, *self.data], text=True,
                                env=self.environment, stdout=subprocess.PIPE, check=False)
        if result.returncode:
            raise SystemExit(f"holdfast {' '.join(words)} failed: {result.stdout}")
        return result.stdout

    def stop(self):
        self.run("down")


class Volume:
    """A volume of a cluster. Its CPU time is that of all nodes."""

    def __init__(self, name, cluster, replicas, work):
        self.name = name
        self.size = SIZE
        self.pids = cluster.pids
        self.uri = cluster.volume(name, replicas, work)

    def stop(self):
        """Does nothing, because the cluster stops the volume."""


class Quorum:
    """qemu-storage-daemon that writes to three nbdkit servers and reads from the first of them."""

    name = "quorum"
    size = SIZE

    def __init__(self, work):
        self.children = [servers.Peer(f"child-{i}", servers.NBDKIT_COMMAND, work, SIZE)
                         for i in range(REPLICAS)]
        port = servers.free_port()
        words = ["qemu-storage-daemon"]
        quorum = "driver=quorum,node-name=q,vote-threshold=2,read-pattern=fifo"
        for index, child in enumerate(self.children):
            words += ["--blockdev", f"driver=nbd,node-name=r{index},server.type=inet,"
                      f"server.host=127.0.0.1,server.port={child.port}"]
            quorum += f",children.{index}=r{index}"
        words += ["--blockdev", quorum,
                  "--nbd-server", f"addr.type=inet,addr.host=127.0.0.1,addr.port={port}",
                  "--export", "type=nbd,id=e,node-name=q,name=q,writable=on"]
        self.process = subprocess.Popen(["taskset", "-c", servers.SERVER_CORE, *words])
        self.pids = [self.process.pid, *(child.pids[0] for child in self.children)]
        self.uri = f"nbd://127.0.0.1:{port}/q"
        servers.await_port(port, self.process)

    def stop(self):
        self.process.kill()
        self.process.wait()
        for child in self.children:
            child.stop()
