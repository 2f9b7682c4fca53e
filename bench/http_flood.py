"""Effect of hostile clients of a node's API on other clients: refused floods, and clients that stop halfway."""

import asyncio
import collections
import concurrent.futures
import contextlib
import multiprocessing
import resource
import ssl
import threading
import time
import urllib.parse
import urllib.request

import client
import http_load
import nbd

QUIET_WITHIN = 10
SOURCES = 8
BLOCK = 4096
VOLUME = 64 << 20
HALF_HANDSHAKE, HALF_HEADER = b"\x16", b"GET /livez HTTP/1.1\r\nA: "

Noticed = collections.namedtuple("Noticed", "longest listed blocks seconds")


def insecure():
    return ssl._create_unverified_context()


def liveness(api, ended):
    """Requests /livez until the end. Returns the longest time in seconds."""
    longest = 0.0
    while not ended.is_set():
        began = time.monotonic()
        with urllib.request.urlopen(f"{api.server}/livez", context=insecure(), timeout=30) as answer:
            answer.read()
        longest = max(longest, time.monotonic() - began)
        ended.wait(0.05)
    return longest


def verified(connection, ended):
    """Writes blocks and reads each back until the end. Returns their number."""
    count = 0
    while not ended.is_set():
        offset = count * BLOCK % VOLUME
        data = count.to_bytes(8, "big") * (BLOCK // 8)
        connection.write(offset, data)
        connection.ask(client.READ, offset, BLOCK)
        if connection.take(BLOCK) != data:
            raise SystemExit(f"the block at {offset} has other content than was written")
        count += 1
    return count


def listed(api, ended):
    """Lists the volumes until the end. Returns the number of lists. A refusal ends the measurement."""
    count = 0
    while not ended.is_set():
        api.items("volumes")
        count += 1
        ended.wait(1)
    return count


def watch_others(nodes, connection, seconds):
    """Uses the node as normal clients do for `seconds`."""
    ended = threading.Event()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = [pool.submit(liveness, nodes.api, ended), pool.submit(listed, nodes.api, ended),
                   pool.submit(verified, connection, ended)]
        began = time.monotonic()
        # Return early when a client fails.
        concurrent.futures.wait(waiting, seconds, concurrent.futures.FIRST_EXCEPTION)
        ended.set()
        longest, lists, blocks = (each.result() for each in waiting)
    return Noticed(longest, lists, blocks, time.monotonic() - began)


async def slow_client(server, source, text, tls):
    """Connects, sends incomplete data and waits until the server closes the connection. Repeats
    this without end."""
    while True:
        try:
            reader, writer = await asyncio.open_connection(server.hostname, server.port, ssl=tls, local_addr=(source, 0))
            with contextlib.closing(writer):
                writer.write(text)
                await reader.read()
        except OSError:
            pass
        await asyncio.sleep(0.2)


def slow_clients(address, count):
    """Runs `count` clients from several addresses. One half sends half a handshake, the other half a header."""
    server = urllib.parse.urlsplit(address)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

    async def run():
        tls = insecure()
        await asyncio.gather(*(
            slow_client(server, f"127.0.9.{1 + number % SOURCES}", *(
                (HALF_HANDSHAKE, None) if number % 2 else (HALF_HEADER, tls))) for number in range(count)))

    asyncio.run(run())


def is_quiet(pid):
    """Returns the share of a core that a process uses 10 s after a flood."""
    time.sleep(QUIET_WITHIN)
    before = nbd.cpu_seconds([pid])
    time.sleep(2)
    return (nbd.cpu_seconds([pid]) - before) / 2


def slow(nodes, pid, count, seconds):
    """Yields the effect of slow and half-open clients on other clients."""
    connection = client.Client(nodes.volume("flooded", VOLUME, 1, "node-1"))
    without = watch_others(nodes, connection, max(5, seconds // 10))
    clients = multiprocessing.Process(target=slow_clients, args=(nodes.api.server, count), daemon=True)
    clients.start()
    try:
        noticed = watch_others(nodes, connection, seconds)
    finally:
        clients.terminate()
        clients.join()
        connection.close()
    ratio = (noticed.blocks / noticed.seconds) / (without.blocks / without.seconds)
    yield (f"With {count} slow and half-open clients from {SOURCES} addresses for {noticed.seconds:.0f} s the liveness took "
           f"at most {noticed.longest:.2f} s ({without.longest:.2f} s without them), the volumes were listed {noticed.listed} times, and "
           f"{noticed.blocks} blocks were written and read back, {ratio:.2f} of the rate without them. "
           f"{QUIET_WITHIN} s later the node used {100 * is_quiet(pid):.0f} % of a core.")


def flood(nodes, pid, count):
    """Yields the effect of clients without a credential that send as fast as they can."""
    ended = threading.Event()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = pool.submit(liveness, nodes.api, ended)
        counting = pool.submit(listed, nodes.api, ended)
        answered, refused, seconds, _ = http_load.h2load(
            f"{nodes.api.server}/apis/holdfast.dev/v1/volumes", ["-c", "40", "-m", "50"], count)
        ended.set()
        longest, lists = waiting.result(), counting.result()
    if answered:
        raise SystemExit(f"{answered} requests without a credential were answered")
    yield (f"Under a flood of {refused} refused requests in {seconds:.1f} s the liveness took at most {longest:.2f} s, and the "
           f"volumes were listed {lists} times. {QUIET_WITHIN} s later the node used {100 * is_quiet(pid):.0f} % of a core.")
