"""Client of a node's API with the address and token of its kubeconfig: lists, creates, patches and
deletes resources."""

import base64
import json
import ssl
import time
import urllib.request

GROUP = "apis/holdfast.dev/v1"


class Api:
    def __init__(self, kubeconfig):
        config = json.loads(kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.server = cluster["server"]
        self.token = config["users"][0]["user"]["token"]
        self.tls = ssl.create_default_context(cadata=authority)

    def call(self, method, path, body=None, content="application/json"):
        with self.open(method, path, body, content) as answer:
            return json.load(answer)

    def open(self, method, path, body=None, content="application/json", seconds=60):
        request = urllib.request.Request(
            f"{self.server}/{GROUP}/{path}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": content})
        return urllib.request.urlopen(request, context=self.tls, timeout=seconds)

    def watch(self, kinds, seconds):
        """Yields the existing resources, then each changed one. Fails if none arrives within `seconds`."""
        with self.open("GET", f"{kinds}?watch=true", seconds=seconds) as answer:
            for line in answer:
                yield json.loads(line)["object"]

    def items(self, kinds):
        return self.call("GET", kinds)["items"]

    def create(self, kinds, kind, name, spec):
        return self.call("POST", kinds, {
            "apiVersion": "holdfast.dev/v1", "kind": kind,
            "metadata": {"name": name}, "spec": spec})

    def patch(self, kinds, name, change):
        return self.call("PATCH", f"{kinds}/{name}", change, "application/merge-patch+json")

    def attach(self, volume, node):
        """Attaches a volume by an API ticket, as a user does. Other tickets may be interrupted on other nodes."""
        ticket = {"id": f"api-{node}", "type": "api", "nodeID": node}
        self.patch("volumeattachments", volume,
                   {"spec": {"attachmentTickets": {ticket["id"]: ticket}}})

    def detach(self, volume, node):
        self.patch("volumeattachments", volume,
                   {"spec": {"attachmentTickets": {f"api-{node}": None}}})

    def await_volumes(self, names, state, seconds=600):
        """Waits until all volumes are in a state. Returns the elapsed seconds."""
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            found = {volume["metadata"]["name"] for volume in self.items("volumes")
                     if volume["status"]["state"] == state}
            if found.issuperset(names):
                return time.monotonic() - began
            time.sleep(1)
        raise SystemExit(f"{len(set(names) - found)} volumes are not {state} after {seconds} s")

    def await_tickets(self, names):
        """Waits until volumes can be attached."""
        self.await_volumes(names, "detached")
        while not {one["metadata"]["name"] for one in self.items("volumeattachments")
                   }.issuperset(names):
            time.sleep(0.2)

    def endpoint(self, volume):
        return self.call("GET", f"volumes/{volume}")["status"]["endpoint"]
