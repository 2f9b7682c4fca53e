"""A share compared with a plain NFS-Ganesha with the same configuration on the same filesystem."""

import argparse
import collections
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

import node
import servers

NAME = "files"
GATEWAY = "10.0.2.2"
OPTIONS = "vers=4.1,noresvport,hard,timeo=600,retrans=5,retry=0"
GOALS = {"speed": 0.97, "outage": 1.3, "seconds": 5}
CASES = ("sequential write", "sequential read", "random write", "random read", "create and unlink")
LONGEST = 120
BUS = """<busconfig><type>session</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/>
<allow receive_sender="*"/></policy></busconfig>
"""


class Share:
    """The share of a volume of a node. The node restarts its server."""

    def __init__(self, nodes, size):
        self.name = "share"
        self.nodes = nodes
        nodes.run("volume", "create", NAME, "--size", str(size), "--replicas", "1",
                  "--access-mode", "rwx")
        nodes.run("share", NAME, "--allow", "127.0.0.0/8")
        shown = json.loads(nodes.run("share", "get", NAME, "-o", "json"))
        self.port = shown["spec"]["port"]
        self.path = f"/{NAME}"
        self.folder = nodes.data / "share-nfs" / "shares" / NAME

    def kill(self):
        os.kill(process(self.folder / "ganesha.conf"), signal.SIGKILL)


class Bare:
    """Ganesha with a copy of the share's configuration. This program restarts it."""

    def __init__(self, share, work):
        self.name = "bare"
        self.port = servers.free_port()
        self.path = "/bare"
        self.work = work
        (work / "krb5").mkdir(parents=True)
        (work / "recovery").mkdir()
        text = (share.folder / "ganesha.conf").read_text()
        for key, value in (("NFS_Port", self.port), ("Pseudo", f'"{self.path}"'),
                           ("RecoveryRoot", f'"{work}/recovery"'), ("CCacheDir", f'"{work}/krb5"')):
            text, changes = re.subn(rf"\b{key}\s*=\s*[^;]+;", f"{key} = {value};", text)
            if changes != 1:
                raise SystemExit(f"{share.folder}/ganesha.conf: {changes} times {key}")
        (work / "ganesha.conf").write_text(text)
        (work / "bus.conf").write_text(BUS.format(socket=work / "bus"))
        self.bus = subprocess.Popen(["dbus-daemon", f"--config-file={work}/bus.conf", "--nofork"])
        until("the bus", (work / "bus").exists)
        self.start()

    def start(self):
        environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={self.work}/bus")
        self.server = subprocess.Popen(
            ["ganesha.nfsd", "-F", "-f", self.work / "ganesha.conf", "-L", self.work / "log",
             "-p", self.work / "pid"], env=environment)
        servers.await_port(self.port, self.server)

    def kill(self):
        self.server.kill()
        self.server.wait()
        self.start()

    def stop(self):
        for one in (self.server, self.bus):
            one.kill()
            one.wait()


