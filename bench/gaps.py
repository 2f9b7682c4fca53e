"""A client that keeps requests in flight on one connection and records the longest wait."""

import multiprocessing
import random
import socket
import struct
import time

import client

BLOCK = 4096
DEPTH = 32


class GapClient:
    """Writes in a separate process, so that the measurement itself does not delay it."""

    def __init__(self, uri, size):
        self.here, there = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=work, args=(uri, size, there), daemon=True)
        self.process.start()
        self.here.recv()

    def longest(self):
        """Returns the longest gap between completions in ms and their number since the previous call."""
        self.here.send("mark")
        return self.here.recv()

    def stop(self):
        self.here.send("stop")
        self.process.join()


def work(uri, size, pipe):
    connection = client.Client(uri)
    stream = connection.socket
    places = random.Random(1)
    data = bytes(BLOCK)

    def ask(count):
        stream.sendall(b"".join(
            struct.pack(">IHHQQI", 0x25609513, 0, client.WRITE, 0,
                        places.randrange(size // BLOCK) * BLOCK, BLOCK) + data
            for _ in range(count)))

    ask(DEPTH)
    pipe.send("started")
    longest, ended, last, rest = 0.0, 0, time.monotonic(), b""
    while True:
        received = rest + stream.recv(1 << 16)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
        answers, left = divmod(len(received), 16)
        if answers == 0 and len(received) == len(rest):
            raise SystemExit(f"{uri}: the server closed the connection")
        for at in range(answers):
            error = struct.unpack_from(">I", received, at * 16 + 4)[0]
            if error:
                raise SystemExit(f"{uri}: error {error}")
        rest = received[len(received) - left:]
        ended += answers
        if pipe.poll():
            if pipe.recv() == "stop":
                stream.shutdown(socket.SHUT_RDWR)
                return
            pipe.send((longest * 1000, ended))
            longest, ended = 0.0, 0
        ask(answers)
