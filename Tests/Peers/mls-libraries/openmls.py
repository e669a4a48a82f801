"""OpenMLS, as the package gbp-stack has it, as mls-client's calls.

The package sends its handshakes sealed, and takes no others from members. It reads a message of the application's, and
says that it did, but not what is in it; it sends none itself, but what it seals with exported keys. So what its members
export, and the authenticators of its epochs, are taken out of the state that it stores.
"""

import hashlib
import hmac
import json
import struct

from gbp_stack import MlsContext

from lines import Peer, Refused

# MLSMessage: version 1.0, and a key package, which the package has without this.
KEY_PACKAGE = b"\0\1\0\5"


def expand(secret, label, context, size):
    """`ExpandWithLabel` with SHA-256, of at most one hash (RFC 9420, section 8)."""
    label = b"MLS 1.0 " + label
    info = struct.pack(">HB", size, len(label)) + label + bytes([len(context)]) + context
    return hmac.digest(secret, info + b"\1", "sha256")[:size]


def records(state):
    """The records of a stored state by their names: how long all are, how many, and each with the length of both."""
    _, count = struct.unpack_from("<II", state)
    at, parts = 8, []
    for _ in range(2 * count):
        (size,) = struct.unpack_from("<I", state, at)
        parts.append(state[at + 4 : at + 4 + size])
        at += 4 + size
    return dict(zip(parts[::2], parts[1::2]))


class Member:
    """Somebody. Before they join another's, they have a group of their own."""

    def __init__(self, identity):
        self.context = MlsContext.create(identity.decode())

    def record(self, name):
        """A record of the group that they are in; of others there may be some left."""
        group = json.dumps({"value": {"vec": list(self.context.group_id)}}, separators=(",", ":"))
        start = name.encode() + group.encode()
        for key, value in records(self.context.export_state()).items():
            if key.startswith(start):
                return json.loads(value)
        raise Refused(f"{name} is not in the stored state")

    def secret(self, name):
        return bytes(self.record("EpochSecrets")[name]["secret"]["value"]["vec"])

    def place(self, identity):
        """Where the member of an identity is."""
        for place, leaf in enumerate(self.record("Tree")["tree"]["leaf_nodes"]):
            if leaf["node"] is not None:
                content = leaf["node"]["payload"]["credential"]["serialized_credential_content"]
                if bytes(content["vec"]) == identity:
                    return place
        raise Refused("no member has this identity")


class OpenMLS(Peer):
    name = "openmls"

    def CreateGroup(self, request):
        """The group has the name that the package gives it."""
        return {"state_id": self.keep(Member(request.bytes("identity")))}

    def CreateKeyPackage(self, request):
        member = Member(request.bytes("identity"))
        return {"transaction_id": self.keep(member), "key_package": KEY_PACKAGE + member.context.export_key_package()}

    def JoinGroup(self, request):
        member = self.state(request, "transaction_id")
        member.context.accept_welcome(request.bytes("welcome"))
        return self.moved(request.number("transaction_id"), member)

    def moved(self, number, member):
        return {"state_id": number, "epoch_authenticator": member.secret("epoch_authenticator")}

    def Commit(self, request):
        member = self.state(request)
        added, removed = self.proposed(request)
        if len(added) == 1 and not removed:
            commit, welcome = member.context.invite_full(added[0].removeprefix(KEY_PACKAGE))
            return {"commit": commit, "welcome": welcome}
        if len(removed) == 1 and not added:
            return {"commit": member.context.remove_member(member.place(removed[0]))}
        raise Refused("this package adds one or removes one")

    def HandlePendingCommit(self, request):
        member = self.state(request)
        member.context.finalize_commit()
        return self.moved(request.number("state_id"), member)

    def HandleCommit(self, request):
        member = self.state(request)
        kind = member.context.process_message(request.bytes("commit"))
        if kind != "commit":
            raise Refused(f"this is no commit, but of the kind {kind}")
        member.context.finalize_commit()
        return self.moved(request.number("state_id"), member)

    def StateAuth(self, request):
        return {"state_auth_secret": self.state(request).secret("epoch_authenticator")}

    def Export(self, request):
        """`MLS-Exporter` (RFC 9420, section 8.5)."""
        label, context, size = request.text("label").encode(), request.bytes("context"), request.number("key_length")
        if size > 32:
            raise Refused("so much is not exported here")
        derived = expand(self.state(request).secret("exporter_secret"), label, b"", 32)
        return {"exported_secret": expand(derived, b"exported", hashlib.sha256(context).digest(), size)}

    def Unprotect(self, request):
        """That a message was read; the package keeps what it says to itself."""
        kind = self.state(request).context.process_message(request.bytes("ciphertext"))
        if kind != "application":
            raise Refused(f"this says nothing, but is of the kind {kind}")
        return {}


if __name__ == "__main__":
    OpenMLS().serve()
