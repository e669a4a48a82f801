"""One scenario, played by two implementations of MLS."""

import base64

from mls_peer import Failure

# In the end, so many members of an epoch say something.
SPEAKERS = 5


class Step:
    """A step's parameters. The files write some names in two ways, which Go's decoder takes for one."""

    def __init__(self, fields):
        self.fields = {key.replace("_", "").lower(): value for key, value in fields.items()}

    def get(self, name, otherwise=None):
        return self.fields.get(name.lower(), otherwise)

    def names(self, name):
        return list(self.get(name, []))

    @property
    def actor(self):
        return self.get("actor")

    @property
    def description(self):
        return Step(self.get("description"))

    @property
    def extensions(self):
        return [
            {
                "extension_type": extension["extension_type"],
                "extension_data": base64.b64decode(extension["extension_data"]),
            }
            for extension in self.get("extensions", [])
        ]


def actors(script):
    """All who take part, in the order in which they appear."""
    names = {}
    for step in script:
        for key in ("actor", "joiner", "signer"):
            if step.get(key):
                names[step.get(key)] = None
        if step.get("action") == "createGroup":
            names.update(dict.fromkeys(step.names("members")))
    return list(names)


class Play:
    """One scenario, in one suite, with one way to give out its actors."""

    def __init__(self, suite, seals, cast, rng):
        self.suite = suite
        self.seals = seals
        self.cast = cast
        self.rng = rng
        self.states = {}
        self.transactions = {}
        self.signers = {}
        self.present = []
        self.kept = []

    def run(self, script):
        for number, step in enumerate(script):
            self.kept.append({})
            try:
                getattr(self, step.get("action"))(step)
            except Failure as failure:
                raise Failure(f"step {number}, {step.get('action')}: {failure}") from failure
        self.compare()

    def call(self, actor, name, **fields):
        return self.cast[actor].call(name, **fields)

    def in_state(self, actor, name, **fields):
        return self.call(actor, name, state_id=self.states[actor], **fields)

    def keep(self, **values):
        self.kept[-1].update(values)

    def recall(self, number, name):
        return self.kept[number][name]

    def move(self, actor, response, authenticator):
        """A member's next state, whose authenticator is everybody's."""
        if response.epoch_authenticator != authenticator:
            raise Failure(f"{actor} ({self.cast[actor].name}) has another epoch authenticator")
        self.states[actor] = response.state_id

    # Members

    def createGroup(self, step):
        group_id = self.rng.randbytes(16)
        self.keep(group_id=group_id)
        response = self.call(
            step.actor,
            "CreateGroup",
            group_id=group_id,
            cipher_suite=self.suite,
            encrypt_handshake=self.seals,
            identity=step.actor.encode(),
        )
        self.states[step.actor] = response.state_id
        members = step.names("members")
        self.present = [step.actor, *members]
        if not members:
            return
        packages = [self.key_package(member) for member in members]
        added = [{"proposal_type": b"add", "key_package": package} for package in packages]
        commit = self.in_state(step.actor, "Commit", by_value=added)
        authenticator = self.merge(step.actor)
        for member in members:
            self.join(member, commit.welcome, b"", authenticator)

    def key_package(self, actor):
        response = self.call(actor, "CreateKeyPackage", cipher_suite=self.suite, identity=actor.encode())
        self.transactions[actor] = response.transaction_id
        return response.key_package

    def merge(self, actor):
        response = self.in_state(actor, "HandlePendingCommit")
        self.states[actor] = response.state_id
        return response.epoch_authenticator

    def join(self, actor, welcome, tree, authenticator):
        response = self.call(
            actor,
            "JoinGroup",
            transaction_id=self.transactions[actor],
            welcome=welcome,
            encrypt_handshake=self.seals,
            identity=actor.encode(),
            ratchet_tree=tree,
        )
        self.move(actor, response, authenticator)

    def createKeyPackage(self, step):
        self.keep(key_package=self.key_package(step.actor))

    def externalJoin(self, step):
        joiner = step.get("joiner")
        info = self.in_state(step.actor, "GroupInfo", external_tree=step.get("externalTree", False))
        response = self.call(
            joiner,
            "ExternalJoin",
            group_info=info.group_info,
            ratchet_tree=info.ratchet_tree,
            encrypt_handshake=self.seals,
            identity=joiner.encode(),
            remove_prior=step.get("removePrior", False),
            psks=[
                {"psk_id": self.recall(number, "psk_id"), "psk_secret": self.recall(number, "psk_secret")}
                for number in step.get("psks", [])
            ],
        )
        self.states[joiner] = response.state_id
        members = [step.actor, *step.names("members")]
        self.present = [joiner, *members]
        for member in members:
            after = self.in_state(member, "HandleCommit", commit=response.commit)
            self.move(member, after, response.epoch_authenticator)

    def installExternalPSK(self, step):
        identifier, secret = self.rng.randbytes(32), self.rng.randbytes(32)
        self.keep(psk_id=identifier, psk_secret=secret)
        for actor in step.names("clients"):
            number = self.states.get(actor, self.transactions.get(actor))
            self.call(actor, "StorePSK", state_or_transaction_id=number, psk_id=identifier, psk_secret=secret)

    # Proposals

    def propose(self, step, name, **fields):
        self.keep(proposal=self.in_state(step.actor, name, **fields).proposal)

    def addProposal(self, step):
        self.propose(step, "AddProposal", key_package=self.recall(step.get("keyPackage"), "key_package"))

    def updateProposal(self, step):
        self.propose(step, "UpdateProposal")

    def removeProposal(self, step):
        self.propose(step, "RemoveProposal", removed_id=step.get("removed").encode())

    def externalPSKProposal(self, step):
        self.propose(step, "ExternalPSKProposal", psk_id=self.recall(step.get("pskID"), "psk_id"))

    def resumptionPSKProposal(self, step):
        self.propose(step, "ResumptionPSKProposal", epoch_id=step.get("epochID"))

    def groupContextExtensionsProposal(self, step):
        self.propose(step, "GroupContextExtensionsProposal", extensions=step.extensions)

    def newMemberAddProposal(self, step):
        joiner = step.get("joiner")
        info = self.in_state(step.actor, "GroupInfo").group_info
        response = self.call(joiner, "NewMemberAddProposal", group_info=info, identity=joiner.encode())
        self.transactions[joiner] = response.transaction_id
        self.keep(proposal=response.proposal)

    def addExternalSigner(self, step):
        signer = step.get("signer")
        response = self.call(signer, "CreateExternalSigner", cipher_suite=self.suite, identity=signer.encode())
        self.signers[signer] = response.signer_id
        self.propose(step, "AddExternalSigner", external_sender=response.external_sender)

    def externalSignerProposal(self, step):
        info = self.in_state(step.get("member"), "GroupInfo", external_tree=True)
        response = self.call(
            step.actor,
            "ExternalSignerProposal",
            signer_id=self.signers[step.actor],
            group_info=info.group_info,
            ratchet_tree=info.ratchet_tree,
            description=self.described(step.description),
        )
        self.keep(proposal=response.proposal)

    def described(self, step):
        kind = step.get("proposalType")
        fields = {"proposal_type": kind.encode()}
        if kind == "add":
            fields["key_package"] = self.recall(step.get("keyPackage"), "key_package")
        elif kind == "remove":
            fields["removed_id"] = step.get("removed").encode()
        elif kind == "externalPSK":
            fields["psk_id"] = self.recall(step.get("pskID"), "psk_id")
        elif kind == "resumptionPSK":
            fields["epoch_id"] = step.get("epochID")
        elif kind == "groupContextExtensions":
            fields["extensions"] = step.extensions
        else:
            fields.update(self.successor(step))
        return fields

    # Commits

    def fullCommit(self, step):
        proposals = [self.recall(number, "proposal") for number in step.get("byReference", [])]
        commit = self.in_state(
            step.actor,
            "Commit",
            by_reference=proposals,
            by_value=[self.described(Step(fields)) for fields in step.get("byValue", [])],
            force_path=step.get("forcePath", False),
            external_tree=step.get("externalTree", False),
        )
        authenticator = self.merge(step.actor)
        for member in step.names("members"):
            after = self.in_state(member, "HandleCommit", proposal=proposals, commit=commit.commit)
            self.move(member, after, authenticator)
        for joiner in step.names("joiners"):
            self.join(joiner, commit.welcome, commit.ratchet_tree, authenticator)
        self.present = [step.actor, *step.names("members"), *step.names("joiners")]

    # Messages

    def protect(self, step):
        data, text = step.get("authenticatedData").encode(), step.get("plaintext").encode()
        response = self.in_state(step.actor, "Protect", authenticated_data=data, plaintext=text)
        self.keep(authenticated_data=data, plaintext=text, ciphertext=response.ciphertext)

    def unprotect(self, step):
        self.read(step.actor, **self.kept[step.get("ciphertext")])

    def read(self, actor, authenticated_data, plaintext, ciphertext):
        response = self.in_state(actor, "Unprotect", ciphertext=ciphertext)
        if (response.authenticated_data, response.plaintext) != (authenticated_data, plaintext):
            raise Failure(f"{self.cast[actor].name} reads something else")

    def compare(self):
        """All who are in the group by now export the same, and read what some of them say."""
        secrets = set()
        for member in self.present:
            export = self.in_state(member, "Export", label="interop", context=b"context", key_length=42)
            authenticator = self.in_state(member, "StateAuth")
            secrets.add((export.exported_secret, authenticator.state_auth_secret))
        if len(secrets) > 1:
            raise Failure("the members export different secrets")
        for sender in self.rng.sample(self.present, min(len(self.present), SPEAKERS)):
            said = {"authenticated_data": b"from", "plaintext": sender.encode()}
            said["ciphertext"] = self.in_state(sender, "Protect", **said).ciphertext
            for member in self.present:
                if member != sender:
                    self.read(member, **said)

    # Groups of groups

    def successor(self, step):
        """What a ReInit asks for."""
        if step.get("changeCipherSuite"):
            known = frozenset.intersection(*(client.suites for client in self.cast.values()))
            self.suite = self.rng.choice(sorted(known - {self.suite}))
        group_id = self.recall(0, "group_id") + (b"++" if step.get("changeGroupID") else b"")
        return {"cipher_suite": self.suite, "group_id": group_id, "extensions": step.extensions}

    def reinit(self, step):
        proposer, committer, welcomer = (step.get(name) for name in ("proposer", "committer", "welcomer"))
        members = dict.fromkeys(step.names("members") + [name for name in (proposer, committer, welcomer) if name])
        if proposer:
            proposal = self.in_state(proposer, "ReInitProposal", **self.successor(step)).proposal
        else:
            proposal = self.recall(step.get("externalReinitProposal"), "proposal")
        commit = self.in_state(committer, "ReInitCommit", by_reference=[proposal]).commit
        ended = {committer: self.in_state(committer, "HandlePendingReInitCommit")}
        for member in members:
            if member != committer:
                after = self.in_state(member, "HandleReInitCommit", proposal=[proposal], commit=commit)
                if after.epoch_authenticator != ended[committer].epoch_authenticator:
                    raise Failure(f"{self.cast[member].name} has another epoch authenticator of the end")
                ended[member] = after
        made = self.call(
            welcomer,
            "ReInitWelcome",
            reinit_id=ended[welcomer].reinit_id,
            key_package=[ended[member].key_package for member in members if member != welcomer],
            force_path=step.get("forcePath", False),
            external_tree=step.get("externalTree", False),
        )
        self.states[welcomer] = made.state_id
        self.present = list(members)
        for member in members:
            if member != welcomer:
                after = self.call(
                    member,
                    "HandleReInitWelcome",
                    reinit_id=ended[member].reinit_id,
                    welcome=made.welcome,
                    ratchet_tree=made.ratchet_tree,
                )
                self.move(member, after, made.epoch_authenticator)

    def branch(self, step):
        members = step.names("members")
        packages = [self.key_package(member) for member in members]
        made = self.in_state(
            step.actor,
            "CreateBranch",
            group_id=self.rng.randbytes(16),
            extensions=step.extensions,
            key_packages=packages,
            force_path=step.get("forcePath", False),
            external_tree=step.get("externalTree", False),
        )
        self.states[step.actor] = made.state_id
        self.present = [step.actor, *members]
        for member in members:
            after = self.in_state(
                member,
                "HandleBranch",
                transaction_id=self.transactions[member],
                welcome=made.welcome,
                ratchet_tree=made.ratchet_tree,
            )
            self.move(member, after, made.epoch_authenticator)