def process(configuration):
    """Returns the PID of the server that runs with a configuration."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"ganesha" in words[0] and os.fsencode(configuration) in words:
            return int(folder.name)
    raise SystemExit(f"no server runs with {configuration}")


def until(what, condition):
    end = time.monotonic() + LONGEST
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"{what}: not within {LONGEST} s")
        time.sleep(0.02)


class Client:
    """A virtual machine whose kernel's NFS client mounts both exports. It prints its results."""

    def __init__(self, home, both, options):
        mounts = [f"{one.name}={GATEWAY}:{one.path}:{one.port}" for one in both]
        self.process = subprocess.Popen(
            [home / "libexec" / "vm", "-M", "nfsv4", "-t", "3600", "--", sys.executable,
             home / "bench" / "share_client.py", "--options", OPTIONS,
             "--seconds", str(options.seconds), "--rounds", str(options.rounds),
             "--size", str(options.file), *mounts],
            text=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.rates = collections.defaultdict(list)
        self.records = collections.defaultdict(list)
        self.measured = threading.Event()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            words = line.strip().split("\t")
            if words[0] == "rate":
                self.rates[words[1], words[2]].append(float(words[3]))
                print(line.strip(), flush=True)
            elif words[0] == "measured":
                self.measured.set()
            elif words[0] == "record":
                self.records[words[1]].append(time.monotonic())
        self.measured.set()

    def await_records(self, name, count):
        wanted = len(self.records[name]) + count
        until(f"records of {name}", lambda: self.alive() and len(self.records[name]) >= wanted)

    def alive(self):
        if self.process.poll() is not None:
            raise SystemExit(f"the client ended with {self.process.returncode}")
        return True

    def outage(self, server):
        """Kills the server. Returns the longest time in seconds during which no record was written."""
        self.await_records(server.name, 5)
        first = len(self.records[server.name]) - 1
        server.kill()
        self.await_records(server.name, 20)
        times = self.records[server.name][first:]
        return max(later - earlier for earlier, later in zip(times, times[1:]))

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.reader.join()


def table(rates, outages, options):
    lines = [
        "# Shares", "", f"`{('./holdfast bench share ' + ' '.join(sys.argv[5:])).strip()}`", "",
        "The share of a volume with one replica beside a bare NFS-Ganesha with a copy of its"
        " configuration, which exports the same filesystem. The client is a kernel in a virtual"
        f" machine (NFS 4.1, `hard`). Node, servers and client share {os.cpu_count()} cores. Linux"
        f" {platform.release()}; medians of {options.rounds} rounds of {options.seconds} s each. Load of"
        f" the machine at the end: {os.getloadavg()[0]:.1f}.", "",
        "| | share | bare | ratio | goal |", "|---|---|---|---|---|"]
    for case in CASES:
        share, bare = (statistics.median(rates[name, case]) for name in ("share", "bare"))
        unit = "per second" if case == CASES[-1] else "MB/s"
        lines.append(f"| {case}, {unit} | {share:.1f} | {bare:.1f} | {share / bare:.2f}"
                     f" | ≥ {GOALS['speed']} |")
    share, bare = (statistics.median(outages[name]) for name in ("share", "bare"))
    lines.append(f"| outage of a killed server, s | {share:.1f} | {bare:.1f} | {share / bare:.2f}"
                 f" | ≤ {GOALS['outage']}; share < {GOALS['seconds']} s |")
    lines += ["", "The node restarts the server of the share; the benchmark restarts the bare one at"
              " once. An outage is the longest time between two synced records, "
              + "; ".join(f"{name}: " + ", ".join(f"{one:.1f}" for one in outages[name])
                          for name in ("share", "bare")) + " s.", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench share")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--file", type=int, default=64, help="MiB that each measurement uses")
    parser.add_argument("--kills", type=int, default=3, help="of each server")
    parser.add_argument("--results", type=pathlib.Path, help="folder for share.md")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    nodes = node.Nodes(options.home, options.work)
    started = []
    try:
        share = Share(nodes, max(512, 8 * options.file) << 20)
        bare = Bare(share, options.work / "bare")
        started.append(bare)
        client = Client(options.home, (share, bare), options)
        started.append(client)
        until_measured(client, options)
        outages = collections.defaultdict(list)
        for _ in range(options.kills):
            for server in (share, bare):
                outages[server.name].append(client.outage(server))
                print(server.name, outages[server.name][-1], flush=True)
            # The node would move the share at the fourth restart in place within a minute.
            time.sleep(25)
    finally:
        for one in reversed(started):
            one.stop()
        nodes.run("share", "stop", NAME, "--force")
        nodes.stop()
        shutil.rmtree(options.work / "bare", ignore_errors=True)
    text = table(client.rates, outages, options)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "share.md").write_text(text)
    print(text)


def until_measured(client, options):
    limit = LONGEST + 20 * options.rounds * (options.seconds + 10)
    if not client.measured.wait(limit) or not client.alive():
        raise SystemExit(f"the client did not measure within {limit:.0f} s")


if __name__ == "__main__":
    main()
