"""A room as an independent client takes part in it: it seals messages, follows the running hash, and changes who is in
it.

Written from Documentation/protocol.md and the structures that it names.
"""

import base64
import hashlib
import json
import os
import struct
import time

from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from consent_client import SIGNATURE, Reader, envelope, invitation, own_member, vector
from cost_client import b64, labelled, message, name, raw

# A history's point before the first message.
START = (0, bytes(32))


def padded_size(size):
    """Padmé: a length keeps only its leading bits."""
    if size <= 256:
        return 256
    exponent = size.bit_length() - 1
    mask = (1 << (exponent - exponent.bit_length())) - 1
    return (size + mask) & ~mask


def context(room, generation, account, device):
    return room + struct.pack(">IQ", generation, 0) + account + device


def content(event, seen):
    """What a message says: JSON."""
    number, running = seen
    written = int(time.time() * 1000)
    return json.dumps({"written": written, "seen": {"number": number, "hash": b64(running)}, "event": event}).encode()


def sealed(signer, key, where, identifier, counter, said):
    """A message's body: a box under the room's key, signed inside by the device."""
    authenticated = labelled("message", where + identifier + struct.pack(">Q", counter))
    inside = signer.sign(authenticated + said) + vector(4, said)
    inside += bytes(padded_size(len(inside)) - len(inside))
    nonce = os.urandom(12)
    box = nonce + ChaCha20Poly1305(key).encrypt(nonce, inside, authenticated)
    return b"\x01" + identifier + struct.pack(">Q", counter) + vector(4, box)


def opened(key, where, body, signer):
    """What a message of this device says."""
    reader = Reader(body)
    reader.fixed(1)
    identifier, counter, box = reader.fixed(16), reader.fixed(8), reader.vector(4)
    authenticated = labelled("message", where + identifier + counter)
    inside = Reader(ChaCha20Poly1305(key).decrypt(box[:12], box[12:], authenticated))
    signature, said = inside.fixed(SIGNATURE), inside.vector(4)
    ed25519.Ed25519PublicKey.from_public_bytes(signer).verify(signature, authenticated + said)
    return json.loads(said)


def after(history, where, body):
    """The point of a room's history that a message leads to."""
    number, running = history
    message = where + vector(4, body)
    digest = hashlib.sha256(labelled("running hash", struct.pack(">Q", number) + running + message)).digest()
    return number + 1, digest


class Room:
    """A room and its present key, as one of its members has it."""

    def __init__(self, person, room, title, key, generation, members, history):
        self.person, self.room, self.title, self.key, self.generation = person, room, title, key, generation
        self.members, self.history = members, history
        self.counter = 0
        self.path = f"/v1/rooms/{name(room)}/messages"

    @classmethod
    def made(cls, person, title):
        """A room of one's own, which says its name."""
        room = cls(person, raw(person.make_room()), title, os.urandom(32), 1, [own_member(person)], START)
        room.say({"created": {"name": title}})
        return room

    @classmethod
    def joined(cls, person, opened):
        """The room that an envelope invites to."""
        person.client.ask("PUT", f"/v1/rooms/{name(opened.room)}/acceptance")
        room = cls(
            person, opened.room, opened.title, opened.key, opened.generation, opened.members, opened.history
        )
        room.follow()
        return room

    def follow(self):
        """Takes in what others said: the running hash, and who came. What was said is returned where it opens."""
        said = []
        while True:
            status, page = self.person.client.ask("GET", f"{self.path}?from={self.history[0] + 1}")
            if status != 200 or not page["messages"]:
                return said
            for found in page["messages"]:
                where = context(self.room, found["generation"], raw(found["account"]), raw(found["device"]))
                body = base64.b64decode(found["body"])
                self.history = after(self.history, where, body)
                said.append((found["account"], where, body))

    def send(self, said, change=None, generation=None, key=None, signer=None):
        """The JSON of a send of this content, under the next count."""
        generation = generation or self.generation
        self.counter += 1
        identifier = os.urandom(16)
        where = context(self.room, generation, self.person.account, self.person.device)
        body = sealed(signer or self.person.key, key or self.key, where, identifier, self.counter, said)
        return {**message(body, change, generation), "id": name(identifier)}, where, body

    def post(self, *sent):
        """Sends; what the relay took is part of the history."""
        request, where, body = self.send(*sent)
        status, answer = self.person.client.ask("POST", self.path, request)
        if status == 201 and answer["number"] == self.history[0] + 1:
            self.history = after(self.history, where, body)
        return status

    def say(self, event, change=None):
        return self.post(content(event, self.history), change)

    def change(self, action, accounts=(), envelopes=()):
        """A change of members, as JSON; an envelope is for somebody's device."""
        addressed = [
            {"account": name(to.account), "device": name(to.device), "body": b64(body)} for to, body in envelopes
        ]
        return {
            "action": action,
            "accounts": [name(account) for account in accounts],
            "after": self.history[0],
            "envelopes": addressed,
        }

    def invitation(self, members=None, key=None):
        return invitation(key or self.key, self.title, self.history, members or self.members)

    def envelope(self, to, members=None, **forged):
        """The present key for somebody's device, with the roster of those that are in the room by the sender's word."""
        return envelope(self.person, to, self.room, self.generation, self.invitation(members), **forged)

    def invite(self, guest, told=()):
        """Brings somebody in, with an envelope that tells of others as well."""
        members = self.members + [guest.member]
        body = self.envelope(guest, members + list(told))
        status = self.say(
            {"invited": {"member": b64(guest.member), "list": guest.list}},
            self.change("add", [guest.account], [(guest, body)]),
        )
        if status == 201:
            self.members = members
        return status

    def tell(self, member, accomplice):
        """Says that somebody came, with a change of members that brings in another account."""
        return self.say({"invited": {"member": b64(member), "list": 1}}, self.change("add", [accomplice.account]))

    def renew(self, others):
        """A new key of the next generation, for the others."""
        key = os.urandom(32)
        generation = self.generation + 1
        wrapped = invitation(key, self.title, self.history, self.members)
        change = self.change(
            "renew", [], [(to, envelope(self.person, to, self.room, generation, wrapped)) for to in others]
        )
        status = self.post(content({"renewed": {}}, self.history), change, generation, key)
        if status == 201:
            self.key, self.generation = key, generation
        return status
