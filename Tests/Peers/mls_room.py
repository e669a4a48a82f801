"""A room that is an MLS group, as far as a relay can look into it: what a device signs is signed, and what members
alone could open is drawn. Nobody could read anything in such a room.

Written from RFC 9420 and the structures of Sources/RelayAPI/Groups and Sources/RoomRules, with the standard library and
python3-cryptography alone.
"""

import copy
import hashlib
import os
import struct
import time

from cryptography.hazmat.primitives.asymmetric import x25519

from cost_client import labelled, name, public

DAY = 86_400
# The type of bodies that bring such structures.
STRUCTURE = "application/vnd.mildam+tls"

# MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519
SUITE = 3
PUBLIC_MESSAGE, PRIVATE_MESSAGE, WELCOME, GROUP_INFO, KEY_PACKAGE = range(1, 6)
REQUIRED_CAPABILITIES, EXTERNAL_PUB, MILDAM_ROOM, FILLING = 0x0003, 0x0004, 0xF4D1, 0xF4D2
ADD, REMOVE, SELF_REMOVE = 0x0001, 0x0003, 0x000A
BASIC_CREDENTIAL = 1
APPLICATION, COMMIT = 1, 3
# The members' places: whose room it is, and whoever is brought in.
OWNER, GUEST = 0, 1
# A CommitReason that says nothing.
NO_REASON = b"\x01\x00\x00"


def vector(content):
    """Bytes behind their length (RFC 9420, section 2.1.2)."""
    count = len(content)
    if count < 1 << 6:
        return bytes([count]) + content
    if count < 1 << 14:
        return struct.pack(">H", 1 << 14 | count) + content
    return struct.pack(">I", 1 << 31 | count) + content


def numbers(*values):
    """A vector of numbers of 16 bits."""
    return vector(b"".join(struct.pack(">H", value) for value in values))


def extension(kind, content):
    return struct.pack(">H", kind) + vector(content)


def mls_message(kind, content):
    """An MLSMessage of MLS 1.0."""
    return struct.pack(">HH", 1, kind) + content


