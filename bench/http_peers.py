"""The HTTP server of a node compared with its predecessor, the JDK's server. Both send the same
answers, in alternating runs."""

import contextlib
import os
import pathlib
import subprocess

import http_load

PASSWORD = "changeit"
JARS = ("holdfast-http-server", "netty-*", "slf4j-api", "slf4j-simple")
BODY = 1 << 20


def class_path(home):
    assembly = pathlib.Path(home) / "karaf-assembly" / "target" / "assembly"
    return ":".join(str(jar) for name in JARS for jar in sorted(assembly.rglob(f"{name}-*.jar")))


class Peer:
    def __init__(self, server, classes, keys):
        java = pathlib.Path(os.environ["JAVA_HOME"]) / "bin" / "java"
        self.process = subprocess.Popen(
            [str(java), "-Xmx256m", "-cp", classes, "HttpPeers", server, str(keys), PASSWORD],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = f"https://127.0.0.1:{int(self.process.stdout.readline())}"

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)


def prepare(home, work):
    """Creates a certificate and compiles the classes. Returns the class path and the file of the certificate."""
    java = pathlib.Path(os.environ["JAVA_HOME"]) / "bin"
    keys, classes = work / "peers.p12", work / "peers"
    subprocess.run(
        [str(java / "keytool"), "-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1", "-alias", "peer", "-dname",
         "CN=localhost", "-keystore", str(keys), "-storetype", "PKCS12", "-storepass", PASSWORD], check=True)
    jars = class_path(home)
    subprocess.run(
        [str(java / "javac"), "-d", str(classes), "-cp", jars, str(pathlib.Path(__file__).with_name("HttpPeers.java"))],
        check=True)
    return f"{classes}:{jars}", keys


def cases(work):
    """Returns path, options of h2load and number of requests by the name of the case."""
    body = work / "body"
    body.write_bytes(b"x" * BODY)
    return {"small read": ("small", [], 4000), "table of 500 rows": ("table", [], 1000),
            "read of 1 MiB": ("large", [], 200), "write of 1 MiB": ("body", ["-d", str(body)], 200)}


def rows(home, work, rounds, share):
    """Yields the best round of each case for the JDK's server and for the node's server with both protocols."""
    classes, keys = prepare(home, work)
    with contextlib.ExitStack() as stack:
        peers = {}
        for server in ("jdk", "netty"):
            peers[server] = Peer(server, classes, keys)
            stack.callback(peers[server].close)
        ways = [("jdk", "HTTP/1.1"), ("netty", "HTTP/1.1"), ("netty", "HTTP/2")]
        for case, (path, options, count) in cases(work).items():
            loads = {way: [] for way in ways}
            # The first round is the warm-up.
            for number in range(rounds + 1):
                for server, protocol in ways:
                    peer = peers[server]
                    load = http_load.measure(peer.process.pid, f"{peer.address}/{path}",
                                             [*http_load.PROTOCOLS[protocol], *options], int(count * share))
                    if load.refused or not load.answered:
                        raise SystemExit(f"{case}: {server} by {protocol}: {load}")
                    if number:
                        loads[server, protocol].append(load)
            former = http_load.best(loads[ways[0]])
            for server, protocol in ways:
                load = http_load.best(loads[server, protocol])
                yield case, server, protocol, load, load.cpu / former.cpu, max(
                    each.rate for each in loads[server, protocol]) / max(each.rate for each in loads[ways[0]])
