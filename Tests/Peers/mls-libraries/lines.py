"""What a program has in common that answers calls of `mls_client.proto` as lines of JSON, as mls-client does."""

import base64
import json
import sys


class Refused(Exception):
    """Why a call was not answered."""


class Request:
    """A call's fields; bytes are in base64, and what is missing is empty."""

    def __init__(self, fields):
        self.fields = fields

    def bytes(self, name):
        return base64.b64decode(self.fields.get(name, ""))

    def list(self, name):
        return [base64.b64decode(text) for text in self.fields.get(name, [])]

    def objects(self, name):
        return [Request(fields) for fields in self.fields.get(name, [])]

    def text(self, name):
        return self.fields.get(name, "")

    def number(self, name):
        return int(self.fields.get(name, 0))

    def flag(self, name):
        return self.fields.get(name, False)


class Peer:
    """A library in a program of its own. Each call is the method of its name."""

    name = ""

    def __init__(self):
        self.kept = []

    def keep(self, value):
        """A number for a state or a transaction."""
        self.kept.append(value)
        return len(self.kept)

    def state(self, request, name="state_id"):
        number = request.number(name)
        if not 0 < number <= len(self.kept):
            raise Refused(f"no such state: {number}")
        return self.kept[number - 1]

    def Name(self, request):
        return {"name": self.name}

    def SupportedCiphersuites(self, request):
        # The one suite that each of the packages and Mildam have: X25519, AES-128-GCM, SHA-256, Ed25519.
        return {"ciphersuites": [1]}

    def proposed(self, request):
        """What a commit brings: whom it adds, and whom it removes."""
        values = [(value.bytes("proposal_type"), value) for value in request.objects("by_value")]
        added = [value.bytes("key_package") for kind, value in values if kind == b"add"]
        removed = [value.bytes("removed_id") for kind, value in values if kind == b"remove"]
        if len(added) + len(removed) != len(values):
            raise Refused("such a proposal is not made here")
        return added, removed

    def answer(self, line):
        try:
            call = json.loads(line)
            method = getattr(self, call["rpc"], None)
            if method is None or not call["rpc"][0].isupper():
                raise Refused(f"no such call: {call['rpc']}")
            return {"response": encoded(method(Request(call.get("request", {}))))}
        except Exception as error:  # A library's own; each ends one call and nothing else.
            return {"error": f"{type(error).__name__}: {error}"}

    def serve(self):
        for line in sys.stdin:
            if line.strip():
                print(json.dumps(self.answer(line)), flush=True)


def encoded(value):
    """The value as JSON has it."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, list):
        return [encoded(item) for item in value]
    if isinstance(value, dict):
        return {name: encoded(item) for name, item in value.items()}
    return value
