"""What the programs about cost know of the relay's API: an account with one device, requests, and connections.

Written from Documentation/protocol.md, with the standard library and python3-cryptography alone.
"""

import base64
import copy
import hashlib
import http.client
import itertools
import json
import os
import socket
import ssl
import struct
import time

from cryptography.hazmat.primitives.asymmetric import ed25519, x25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

YEAR = 365 * 86400


def name(raw):
    """An identifier as text: 26 characters of lower-case base32."""
    return base64.b32encode(raw).decode().rstrip("=").lower()


def raw(text):
    """The 16 bytes of an identifier."""
    return base64.b32decode(text.upper() + "======")


def random_name():
    return name(os.urandom(16))


def b64(data):
    return base64.b64encode(data).decode()


def url64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def labelled(purpose, structure):
    label = f"mildam/1 {purpose}".encode()
    return bytes([len(label)]) + label + structure


def public(key):
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


class Place:
    """Where a relay listens, and from which address of loopback to come."""

    def __init__(self, port, tls=False, source="127.0.0.1"):
        self.port, self.tls, self.source = port, tls, source
        self.context = None
        if tls:
            # Whose certificate it is, is not what these programs are about.
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            self.context.check_hostname = False
            self.context.verify_mode = ssl.CERT_NONE

    def seen_from(self, source):
        """The same, for somebody who comes from another address."""
        other = copy.copy(self)
        other.source = source
        return other

    def plain(self):
        """A TCP connection."""
        bare = socket.create_connection(("127.0.0.1", self.port), timeout=30, source_address=(self.source, 0))
        # A request's head and body leave apart: the second does not wait until the first is acknowledged.
        bare.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return bare

    def connect(self):
        """A connection that requests can be sent over."""
        bare = self.plain()
        try:
            return self.context.wrap_socket(bare) if self.tls else bare
        except OSError:
            bare.close()
            raise


class Crowd:
    """The same place for many: each connection comes from the next address, and these are of several networks of 24 bits."""

    def __init__(self, place, networks=8, hosts=32):
        sources = [f"127.9.{network}.{host}" for host in range(1, hosts + 1) for network in range(networks)]
        self.places = itertools.cycle([place.seen_from(source) for source in sources])

    def plain(self):
        return next(self.places).plain()

    def connect(self):
        return next(self.places).connect()


class Client:
    """One connection that is kept, and asked over by turns."""

    def __init__(self, place, token=None):
        self.place, self.token = place, token
        self.connection = None

    def open(self):
        self.close()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.place.port)
        self.connection.sock = self.place.connect()

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def ask(self, method, path, value=None, form=None, structure=None):
        """The status, and the answer's JSON."""
        if not self.connection:
            self.open()
        fields = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        body = None
        if value is not None:
            body, fields["Content-Type"] = json.dumps(value), "application/json"
        if form is not None:
            body, fields["Content-Type"] = form, "application/x-www-form-urlencoded"
        if structure is not None:
            body, fields["Content-Type"] = structure, "application/vnd.mildam+tls"
        try:
            self.connection.request(method, path, body, fields)
            answer = self.connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        return answer.status, json.loads(content) if content else None


class Person:
    """An account with one device: its keys, and its records signed by them."""

    def __init__(self, client, handle):
        self.client, self.handle = client, handle
        self.relay = raw(client.ask("GET", "/v1/relay")[1]["relay"])
        self.account, self.device, self.authenticator = os.urandom(16), os.urandom(16), os.urandom(32)
        self.identity = ed25519.Ed25519PrivateKey.generate()
        self.key = ed25519.Ed25519PrivateKey.generate()
        self.agreement = x25519.X25519PrivateKey.generate()

    def registration(self):
        record = b"\x01" + self.relay + self.account + bytes([len(self.handle)]) + self.handle.encode()
        record += public(self.identity)
        device = b"\x01" + self.relay + self.account + self.device + public(self.key) + public(self.agreement)
        device += struct.pack(">Q", int(time.time()) + YEAR)
        devices = b"\x01" + self.relay + self.account + struct.pack(">QB", 1, 1)
        devices += self.device + hashlib.sha256(device).digest()

        def signed(purpose, structure):
            return b64(structure + self.identity.sign(labelled(purpose, structure)))

        now = int(time.time())
        return {
            "handle": self.handle,
            "authenticator": b64(self.authenticator),
            "bundle": {
                "account": signed("account record", record),
                "list": signed("device list", devices),
                "devices": [signed("device record", device)],
            },
            "time": now,
            "signature": b64(self.proof("session registration proof", now, self.authenticator)),
        }

    def proof(self, purpose, now, secret):
        """The device's signature over what it presents, for a session that is bound to no key."""
        body = self.relay + self.device + struct.pack(">q", now) + hashlib.sha256(secret).digest() + b"\x00"
        return self.key.sign(labelled(purpose, body))

    def register(self):
        status, answer = self.client.ask("POST", "/v1/accounts", self.registration())
        if status != 201:
            raise RuntimeError(f"registration was answered {status}: {answer}")
        self.take(answer)
        return self

    def take(self, answer):
        self.client.token, self.refresh = answer["access_token"], answer["refresh_token"]

    def assertion(self, purpose, secret, signature=None):
        now = int(time.time())
        signature = signature or self.proof(purpose, now, secret)
        return url64(self.device + struct.pack(">q", now) + signature)

    def login_form(self, signature=None):
        secret = self.authenticator
        return (
            "grant_type=urn%3Amildam%3Aparams%3Aoauth%3Agrant-type%3Alogin"
            f"&handle={self.handle}&authenticator={url64(secret)}"
            "&client_assertion_type=urn%3Amildam%3Aparams%3Aoauth%3Aclient-assertion-type%3Adevice"
            f"&client_assertion={self.assertion('session login proof', secret, signature)}"
        )

    def refresh_form(self, token=None, signature=None):
        token = token or self.refresh
        secret = base64.urlsafe_b64decode(token.split(".")[1] + "=")
        return (
            f"grant_type=refresh_token&refresh_token={token}"
            "&client_assertion_type=urn%3Amildam%3Aparams%3Aoauth%3Aclient-assertion-type%3Adevice"
            f"&client_assertion={self.assertion('session refresh proof', secret, signature)}"
        )

    def log_in(self):
        status, answer = self.client.ask("POST", "/v1/token", form=self.login_form())
        if status != 200:
            raise RuntimeError(f"the login was answered {status}: {answer}")
        self.take(answer)


def request(method, path, token=None, body=b"", kind="application/json"):
    """A request's bytes."""
    head = f"{method} {path} HTTP/1.1\r\nHost: relay\r\n"
    if token:
        head += f"Authorization: Bearer {token}\r\n"
    if body:
        head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body
