"""Volumes on backing images compared with volumes with their own data, and conversion compared with qemu-img."""

import argparse
import collections
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import time

import client
import nbd
import node
import placements
import report
import servers

PIECE = 1 << 20
IMAGE = "base"
STORED = 10
GOALS = {"speed": 1.0, "CPU": 1.0, "create": 1.2, "read": 1.05}
PATIENCE = 600
# Pause between API requests in seconds. Each request costs CPU time of the node, which the measurement
# includes.
LOOK = 0.1
CASES = nbd.CASES[:2]
Served = collections.namedtuple("Served", "name uri pids size")
Conversion = collections.namedtuple("Conversion", "seconds cpu peer peer_cpu hash_cpu")


def qemu_img(*words):
    subprocess.run(["qemu-img", *map(str, words)], check=True)


def prepare(work, size):
    """Creates a raw image and a qcow2 image with the same content. The second half of each MiB is a hole."""
    raw, qcow2 = work / "image.raw", work / "image.qcow2"
    with open(raw, "wb") as file:
        file.truncate(size)
        for at in range(0, size, PIECE):
            file.seek(at)
            file.write(os.urandom(PIECE // 2))
    qemu_img("convert", "-O", "qcow2", raw, qcow2)
    return raw, qcow2


def until(what, condition, pause=0.02):
    """Returns the time at which a condition first holds. Checks it after each pause."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"{what}: not within {PATIENCE} s")
        time.sleep(pause)
    return time.monotonic()


def files(nodes, name):
    manager = [one.get("status", {}).get("backingImageFileMap", {}).get(name, {})
               for one in nodes.api.items("backingimagemanagers")]
    return [one for one in manager if one]


def conversion(nodes, name, qcow2, size, work):
    """Measures the node from the delivered file to the complete base, and qemu-img with the same file."""
    upload = subprocess.Popen(
        [*nodes.command, "image", "upload", name, str(qcow2), "--data", str(nodes.data)],
        env=nodes.environment, stdout=subprocess.DEVNULL)
    pids = nodes.pids()
    began = until("the delivery", lambda: any(one.get("state") in ("in-progress", "ready")
                                              for one in files(nodes, name)), LOOK)
    before = nbd.cpu_seconds(pids)
    ended = until("the image", lambda: any(one.get("state") == "ready"
                                           for one in files(nodes, name)), LOOK)
    used = nbd.cpu_seconds(pids) - before
    upload.wait()
    target = work / "target.raw"
    with open(target, "wb") as file:
        file.truncate(size)
    peer = timed(["qemu-img", "convert", "-n", "-O", "raw", str(qcow2), str(target)])
    checksum = timed(["sha256sum", str(target)])
    target.unlink()
    return Conversion(ended - began, used, *peer, checksum[1])


def timed(words):
    """Runs a program. Returns its elapsed seconds and its CPU seconds."""
    began, before = time.monotonic(), os.times()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return (time.monotonic() - began, after.children_user + after.children_system
            - before.children_user - before.children_system)


def created(nodes, name, size, image):
    """Returns the seconds until a new volume with one replica is attached."""
    began = time.monotonic()
    nodes.api.create("volumes", "Volume", name,
                     {"size": str(size), "numberOfReplicas": 1, "frontend": "nbd",
                      **({"backingImage": image} if image else {})})
    # The waits of Api check once a second, which is longer than the measured time.
    until(name, lambda: state(nodes, name) == "detached" and any(
        one["metadata"]["name"] == name for one in nodes.api.items("volumeattachments")))
    nodes.api.attach(name, "node-1")
    return until(name, lambda: state(nodes, name) == "attached") - began


def state(nodes, volume):
    return nodes.api.call("GET", f"volumes/{volume}").get("status", {}).get("state")


def allocated(folder):
    """Returns the number of image files below a folder and the bytes that they occupy."""
    found = [path for path in folder.rglob("backing") if path.is_file()]
    return len(found), sum(path.stat().st_blocks * 512 for path in found)


def reads(nodes, raw, options, size):
    """Measures reads of a volume on an image and of a volume with its own copy of the same data."""
    created(nodes, "own", size, None)
    own = nodes.api.endpoint("own")
    writer = client.Client(own)
    with open(raw, "rb") as file:
        for at in range(0, size, PIECE):
            writer.write(at, file.read(PIECE // 2))
            file.seek(PIECE // 2, os.SEEK_CUR)
    writer.flush()
    writer.close()
    order = [Served("image", nodes.api.endpoint("of-image-0"), nodes.pids(), size),
             Served("own", own, nodes.pids(), size)]
    placements.pin(nodes.pids(), servers.SERVER_CORE)
    nbd.warm_up(order, options)
    return nbd.medians(nbd.measure(order, options))


def table(conversions, times, stored, read, options, size):
    ratio = [statistics.median(values) for values in
             ([one.peer / one.seconds for one in conversions],
              [one.cpu / one.peer_cpu for one in conversions],
              [one.cpu / (one.peer_cpu + one.hash_cpu) for one in conversions])]
    lines = [
        "# Backing images", "", f"`{('./holdfast bench images ' + ' '.join(sys.argv[5:])).strip()}`",
        "", f"An image of {size >> 20} MiB, half of it holes, on a node with one disk, files on tmpfs,"
        f" {os.cpu_count()} cores for all, Linux {platform.release()}; medians. Load of the machine"
        f" at the end: {os.getloadavg()[0]:.1f}. *Conversion* is from a delivered qcow2 file to the"
        " complete copy, with its checksum, beside `qemu-img convert -n` of the same file; `sha256sum`"
        " then reads what that wrote. *Creation* of a volume of an image took"
        f" {statistics.median(times['image']):.1f} s.", "",
        "| | measured | goal |", "|---|---|---|",
        f"| conversion: speed to qemu-img | {ratio[0]:.2f} | ≥ {GOALS['speed']} |",
        f"| conversion: CPU of the node to qemu-img | {ratio[1]:.2f} | ≤ {GOALS['CPU']} |",
        f"| conversion: CPU of the node to qemu-img and sha256sum | {ratio[2]:.2f} | |",
        f"| {STORED} volumes on one disk: files of the image | {stored[0]} | 1 |",
        f"| their bytes on the disk, to those of the data | {stored[1] / (size / 2):.2f} | ≤ 1.05 |",
        "| creation and attachment of a volume, to an empty one"
        f" | {statistics.median(times['image']) / statistics.median(times['empty']):.2f}"
        f" | ≤ {GOALS['create']} |"]
    for case in CASES:
        own, image = (read["unbatched", case, name] for name in ("own", "image"))
        lines.append(f"| {report.label(case)}: CPU through the image, to own data"
                     f" | {image.cpu / own.cpu:.2f} | ≤ {GOALS['read']} |")
    return "\n".join([*lines, ""])


def main():
    parser = argparse.ArgumentParser(prog="holdfast bench images")
    parser.add_argument("--home", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each measurement of reads")
    parser.add_argument("--size", type=int, default=1024, help="of the image, in MiB")
    parser.add_argument("--results", type=pathlib.Path, help="folder for images.md")
    options = parser.parse_args()
    options.cases, options.clients = CASES, ["unbatched"]
    # Exit by SystemExit when bench/run sends SIGTERM, so that the servers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options.results = options.results or options.home / "bench" / "results"
    size = options.size << 20
    raw, qcow2 = prepare(options.work, size)
    nodes = node.Nodes(options.home, options.work)
    try:
        conversions = []
        for number in range(options.rounds):
            name = IMAGE if number == 0 else f"{IMAGE}-{number}"
            conversions.append(conversion(nodes, name, qcow2, size, options.work))
            print(conversions[-1], flush=True)
            if number:
                nodes.run("image", "delete", name)
        times = collections.defaultdict(list)
        for number in range(STORED):
            for kind, image in (("image", IMAGE), ("empty", None)):
                times[kind].append(created(nodes, f"of-{kind}-{number}", size, image))
        stored = allocated(nodes.data)
        read = reads(nodes, raw, options, size)
    finally:
        nodes.stop()
    text = table(conversions, times, stored, read, options, size)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "images.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
