"""mls-rs, by its own binding for Python (the package agentvault-mls-rs-uniffi), as mls-client's calls."""

import mls_rs_uniffi as mls

from lines import Peer, Refused


class Member:
    """Somebody, and their group once they are in one."""

    def __init__(self, client):
        self.client = client
        self.group = None
        # A commit of theirs that nobody has ordered yet.
        self.pending = None


class MlsRs(Peer):
    name = "mls-rs"

    def __init__(self):
        super().__init__()
        # Whom a member can remove: a SigningIdentity is made here, or comes with a message.
        self.identities = {}

    def member(self, identity):
        keys = mls.generate_signature_keypair(mls.CipherSuite.CURVE25519_AES128)
        client = mls.Client(identity, keys, mls.client_config_default())
        self.identities[identity] = client.signing_identity()
        return Member(client)

    def CreateGroup(self, request):
        member = self.member(request.bytes("identity"))
        member.group = member.client.create_group(request.bytes("group_id"))
        return {"state_id": self.keep(member)}

    def CreateKeyPackage(self, request):
        member = self.member(request.bytes("identity"))
        package = member.client.generate_key_package_message().to_bytes()
        return {"transaction_id": self.keep(member), "key_package": package}

    def JoinGroup(self, request):
        member = self.state(request, "transaction_id")
        welcome = mls.Message.from_bytes(request.bytes("welcome"))
        member.group = member.client.join_group(None, welcome).group
        return {"state_id": request.number("transaction_id")}

    def AddProposal(self, request):
        package = mls.Message.from_bytes(request.bytes("key_package"))
        return self.only(self.state(request).group.propose_add_members([package]))

    def RemoveProposal(self, request):
        identity = self.identity(request.bytes("removed_id"))
        return self.only(self.state(request).group.propose_remove_members([identity]))

    def only(self, messages):
        if len(messages) != 1:
            raise Refused(f"{len(messages)} proposals for one")
        return {"proposal": messages[0].to_bytes()}

    def identity(self, name):
        if name not in self.identities:
            raise Refused("this binding knows nobody by name who is not its own")
        return self.identities[name]

    def Commit(self, request):
        member = self.state(request)
        self.take(member, request.list("by_reference"))
        added, removed = self.proposed(request)
        if added and removed:
            raise Refused("this binding adds or removes")
        if added:
            output = member.group.add_members([mls.Message.from_bytes(package) for package in added])
        elif removed:
            output = member.group.remove_members([self.identity(name) for name in removed])
        else:
            output = member.group.commit()
        member.pending = output.commit_message
        answer = {"commit": output.commit_message.to_bytes()}
        if output.welcome_message is not None:
            answer["welcome"] = output.welcome_message.to_bytes()
        return answer

    def take(self, member, messages):
        for message in messages:
            member.group.process_incoming_message(mls.Message.from_bytes(message))

    def HandlePendingCommit(self, request):
        member = self.state(request)
        if member.pending is None:
            raise Refused("nothing is pending")
        member.group.process_incoming_message(member.pending)
        member.pending = None
        return {"state_id": request.number("state_id")}

    def HandleCommit(self, request):
        member = self.state(request)
        self.take(member, request.list("proposal"))
        received = member.group.process_incoming_message(mls.Message.from_bytes(request.bytes("commit")))
        if not received.is_commit() or not received.effect.is_new_epoch():
            raise Refused("this was no commit that leads on")
        return {"state_id": request.number("state_id")}

    def Export(self, request):
        group, label = self.state(request).group, request.text("label").encode()
        secret = group.export_secret(label, request.bytes("context"), request.number("key_length"))
        return {"exported_secret": secret}

    def Protect(self, request):
        message = self.state(request).group.encrypt_application_message(request.bytes("plaintext"))
        return {"ciphertext": message.to_bytes()}

    def Unprotect(self, request):
        message = mls.Message.from_bytes(request.bytes("ciphertext"))
        received = self.state(request).group.process_incoming_message(message)
        if not received.is_application_message():
            raise Refused("this says nothing")
        return {"plaintext": received.data}


if __name__ == "__main__":
    MlsRs().serve()
