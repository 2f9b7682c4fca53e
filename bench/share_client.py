"""Runs in a virtual machine: mounts exports, measures each in turn, then writes synced records."""

import argparse
import json
import os
import pathlib
import subprocess
import threading
import time

FIO = {"sequential write": ("write", "1M"), "sequential read": ("read", "1M"),
       "random write": ("randwrite", "4k"), "random read": ("randread", "4k")}


def mount(text, options):
    name, rest = text.split("=", 1)
    source, port = rest.rsplit(":", 1)
    folder = pathlib.Path("/run") / name
    folder.mkdir()
    subprocess.run(["mount", "-t", "nfs4", "-o", f"{options},port={port}", source, folder],
                   check=True)
    own = folder / f"of-{name}"
    own.mkdir(exist_ok=True)
    return name, own


def fio(folder, mode, block, options):
    """Returns MB per second. Writes include the final fsync; reads bypass the cache."""
    flush = ["--end_fsync=1"] if "write" in mode else []
    result = subprocess.run(
        ["fio", "--name=case", f"--filename={folder}/fio", f"--size={options.size}M",
         f"--rw={mode}", f"--bs={block}", "--direct=1", "--ioengine=psync", "--time_based",
         f"--runtime={options.seconds}", *flush, "--output-format=json"],
        check=True, text=True, stdout=subprocess.PIPE)
    job = json.loads(result.stdout[result.stdout.index("{"):])["jobs"][0]
    return job["write" if "write" in mode else "read"]["bw_bytes"] / 1e6


def create_and_unlink(folder, options):
    began, count = time.monotonic(), 0
    while time.monotonic() - began < options.seconds:
        path = folder / f"file-{count}"
        path.write_bytes(b"x")
        path.unlink()
        count += 1
    return count / (time.monotonic() - began)


def records(name, folder):
    with open(folder / "records", "a") as file:
        number = 0
        while True:
            file.write(f"{number}\n")
            file.flush()
            os.fsync(file.fileno())
            print("record", name, number, sep="\t", flush=True)
            number += 1
            time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--options", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("mounts", nargs="+")
    options = parser.parse_args()
    mounted = [mount(text, options.options) for text in options.mounts]
    for number in range(options.rounds):
        order = mounted[number % len(mounted):] + mounted[:number % len(mounted)]
        for case, (mode, block) in FIO.items():
            for name, folder in order:
                print("rate", name, case, fio(folder, mode, block, options), sep="\t", flush=True)
        for name, folder in order:
            rate = create_and_unlink(folder, options)
            print("rate", name, "create and unlink", rate, sep="\t", flush=True)
    print("measured", flush=True)
    for name, folder in mounted:
        threading.Thread(target=records, args=(name, folder), daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