def digest(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def fresh_key():
    """A key that something could be encrypted to."""
    return public(x25519.X25519PrivateKey.generate())


def leaf_hash(index, leaf):
    """The tree hash of a leaf (RFC 9420, section 7.8)."""
    return digest(b"\x01", struct.pack(">I", index), b"\x01", leaf)


class Device:
    """Somebody's device as groups have it."""

    def __init__(self, person):
        self.account, self.key = person.account, person.key
        record = b"\x02" + person.relay + person.account + person.device
        record += public(person.key) + public(person.agreement)
        # Until when, since which list, what the next identity key is known by, and how many there were before.
        record += struct.pack(">QQ", int(time.time()) + 365 * DAY, 1) + os.urandom(32) + struct.pack(">I", 0)
        record += person.identity.sign(labelled("device record", record))
        self.credential = struct.pack(">H", BASIC_CREDENTIAL) + vector(b"\x01" + public(person.identity) + record)

    def signature(self, label, content):
        """SignWithLabel (RFC 9420, section 5.1.2)."""
        return self.key.sign(vector(b"MLS 1.0 " + label) + vector(content))

    def signed_leaf(self, source, place=b""):
        """A LeafNode; `source` says how it comes into the tree, and `place` where, for one that is bound to it."""
        content = vector(fresh_key()) + vector(public(self.key)) + self.credential
        content += numbers(1) + numbers(SUITE) + numbers(MILDAM_ROOM) + numbers(SELF_REMOVE)
        content += numbers(BASIC_CREDENTIAL)
        content += source + vector(b"")
        return content + vector(self.signature(b"LeafNodeTBS", content + place))

    def first_leaf(self):
        """One of a key package."""
        now = int(time.time())
        return self.signed_leaf(struct.pack(">BQQ", 1, now - 3_600, now + 29 * DAY))

    def next_leaf(self, group):
        """One of a commit's path, in a group whose only member it then is: it has no parent."""
        return self.signed_leaf(b"\x03" + vector(b""), vector(group) + struct.pack(">I", OWNER))

    def key_package(self):
        """A KeyPackage, and its leaf."""
        leaf = self.first_leaf()
        content = struct.pack(">HH", 1, SUITE) + vector(fresh_key()) + leaf + vector(b"")
        return content + vector(self.signature(b"KeyPackageTBS", content)), leaf


class Room:
    """A group of its owner's device alone, or of that and a guest's."""

    def __init__(self, device):
        self.device, self.id, self.group = device, os.urandom(16), os.urandom(32)
        self.epoch, self.confirmed, self.tag = 0, b"", os.urandom(32)
        self.owner, self.guest = device.first_leaf(), None
        # Generation 0, after no other group; the owner's role; no seats, lists and leavings; members may invite; no
        # timer, and nothing that the room is called.
        room = b"\x01" + self.id + struct.pack(">Q", 0) + b"\x00" + vector(device.account + b"\x02")
        room += vector(b"") * 3 + struct.pack(">II", 1, 0) + vector(b"")
        required = numbers(MILDAM_ROOM) + numbers(SELF_REMOVE) + numbers()
        self.extensions = vector(extension(REQUIRED_CAPABILITIES, required) + extension(MILDAM_ROOM, room))

    @property
    def path(self):
        return f"/v1/rooms/{name(self.id)}"

    def tree_hash(self):
        own = leaf_hash(OWNER, self.owner)
        if self.guest is None:
            return own
        return digest(b"\x02\x00", vector(own), vector(leaf_hash(GUEST, self.guest)))

    def context(self):
        """The GroupContext."""
        head = struct.pack(">HH", 1, SUITE) + vector(self.group) + struct.pack(">Q", self.epoch)
        return head + vector(self.tree_hash()) + vector(self.confirmed) + self.extensions

    def group_info(self, filling=0):
        """A GroupInfo with another key for joining from outside each time, and so many bytes that mean nothing."""
        extensions = extension(EXTERNAL_PUB, vector(fresh_key()))
        if filling:
            extensions += extension(FILLING, bytes(filling))
        content = self.context() + vector(extensions) + vector(self.tag) + struct.pack(">I", OWNER)
        return mls_message(GROUP_INFO, content + vector(self.device.signature(b"GroupInfoTBS", content)))

    # MARK: Bodies

    def creation(self):
        """A CreateGroupRequest."""
        tree = vector(b"\x01\x01" + self.owner)
        return b"\x01" + vector(self.group_info()) + vector(tree)

    def another_group_info(self, filling):
        """A GroupInfoRequest."""
        return b"\x01" + struct.pack(">IQ", 0, self.epoch) + vector(self.group_info(filling))

    def head(self, kind):
        """How a GroupSendRequest begins, with a fresh id."""
        return b"\x01" + os.urandom(16) + struct.pack(">IQQB", 0, self.epoch, 0, kind)

    def saying(self, content):
        """A GroupSendRequest with something said, and the message as it comes back."""
        said = vector(self.group) + struct.pack(">QB", self.epoch, APPLICATION) + vector(b"")
        said = mls_message(PRIVATE_MESSAGE, said + vector(os.urandom(28)) + vector(content))
        return self.head(APPLICATION) + vector(said) + vector(b""), said

    def commit(self, key_package=None, leaf=None, welcome=0, filling=0):
        """A GroupSendRequest with a commit, and the room as it is once the relay has taken it.

        It brings in the guest whose key package and leaf are given, with a Welcome of so many bytes; or puts out the
        guest who is there; or gives the owner new keys, where nobody is.
        """
        after = copy.copy(self)
        after.epoch += 1
        proposals, path = b"", b"\x00"
        if key_package is not None:
            proposals, after.guest = struct.pack(">BH", 1, ADD) + key_package, leaf
        else:
            if self.guest is not None:
                proposals, after.guest = struct.pack(">BHI", 1, REMOVE, GUEST), None
            after.owner = self.device.next_leaf(self.group)
            path = b"\x01" + after.owner + vector(b"")
        content = vector(self.group) + struct.pack(">QBI", self.epoch, 1, OWNER) + vector(NO_REASON)
        content += struct.pack(">B", COMMIT) + vector(proposals) + path
        signed = struct.pack(">HH", 1, PUBLIC_MESSAGE) + content + self.context()
        signature = vector(self.device.signature(b"FramedContentTBS", signed))
        # The transcript goes on (RFC 9420, section 8.2); the tags are of secrets that only members would have.
        interim = digest(self.confirmed, vector(self.tag))
        after.confirmed = digest(interim, struct.pack(">H", PUBLIC_MESSAGE), content, signature)
        after.tag = os.urandom(32)
        message = mls_message(PUBLIC_MESSAGE, content + signature + vector(after.tag) + vector(os.urandom(32)))
        welcomed = welcome_of(key_package, welcome) if key_package is not None else b""
        body = self.head(COMMIT) + vector(message) + vector(after.group_info(filling)) + vector(welcomed)
        return body, after


def welcome_of(key_package, size):
    """A Welcome for one device, with so many bytes that only it could open."""
    reference = digest(vector(b"MLS 1.0 KeyPackage Reference"), vector(key_package))
    secrets = vector(reference) + vector(fresh_key()) + vector(os.urandom(80))
    return mls_message(WELCOME, struct.pack(">H", SUITE) + vector(secrets) + vector(os.urandom(size)))


def make_room(person):
    """A room of somebody's (cost_client), which the relay has."""
    room = Room(Device(person))
    status, answer = person.client.ask("PUT", room.path + "/group", structure=room.creation())
    if status != 201:
        raise RuntimeError(f"a new room was answered {status}: {answer}")
    return room
