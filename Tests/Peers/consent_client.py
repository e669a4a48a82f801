"""What an independent client knows of accounts and room keys: it reads and verifies an account's records, and wraps and
unwraps the key of a room.

Written from Documentation/protocol.md and the structures that it names; the primitives are those of
python3-cryptography.
"""

import base64
import hashlib
import os
import struct
import sys

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ed25519, x25519
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from cost_client import labelled, public

SIGNATURE = 64


class Reader:
    """A structure in TLS presentation language."""

    def __init__(self, content):
        self.content, self.place = content, 0

    def fixed(self, count):
        part = self.content[self.place : self.place + count]
        if len(part) != count:
            raise ValueError("the structure is cut")
        self.place += count
        return part

    def number(self, width):
        return int.from_bytes(self.fixed(width), "big")

    def vector(self, width):
        return self.fixed(self.number(width))

    def finish(self):
        if self.place != len(self.content):
            raise ValueError("something follows the structure")


def vector(width, content):
    return len(content).to_bytes(width, "big") + content


def verified(key, purpose, text):
    """What was signed, under its label, by an identity key."""
    content = base64.b64decode(text)
    structure, signature = content[:-SIGNATURE], content[-SIGNATURE:]
    ed25519.Ed25519PublicKey.from_public_bytes(key).verify(signature, labelled(purpose, structure))
    return Reader(structure)


class Contact:
    """An account as the relay shows it, with its first device; every record is verified under the key that is shown."""

    def __init__(self, handle, bundle):
        record = Reader(base64.b64decode(bundle["account"]))
        record.fixed(1 + 16 + 16 + 1 + len(handle))
        self.identity = record.fixed(32)
        record = verified(self.identity, "account record", bundle["account"])
        version, relay, self.account = record.fixed(1), record.fixed(16), record.fixed(16)
        self.handle = record.vector(1).decode()
        devices = verified(self.identity, "device list", bundle["list"])
        if self.handle != handle or version != b"\x01" or devices.fixed(33) != version + relay + self.account:
            raise ValueError("not the records of " + handle)
        self.list = devices.number(8)
        listed = {devices.fixed(16): devices.fixed(32) for _ in range(devices.number(1))}
        for text in bundle["devices"]:
            device = verified(self.identity, "device record", text)
            digest = hashlib.sha256(device.content).digest()
            if device.fixed(33) != version + relay + self.account or listed[device.fixed(16)] != digest:
                raise ValueError("not a device of " + handle)
        self.device, self.key, self.agreement = device.content[33:49], device.fixed(32), device.fixed(32)

    @property
    def member(self):
        return member(self.account, self.handle, self.identity)


def fetched(person, handle):
    """Somebody's records, from the relay."""
    status, answer = person.client.ask("GET", f"/v1/accounts/{handle}")
    if status != 200:
        raise RuntimeError(f"the records of {handle}: {status} {answer}")
    return Contact(handle, answer)


def member(account, handle, identity):
    """A member, as a roster names it."""
    return account + vector(1, handle.encode()) + identity


def own_member(person):
    return member(person.account, person.handle, public(person.identity))


# MARK: Room keys


def wrapping_key(secret, sender, recipient, room, generation, salt):
    info = labelled("room key", sender + recipient + room + struct.pack(">I", generation))
    return HKDF(hashes.SHA256(), 32, salt, info).derive(secret)


def invitation(key, title, history, members):
    """What an envelope holds; everybody last spoke under their first list."""
    content = key + vector(1, title.encode()) + struct.pack(">Q", history[0]) + history[1]
    content += struct.pack(">H", len(members)) + b"".join(members)
    return content + struct.pack(">Q", 1) * len(members)


def envelope(person, to, room, generation, content, claims=None, signer=None):
    """A room key for a device.

    `claims` is an account and a handle that it is said to be from, `signer` a key that signs in place of the device's.
    """
    account, handle = claims or (person.account, person.handle)
    salt = os.urandom(32)
    header = b"\x01" + room + struct.pack(">I", generation) + account + person.device + vector(1, handle.encode())
    header += to.account + to.device + salt
    secret = person.agreement.exchange(x25519.X25519PublicKey.from_public_bytes(to.agreement))
    wrapping = wrapping_key(secret, public(person.agreement), to.agreement, room, generation, salt)
    nonce = os.urandom(12)
    box = vector(2, nonce + ChaCha20Poly1305(wrapping).encrypt(nonce, content, header))
    return header + box + (signer or person.key).sign(labelled("key envelope", header + box))


class Opened:
    """An envelope for this person, from somebody whose records were fetched; and what is in it."""

    def __init__(self, person, content):
        reader = Reader(content)
        reader.fixed(1)
        self.room, self.generation = reader.fixed(16), reader.number(4)
        sender, device, handle = reader.fixed(16), reader.fixed(16), reader.vector(1).decode()
        if reader.fixed(32) != person.account + person.device:
            raise ValueError("an envelope for somebody else")
        salt = reader.fixed(32)
        header = content[: reader.place]
        box, signature = reader.vector(2), reader.fixed(SIGNATURE)
        reader.finish()
        self.sender = fetched(person, handle)
        if (self.sender.account, self.sender.device) != (sender, device):
            raise ValueError("an envelope in the name of somebody else")
        signed = labelled("key envelope", header + vector(2, box))
        ed25519.Ed25519PublicKey.from_public_bytes(self.sender.key).verify(signature, signed)
        secret = person.agreement.exchange(x25519.X25519PublicKey.from_public_bytes(self.sender.agreement))
        wrapping = wrapping_key(
            secret, self.sender.agreement, public(person.agreement), self.room, self.generation, salt
        )
        self.read(Reader(ChaCha20Poly1305(wrapping).decrypt(box[:12], box[12:], header)))

    def read(self, reader):
        self.key, self.title = reader.fixed(32), reader.vector(1).decode()
        self.history = (reader.number(8), reader.fixed(32))
        self.members = [
            member(reader.fixed(16), reader.vector(1).decode(), reader.fixed(32)) for _ in range(reader.number(2))
        ]
        reader.fixed(8 * len(self.members))
        reader.finish()


def mail(person):
    """The envelopes in this person's mailbox that can be opened; the others are passed over."""
    found = []
    for item in person.client.ask("GET", "/v1/mailbox?from=1")[1]["items"]:
        try:
            found.append(Opened(person, base64.b64decode(item["body"])))
        except (ValueError, InvalidSignature, InvalidTag, RuntimeError) as error:
            print(f"an envelope was passed over: {error!r}", file=sys.stderr)
    return found
