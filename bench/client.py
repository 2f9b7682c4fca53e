"""A small NBD client: fixed newstyle, simple replies, one request at a time."""

import itertools
import socket
import struct
import time
import urllib.parse

OPTION_MAGIC = 0x49484156454F5054
OPTION_GO, REPLY_ACK = 7, 1
READ, WRITE, FLUSH = 0, 1, 3


class Client:
    def __init__(self, uri):
        parts = urllib.parse.urlparse(uri)
        if parts.scheme == "nbd+unix":
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(urllib.parse.parse_qs(parts.query)["socket"][0])
        else:
            self.socket = socket.create_connection((parts.hostname, parts.port))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.take(18)
        export = parts.path.lstrip("/").encode()
        self.socket.sendall(struct.pack(">IQIII", 3, OPTION_MAGIC, OPTION_GO, len(export) + 6,
                                        len(export)) + export + b"\0\0")
        while True:
            _, _, kind, length = struct.unpack(">QIII", self.take(20))
            self.take(length)
            if kind == REPLY_ACK:
                return
            if kind & 0x80000000:
                raise SystemExit(f"{uri}: refused with {kind:x}")

    def take(self, length):
        data = bytearray()
        while len(data) < length:
            more = self.socket.recv(length - len(data))
            if not more:
                raise SystemExit("the server closed the connection")
            data += more
        return bytes(data)

    def ask(self, kind, offset, length, data=b""):
        self.socket.sendall(struct.pack(">IHHQQI", 0x25609513, 0, kind, 1, offset, length) + data)
        error = struct.unpack(">IIQ", self.take(16))[1]
        if error:
            raise SystemExit(f"request {kind} at {offset}: error {error}")

    def write(self, offset, data):
        self.ask(WRITE, offset, len(data), data)

    def load(self, size, length, depth, seconds):
        """Alternates writes and reads with `depth` requests in flight. Returns the number of requests."""
        end = time.monotonic() + seconds
        places = itertools.cycle(range(0, size - length + 1, length))
        data = bytes(length)
        kinds = {}

        def send(handle):
            kinds[handle] = (READ, WRITE)[handle % 2]
            self.socket.sendall(
                struct.pack(">IHHQQI", 0x25609513, 0, kinds[handle], handle, next(places), length)
                + (data if kinds[handle] == WRITE else b""))

        for handle in range(depth):
            send(handle)
        sent = depth
        while kinds:
            _, error, handle = struct.unpack(">IIQ", self.take(16))
            if error:
                raise SystemExit(f"request {handle}: error {error}")
            if kinds.pop(handle) == READ:
                self.take(length)
            if time.monotonic() < end:
                send(sent)
                sent += 1
        return sent

    def flush(self):
        self.ask(FLUSH, 0, 0)

    def close(self):
        self.socket.close()
