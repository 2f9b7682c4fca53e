"""Load on HTTP servers by h2load, and the CPU time that the servers use for it."""

import collections
import re
import subprocess

import nbd

# Both protocols have the same number of requests in flight.
PROTOCOLS = {"HTTP/1.1": ["--h1", "-c", "16"], "HTTP/2": ["-c", "4", "-m", "4"]}
SCALE = {"us": 0.001, "ms": 1, "s": 1000}

Load = collections.namedtuple("Load", "cpu rate mean answered refused")


def value(text, pattern):
    """Returns a time from the output of h2load in ms."""
    found = re.search(pattern + r"([\d.]+)(us|ms|s)\b", text)
    return float(found[1]) * SCALE[found[2]]


def h2load(address, options, count, headers=()):
    """Sends `count` requests by h2load. Returns the number of 2xx answers and of other answers, the
    seconds, and the mean time in ms."""
    # Limit the number instead of the time: with a time limit, h2load 1.52 may wait for HTTP/1.1 without end.
    words = ["h2load", "-n", str(count), *options]
    for header in headers:
        words += ["-H", header]
    text = subprocess.run([*words, address], check=True, text=True, stdout=subprocess.PIPE).stdout
    counts = [int(found) for found in re.search(
        r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", text).groups()]
    mean = value(text, r"time for request:\s+\S+\s+\S+\s+")
    return counts[0], sum(counts[1:]), value(text, "finished in ") / 1000, mean


def measure(pid, address, options, count, headers=()):
    """Returns the CPU time per answered request in us, the rate, the mean time in ms, answers and refusals."""
    before = nbd.cpu_seconds([pid])
    answered, refused, seconds, mean = h2load(address, options, count, headers)
    cpu = (nbd.cpu_seconds([pid]) - before) * 1e6 / max(1, answered)
    return Load(cpu, answered / seconds, mean, answered, refused)


def best(loads):
    """Returns the load with the least CPU time, because other work on the machine disturbed it least."""
    return min(loads)
