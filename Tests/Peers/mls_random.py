"""Writes scenarios for mls_interop.py that nobody thought of: groups whose members come, go, and talk at random.

    mls_random.py --seed 1 --scenarios 4 --epochs 40 > scenarios.json

What it draws is allowed by RFC 9420, so that each refusal is a fault of one of the two.
"""

import argparse
import json
import random
import sys

# The most members that a group has, and services that propose from outside.
MEMBERS = 12
SERVICES = 2
# Resumption keys of so many epochs back are asked for.
EPOCHS_BACK = 3


class Scenario:
    """The steps so far, and what everybody is by then."""

    def __init__(self, rng):
        self.rng = rng
        self.steps = []
        self.count = 0
        self.gone = []
        self.epoch = 0
        self.services = []
        self.is_anew = False
        founder = self.newcomer()
        # Of each member, the epoch in which they came.
        self.members = {founder: 0}
        self.step("createGroup", founder)

    def newcomer(self):
        self.count += 1
        return f"member{self.count}"

    def step(self, action, actor=None, **fields):
        self.steps.append({"action": action, **({"actor": actor} if actor else {}), **fields})
        return len(self.steps) - 1

    def chance(self, of):
        return self.rng.random() < of

    def anyone(self, *but):
        return self.rng.choice([member for member in self.members if member not in but])

    def others(self, *but):
        return [member for member in self.members if member not in but]

    def next_epoch(self):
        roll = self.rng.random()
        if roll < 0.12:
            self.join_from_outside()
        elif roll < 0.16 and len(self.members) > 2:
            self.begin_another()
        else:
            Commit(self).make()
        if self.chance(0.4):
            self.talk()

    def talk(self):
        """Two say some things each, and all others read them in some order."""
        said = []
        for sender in self.rng.sample(list(self.members), min(2, len(self.members))):
            for number in range(self.rng.randint(1, 3)):
                text = f"{number} by {sender}" * self.rng.randint(0, 40)
                message = self.step("protect", sender, authenticatedData=sender, plaintext=text)
                said.append((message, sender))
        for member in self.members:
            self.rng.shuffle(said)
            for message, sender in said:
                if sender != member:
                    self.step("unprotect", member, ciphertext=message)

    def join_from_outside(self):
        returns = len(self.members) > 1 and self.chance(0.4)
        joiner = self.anyone() if returns else self.newcomer()
        actor = self.anyone(joiner)
        keys = [self.key(self.others(joiner))] if self.chance(0.3) else []
        self.step(
            "externalJoin",
            actor,
            joiner=joiner,
            members=self.others(actor, joiner),
            removePrior=returns,
            externalTree=self.chance(0.5),
            psks=keys,
        )
        self.epoch += 1
        self.members[joiner] = self.epoch

    def key(self, members):
        return self.step("installExternalPSK", clients=list(members))

    def begin_another(self):
        """A branch with all members, or, once, the group anew."""
        fields = {"forcePath": self.chance(0.5)}
        if self.is_anew or self.chance(0.6):
            actor = self.anyone()
            self.step("branch", actor, members=self.others(actor), **fields)
        else:
            self.is_anew = True
            roles = {role: self.anyone() for role in ("proposer", "committer", "welcomer")}
            rest = self.others(*roles.values())
            changes = {"changeGroupID": True, "changeCipherSuite": self.chance(0.5)}
            self.step("reinit", members=rest, externalTree=self.chance(0.5), **roles, **changes, **fields)
        self.epoch = 1
        self.members = dict.fromkeys(self.members, 1)
        self.services = []


