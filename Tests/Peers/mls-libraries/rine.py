"""mls-rs, as the package rine-mls has it, as mls-client's calls: who comes in from outside does so here."""

import os
import tempfile

import rine_mls

from lines import Peer, Refused


class Member:
    """Somebody, and their group once they are in one."""

    def __init__(self, folder):
        self.client = rine_mls.MlsClient(folder, os.urandom(32), rine_mls.CIPHER_SUITE_CLASSICAL)
        self.group = None

    @property
    def identity(self):
        """The package names everybody by the public key that they sign with."""
        return self.client.public_key()


class Rine(Peer):
    name = "rine-mls"

    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def member(self):
        return Member(os.path.join(self.folder, f"{len(self.kept)}"))

    def CreateGroup(self, request):
        member = self.member()
        member.group = member.client.create_group(request.bytes("group_id"))
        return {"state_id": self.keep(member), "identity": member.identity}

    def CreateKeyPackage(self, request):
        member = self.member()
        package = member.client.generate_key_package()
        return {"transaction_id": self.keep(member), "key_package": package, "identity": member.identity}

    def JoinGroup(self, request):
        member = self.state(request, "transaction_id")
        member.group = member.client.join_from_welcome(request.bytes("welcome"))
        return {"state_id": request.number("transaction_id")}

    def GroupInfo(self, request):
        return {"group_info": self.state(request).group.group_info()}

    def ExternalJoin(self, request):
        """A newcomer, or, where a state is named, its member, who comes back."""
        info = request.bytes("group_info")
        if request.flag("remove_prior"):
            number = request.number("state_id")
            member = self.state(request)
            place = member.group.current_member_index()
            member.group = member.client.resync_by_external_commit(info, place)
        else:
            member = self.member()
            member.group = member.client.join_by_external_commit(info)
            number = self.keep(member)
        commit = member.group.last_commit().commit
        return {"state_id": number, "commit": commit, "identity": member.identity}

    def Commit(self, request):
        """A commit, which counts here at once; a Welcome for each newcomer."""
        group = self.state(request).group
        added, removed = self.proposed(request)
        if added and not removed:
            bundle = group.add_members(added)
        elif len(removed) == 1 and not added:
            bundle = group.remove_member(group.member_index(removed[0]))
        else:
            raise Refused("this package adds some or removes one")
        return {"commit": bundle.commit, "welcomes": bundle.welcomes}

    def HandlePendingCommit(self, request):
        return {"state_id": request.number("state_id")}

    def HandleCommit(self, request):
        self.state(request).group.apply_commit(request.bytes("commit"))
        return {"state_id": request.number("state_id")}

    def Protect(self, request):
        payload = self.state(request).group.encrypt_application_message(request.bytes("plaintext"))
        if payload[0] != rine_mls.APP_MESSAGE_TAG:
            raise Refused("this is no message of MLS")
        return {"ciphertext": payload[1:]}

    def Unprotect(self, request):
        payload = bytes([rine_mls.APP_MESSAGE_TAG]) + request.bytes("ciphertext")
        return {"plaintext": self.state(request).group.decrypt_application_message(payload).envelope}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        Rine(folder).serve()
