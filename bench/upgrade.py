"""Longest wait of a client while bundles are replaced, and the heap that the replacements leave occupied."""

import argparse
import math
import os
import pathlib
import platform
import re
import signal
import statistics
import subprocess
import sys
import zipfile

import gaps
import node
import volumes

SIZE = 64 << 20
SETTLED = 10
PROBATION = 1
STOPS = "stops.log"
KINDS = {"frontend nbd": "holdfast-frontend-nbd", "engine sparse": "holdfast-engine-sparse",
         "attacher csi": "holdfast-attacher-csi"}
WAYS = ("nothing", "holdfast upgrade", "bundle:update", "stop and start")


class Versions:
    """Copies of a bundle of the distribution with further version numbers and the same code."""

    def __init__(self, home, work, artifact):
        system = home if (home / "system").exists() else home / "karaf-assembly/target/assembly"
        self.jar = next((system / "system/dev/holdfast" / artifact).glob("*/*.jar"))
        self.work = work
        self.name = self.header("Bundle-SymbolicName")
        self.original = self.header("Bundle-Version")
        self.count = 0

    def header(self, name):
        with zipfile.ZipFile(self.jar) as jar:
            text = jar.read("META-INF/MANIFEST.MF").decode().replace("\r\n ", "").replace("\n ", "")
        return re.search(rf"(?m)^{name}: ([^;\r\n]+)", text)[1]

    def next(self):
        self.count += 1
        version = f"90.0.{self.count}"
        path = self.work / f"{self.name}-{version}.jar"
        with zipfile.ZipFile(self.jar) as old, zipfile.ZipFile(path, "w") as new:
            for entry in old.infolist():
                content = old.read(entry)
                if entry.filename == "META-INF/MANIFEST.MF":
                    content = re.sub(rb"(?m)^Bundle-Version: .*$",
                                     b"Bundle-Version: " + version.encode(), content)
                new.writestr(entry, content)
        return path


class Stops:
    """Pauses in which the node's JVM stopped all its threads, read from the log of the JVM."""

    TOTAL = re.compile(r"Total: +(\d+) ns")

    def __init__(self, log):
        self.log = log
        self.seen = 0

    def longest(self):
        """Returns the longest pause in ms since the previous call."""
        with open(self.log, encoding="utf-8") as log:
            log.seek(self.seen)
            told = log.read()
            self.seen = log.tell()
        return max((int(total) / 1e6 for total in self.TOTAL.findall(told)), default=0.0)


class Busy:
    """Load on every core, which simulates other work of the machine."""

    def __init__(self):
        self.loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"])
                      for _ in range(os.cpu_count() or 1)]

    def stop(self):
        for loop in self.loops:
            loop.kill()
            loop.wait()


def identifier(nodes, name):
    listed = nodes.run("shell", "bundle:list -t 0 -s --no-format")
    return next(line.split()[0] for line in listed.splitlines()
                if line.split()[-1:] == [name] and line.split()[0].isdigit())


def replace(nodes, versions, way):
    bundle = identifier(nodes, versions.name)
    if way == "nothing":
        return
    if way == "holdfast upgrade":
        nodes.run("upgrade", str(versions.next()))
    elif way == "bundle:update":
        nodes.run("shell", f"bundle:update {bundle} file:{versions.next()}")
    else:
        nodes.run("shell", f"bundle:stop {bundle}; bundle:start {bundle}")


def measure(nodes, options, work):
    stops = Stops(work / STOPS)
    load = gaps.GapClient(nodes.volume("measured", SIZE, 1, "node-1"), SIZE)
    pid = nodes.pids()[0]
    rows, heaps, done = [], {}, 0
    for kind in options.kinds:
        artifact = KINDS[kind]
        versions = Versions(options.home, work, artifact)
        for way in options.ways:
            found = []
            for _ in range(options.rounds):
                load.longest()
                stops.longest()
                replace(nodes, versions, way)
                found.append((*load.longest(), stops.longest()))
                done += way != "nothing"
                if done == SETTLED and way != "nothing":
                    heaps[done] = volumes.figures(pid).heap
            longest = sorted(gap for gap, _, _ in found)
            rate = statistics.median(ended for _, ended, _ in found)
            stop = max(stop for _, _, stop in found)
            rows.append(f"| {kind} | {way} | {len(longest)} | {statistics.median(longest):.0f}"
                        f" | {longest[math.ceil(len(longest) * 0.99) - 1]:.0f} | {longest[-1]:.0f} | {stop:.0f} | {rate:.0f} |")
            print(rows[-1], flush=True)
    heaps[done] = volumes.figures(pid).heap
    load.stop()
    return rows, heaps


def some_of(known):
    """Returns a parser of names that are separated by commas."""
    def names(text):
        for name in text.split(","):
            if name not in known:
                raise argparse.ArgumentTypeError(f'unknown: "{name}"; there are {", ".join(known)}')
        return text.split(",")
    return names


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench upgrade")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=20)
    for option, known in ("--kinds", KINDS), ("--ways", WAYS):
        parser.add_argument(option, type=some_of(known), default=list(known), help="of them: " + ", ".join(known))
    parser.add_argument("--idle", action="store_true", help="nothing else runs on the machine")
    parser.add_argument("--results", type=pathlib.Path, help="folder for upgrade.md")
    options = parser.parse_args()
    # Exit by SystemExit when bench/run sends SIGTERM, so that the servers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    nodes = node.Nodes(options.home, options.work,
                       java=f"{os.environ.get('HOLDFAST_JAVA_OPTS', '')}"
                       f" -Dholdfast.upgrade.probation.seconds={PROBATION}"
                       f" -Xlog:safepoint:file={options.work / STOPS}")
    busy = None if options.idle else Busy()
    try:
        rows, heaps = measure(nodes, options, options.work)
    finally:
        if busy:
            busy.stop()
        nodes.stop()
    kept = ", ".join(f"{heap} KiB after {count}" for count, heap in heaps.items())
    beside = "nothing else runs" if options.idle else f"{os.cpu_count()} endless loops run beside"
    text = "\n".join([
        "# Replacing bundles under I/O", "", f"`./holdfast bench upgrade {' '.join(sys.argv[5:])}`", "",
        f"One client with {gaps.DEPTH} writes of 4 KiB under way on one connection, volume of one"
        f" replica, files on tmpfs, {os.cpu_count()} cores, {beside}, Linux {platform.release()}, load"
        f" {os.getloadavg()[0]:.1f} at the end. The longest gap between two completions, in ms, from"
        " before the command until it has ended; *nothing* is a command that only lists bundles. The"
        " JVM's stop is the longest time in that period for which the JVM stopped all threads,"
        " including garbage collections."
        f" Heap after a full collection: {kept} replacements.", "",
        "| bundle | way | times | p50 | p99 | longest | JVM's stop | writes in that time |",
        "|---" * 8 + "|",
        *rows, ""])
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "upgrade.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