class Commit:
    """A commit that takes some proposals in, and brings some with it."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.rng = scenario.rng
        self.committer = scenario.anyone()
        self.by_reference, self.by_value = [], []
        self.joiners, self.removed, self.updated = [], [], []
        self.takes_keys = self.takes_newcomers = True
        self.has_extensions = False
        self.services = []

    def make(self):
        scenario = self.scenario
        kinds = [self.add, self.add, self.update, self.update, self.remove, self.key, self.resumption, self.extensions]
        for kind in self.rng.choices(kinds, k=self.rng.randint(0, 5)):
            kind()
        scenario.step(
            "fullCommit",
            self.committer,
            byReference=self.by_reference,
            byValue=self.by_value,
            members=scenario.others(self.committer, *self.removed),
            joiners=self.joiners,
            forcePath=scenario.chance(0.3),
            externalTree=scenario.chance(0.3),
        )
        scenario.epoch += 1
        for member in self.removed:
            del scenario.members[member]
        scenario.gone += self.removed
        scenario.members.update(dict.fromkeys(self.joiners, scenario.epoch))
        if self.has_extensions:
            scenario.services = self.services

    def propose(self, action, value, **fields):
        """By a member, or with the commit, if it can be."""
        if value is not None and self.scenario.chance(0.4):
            self.by_value.append({"proposalType": value, **fields})
        else:
            self.by_reference.append(self.scenario.step(action, self.scenario.anyone(*self.removed), **fields))

    def add(self):
        scenario = self.scenario
        if not self.takes_newcomers or len(scenario.members) + len(self.joiners) - len(self.removed) >= MEMBERS:
            return
        if scenario.gone and scenario.chance(0.3):
            joiner = scenario.gone.pop(self.rng.randrange(len(scenario.gone)))
            # A key would be given to whom they were before.
            self.takes_keys = False
        else:
            joiner = scenario.newcomer()
        if scenario.chance(0.2):
            actor = scenario.anyone()
            self.by_reference.append(scenario.step("newMemberAddProposal", actor, joiner=joiner))
        else:
            package = scenario.step("createKeyPackage", joiner)
            self.propose("addProposal", "add", keyPackage=package)
        self.joiners.append(joiner)

    def update(self):
        able = self.scenario.others(self.committer, *self.removed, *self.updated)
        if able:
            member = self.rng.choice(able)
            self.updated.append(member)
            self.by_reference.append(self.scenario.step("updateProposal", member))

    def remove(self):
        able = self.scenario.others(self.committer, *self.removed, *self.updated)
        if not able:
            return
        member = self.rng.choice(able)
        if self.scenario.services and self.scenario.chance(0.5):
            service = self.rng.choice(self.scenario.services)
            description = {"proposalType": "remove", "removed": member}
            signed = self.scenario.step(
                "externalSignerProposal", service, member=self.committer, description=description
            )
            self.by_reference.append(signed)
        else:
            self.propose("removeProposal", "remove", removed=member)
        self.removed.append(member)

    def key(self):
        if self.takes_keys:
            self.takes_keys = self.takes_newcomers = False
            clients = list(self.scenario.members) + self.joiners
            self.propose("externalPSKProposal", "externalPSK", pskID=self.scenario.key(clients))

    def resumption(self):
        scenario = self.scenario
        first = max(*scenario.members.values(), scenario.epoch - EPOCHS_BACK, 0)
        # A newcomer has no resumption key of the group.
        if self.takes_keys and not self.joiners and first <= scenario.epoch:
            self.takes_keys = self.takes_newcomers = False
            epoch = self.rng.randint(first, scenario.epoch)
            self.propose("resumptionPSKProposal", "resumptionPSK", epochID=epoch)

    def extensions(self):
        if self.has_extensions:
            return
        self.has_extensions = True
        known = self.scenario.services
        if len(known) < SERVICES and self.scenario.chance(0.5):
            service = f"service{len(known) + 1}"
            self.services = [*known, service]
            actor = self.scenario.anyone(*self.removed)
            self.by_reference.append(self.scenario.step("addExternalSigner", actor, signer=service))
        else:
            lists = [[], [{"extension_type": 3, "extension_data": "AAAA"}]]
            self.propose(
                "groupContextExtensionsProposal", "groupContextExtensions", extensions=self.rng.choice(lists)
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="what is drawn depends on this")
    parser.add_argument("--scenarios", type=int, default=1, help="how many")
    parser.add_argument("--epochs", type=int, default=40, help="epochs of each")
    options = parser.parse_args()
    scripts = {}
    for number in range(options.scenarios):
        scenario = Scenario(random.Random(f"{options.seed} {number}"))
        for _ in range(options.epochs):
            scenario.next_epoch()
        scripts[f"random{number}"] = scenario.steps
    json.dump({"scripts": scripts}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
