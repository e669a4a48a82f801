"""Plays groups drawn at random between mls-client and libraries of MLS for Python, each in a program of its own.

    rooms.py --client PATH/mls-client --peer openmls.py --peer mls_rs.py --peer rine.py --rooms 200 --seed 1

In each group there are Mildam and some of the others. One makes it; people are added, removed, join from outside and
come back so; members commit. After each epoch all export the same and have the same authenticator, as far as a package
tells them. What some of them say is read by the others, and by nobody who was removed. A package does not do all that
its library can: what it does stands in ABILITIES.
"""

import argparse
import base64
import collections
import dataclasses
import itertools
import json
import pathlib
import random
import signal
import subprocess
import sys
import time

SUITE = 1
# The most members that a group has, and the epochs after its first.
MEMBERS = 8
EPOCHS = 10
# Nobody takes so long for a group.
SECONDS = 60
# In so many groups everything comes about that can.
MANY = 100
# What is counted.
COLUMNS = ["welcomes", "commits", "removes", "joins", "returns", "messages"]


class Failure(Exception):
    """Why a group came to an end before its time: who did what."""


@dataclasses.dataclass(frozen=True)
class Abilities:
    """What a package does of what MLS has."""

    # How many people a commit adds.
    adds: int = MEMBERS
    # Whom it removes: "all"; "own" for those of the same package; "low" for those whose leaf has a lower number than
    # there are members, which is all until somebody goes.
    removes: str = "all"
    # Commits that bring nothing but new keys.
    updates: bool = True
    # Commits that add and remove.
    mixes: bool = False
    # Proposals by themselves: whether it sends and takes them.
    proposes: bool = False
    # Whether one joins from outside with it, and whether it describes a group for that.
    joins: bool = False
    # Whether it sends messages of the application's.
    speaks: bool = True
    # Whether it tells what the group exports.
    exports: bool = True
    # Its handshakes: sealed, open, or either; the first takes no open ones from members.
    handshakes: str = "open"
    # Whether it takes extensions that mean nothing.
    takes_grease: bool = True


ABILITIES = {
    "mildam": Abilities(mixes=True, proposes=True, joins=True, handshakes="either"),
    "openmls": Abilities(adds=1, removes="low", updates=False, speaks=False, handshakes="sealed", takes_grease=False),
    "mls-rs": Abilities(removes="own", proposes=True),
    "rine-mls": Abilities(updates=False, joins=True, exports=False),
}


class Program:
    """An implementation: a program that answers each line of JSON with another."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.name = "?"
        self.name = self.call("Name")["name"]
        self.can = ABILITIES[self.name]

    def call(self, rpc, **request):
        line = json.dumps({"rpc": rpc, "request": encoded(request)})
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failure(f"{self.name} has ended before {rpc}") from None
        answer = self.process.stdout.readline()
        if not answer:
            raise Failure(f"{self.name} ended at {rpc}")
        answer = json.loads(answer)
        if "error" in answer:
            raise Failure(f"{self.name} refused {rpc}: {answer['error']}")
        return answer["response"]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def encoded(value):
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, list):
        return [encoded(item) for item in value]
    if isinstance(value, dict):
        return {name: encoded(item) for name, item in value.items()}
    return value


def decoded(answer, name):
    """Bytes of an answer; `None` where it has none."""
    return base64.b64decode(answer[name]) if name in answer else None


class Person:
    """Somebody, of one implementation."""

    def __init__(self, name, program):
        self.name = name
        self.program = program
        self.can = program.can
        self.identity = name.encode()
        self.state = self.transaction = self.package = None
        # The number of their leaf.
        self.place = 0

    def __str__(self):
        return f"{self.name} ({self.program.name})"

    def call(self, rpc, **request):
        """A call about the group as they have it; who comes in has none yet."""
        state = {} if self.state is None else {"state_id": self.state}
        return self.program.call(rpc, **state, **request)

    def takes(self, answer):
        """The state that they have by now; the authenticator of its epoch, where the package tells it."""
        if self.state not in (None, answer["state_id"]):
            self.program.call("Free", state_id=self.state)
        self.state = answer["state_id"]
        self.identity = decoded(answer, "identity") or self.identity
        return decoded(answer, "epoch_authenticator")


class Room:
    """A group, and what becomes of it."""

    def __init__(self, number, seed, programs, counts):
        self.rng = random.Random(f"{seed} {number}")
        self.counts = counts
        ours = [program for program in programs if program.name == "mildam"]
        others = [program for program in programs if program.name != "mildam"]
        cast = self.rng.sample(others, self.rng.randint(1, len(others)))
        takes_grease = all(program.can.takes_grease for program in cast)
        # The first of ours has extensions that mean nothing; the second has none.
        self.cast = [self.rng.choice(ours) if takes_grease else ours[-1], *cast]
        self.seals = any(program.can.handshakes == "sealed" for program in cast) or self.chance(0.5)
        self.packages = collections.deque()
        self.members = []
        self.born = 0
        self.prepare()

    def chance(self, of):
        return self.rng.random() < of

    def person(self, program):
        self.born += 1
        return Person(f"member{self.born}", program)

    def prepare(self):
        """The founder's group, and who may be added later: each implementation of the cast has some."""
        founder = self.person(self.rng.choice(self.cast))
        founder.takes(
            founder.program.call(
                "CreateGroup",
                group_id=self.rng.randbytes(16),
                cipher_suite=SUITE,
                encrypt_handshake=self.seals,
                identity=founder.identity,
            )
        )
        self.members = [founder]
        programs = self.cast + self.rng.choices(self.cast, k=MEMBERS)
        self.rng.shuffle(programs)
        for program in programs:
            person = self.person(program)
            answer = program.call("CreateKeyPackage", cipher_suite=SUITE, identity=person.identity)
            person.transaction = answer["transaction_id"]
            person.package = decoded(answer, "key_package")
            person.identity = decoded(answer, "identity") or person.identity
            self.packages.append(person)

    def play(self):
        self.commit(self.members[0], self.newcomers(self.members[0].can.adds, 3), [])
        for _ in range(EPOCHS):
            joiners = [program for program in self.cast if program.can.joins]
            if self.chance(0.25) and any(member.can.joins for member in self.members):
                self.join(self.rng.choice(joiners))
            else:
                self.evolve()

    def newcomers(self, *most):
        count = min(len(self.packages), MEMBERS - len(self.members), *most)
        return [self.packages.popleft() for _ in range(self.rng.randint(1, count))] if count > 0 else []

    # Commits

    def committers(self):
        """Those whose commits all the others take."""
        sealed = any(member.can.handshakes == "sealed" for member in self.members)
        return [member for member in self.members if not sealed or member.can.handshakes != "open"]

    def evolve(self):
        committer = self.rng.choice(self.committers())
        added, removed = [], []
        roll = self.rng.random()
        if roll < 0.5 or committer.can.mixes and roll < 0.7:
            added = self.newcomers(committer.can.adds, 3)
        if 0.5 <= roll < 0.8:
            removed = self.leaving(committer)
        if not added and not removed and not committer.can.updates:
            removed = self.leaving(committer)
            if not removed:
                added = self.newcomers(committer.can.adds, 1)
            if not added and not removed:
                return
        self.commit(committer, added, removed)

    def leaving(self, committer):
        """Somebody whom the committer can remove."""
        able = [member for member in self.members if member is not committer and self.can_remove(committer, member)]
        return [self.rng.choice(able)] if able and len(self.members) > 2 else []

    def can_remove(self, actor, member):
        if actor.can.removes == "own":
            return member.program is actor.program
        return actor.can.removes == "all" or member.place < len(self.members)

    def place(self, newcomers, members):
        """Each newcomer has the first free leaf (RFC 9420, section 7.7)."""
        taken = {member.place for member in members}
        for person in newcomers:
            person.place = next(place for place in itertools.count() if place not in taken)
            taken.add(person.place)

    def commit(self, committer, added, removed):
        proposals = []
        by_value = [{"proposal_type": b"add", "key_package": person.package} for person in added]
        by_value += [{"proposal_type": b"remove", "removed_id": person.identity} for person in removed]
        if all(member.can.proposes for member in self.members) and self.chance(0.5):
            proposals = self.proposals(added, removed)
            by_value = []
        answer = committer.call("Commit", by_reference=proposals, by_value=by_value, force_path=self.chance(0.3))
        authenticators = {committer: committer.takes(committer.call("HandlePendingCommit"))}
        for member in self.members:
            if member is not committer and member not in removed:
                after = member.call("HandleCommit", proposal=proposals, commit=decoded(answer, "commit"))
                authenticators[member] = member.takes(after)
        for place, person in enumerate(added):
            welcome = answer["welcomes"][place] if "welcomes" in answer else answer["welcome"]
            after = person.program.call(
                "JoinGroup",
                transaction_id=person.transaction,
                welcome=base64.b64decode(welcome),
                encrypt_handshake=self.seals,
                identity=person.identity,
            )
            authenticators[person] = person.takes(after)
            self.count("welcomes", committer, person)
        for person in removed:
            self.count("removes", committer, person)
        for member in self.members:
            if member is not committer and member not in removed:
                self.count("commits", committer, member)
        self.members = [member for member in self.members if member not in removed]
        self.place(added, self.members)
        self.members += added
        self.agree(authenticators, removed)

    def proposals(self, added, removed):
        """Each sent by somebody who can."""
        messages = []
        for person in added:
            proposer = self.rng.choice([member for member in self.members if member not in removed])
            messages.append(proposer.call("AddProposal", key_package=person.package)["proposal"])
        for person in removed:
            able = [member for member in self.members if member is not person and self.can_remove(member, person)]
            messages.append(self.rng.choice(able).call("RemoveProposal", removed_id=person.identity)["proposal"])
        return [base64.b64decode(message) for message in messages]

    # From outside

    def join(self, program):
        """A newcomer, or somebody who comes back, by the description of a member who is not they."""
        back = [member for member in self.members if member.program is program]
        person = self.rng.choice(back) if back and self.chance(0.4) else None
        hosts = [member for member in self.members if member.can.joins and member is not person]
        if not hosts or (person is None and len(self.members) >= MEMBERS):
            return
        returns = person is not None
        person = person or self.person(program)
        host = self.rng.choice(hosts)
        answer = person.call(
            "ExternalJoin",
            group_info=decoded(host.call("GroupInfo"), "group_info"),
            encrypt_handshake=self.seals,
            identity=person.identity,
            remove_prior=returns,
        )
        others = [member for member in self.members if member is not person]
        authenticators = {person: person.takes(answer)}
        for member in others:
            authenticators[member] = member.takes(member.call("HandleCommit", commit=decoded(answer, "commit")))
            self.count("returns" if returns else "joins", person, member)
        self.place([person], others)
        self.members = [*others, person]
        self.agree(authenticators, [])

    # What all have to have

    def agree(self, authenticators, removed):
        known = {member: secret for member, secret in authenticators.items() if secret is not None}
        if len(set(known.values())) > 1:
            raise Failure("the epoch authenticators differ: " + ", ".join(map(str, known)))
        exports = collections.defaultdict(list)
        for member in self.members:
            if member.can.exports:
                answer = member.call("Export", label="interop", context=b"context", key_length=32)
                exports[answer["exported_secret"]].append(str(member))
        if len(exports) > 1:
            raise Failure(f"the members export different secrets: {list(exports.values())}")
        speakers = [member for member in self.members if member.can.speaks]
        for speaker in self.rng.sample(speakers, min(2, len(speakers))):
            self.talk(speaker, removed)

    def talk(self, speaker, removed):
        text = self.rng.randbytes(self.rng.choice([1, 20, 1000, 20_000]))
        message = decoded(speaker.call("Protect", plaintext=text), "ciphertext")
        for member in self.members:
            if member is speaker:
                continue
            answer = member.call("Unprotect", ciphertext=message)
            if "plaintext" in answer and decoded(answer, "plaintext") != text:
                raise Failure(f"{member} reads something else than {speaker} has said")
            self.count("messages", speaker, member)
        for person in removed:
            try:
                person.call("Unprotect", ciphertext=message)
            except Failure:
                continue
            raise Failure(f"{person} was removed, and reads what {speaker} says")

    def count(self, what, actor, other):
        """What came out between two implementations, one of which is ours."""
        if "mildam" in (actor.program.name, other.program.name):
            self.counts[what, actor.program.name, other.program.name] += 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--client", required=True, help="the program mls-client")
    parser.add_argument("--peer", required=True, action="append", type=pathlib.Path, help="a library's program")
    parser.add_argument("--rooms", type=int, default=20, help="so many groups")
    parser.add_argument("--seed", default="1", help="what is drawn depends on this")
    return parser.parse_args()


def late(*_):
    raise TimeoutError(f"a group took more than {SECONDS} s")


def table(counts):
    yield "| from | to | " + " | ".join(COLUMNS) + " |"
    yield "| --- | --- " + "| ---: " * len(COLUMNS) + "|"
    for actor, other in sorted({(actor, other) for _, actor, other in counts}):
        yield f"| {actor} | {other} | " + " | ".join(str(counts[what, actor, other] or "") for what in COLUMNS) + " |"


def missing(counts, programs):
    """What never came about between Mildam and a package, though both can do it."""
    others = {program.name: program.can for program in programs if program.name != "mildam"}
    for name, can in others.items():
        for what in COLUMNS:
            if not counts[what, "mildam", name]:
                yield f"{what}: mildam, {name}"
            joins = what not in ("joins", "returns") or can.joins
            speaks = what != "messages" or can.speaks
            # Mildam is not of its package.
            removes = what != "removes" or can.removes != "own"
            if joins and speaks and removes and not counts[what, name, "mildam"]:
                yield f"{what}: {name}, mildam"


def play(options, programs, counts):
    """Plays all groups; why some did not come out."""
    rooms = [Room(number, options.seed, programs, counts) for number in range(options.rooms)]
    # OpenMLS takes a key package for too young in the second in which it was made.
    time.sleep(2)
    failures = []
    signal.signal(signal.SIGALRM, late)
    for number, room in enumerate(rooms):
        signal.alarm(SECONDS)
        try:
            room.play()
        except Failure as failure:
            failures.append(f"group {number}, {'sealed' if room.seals else 'open'}: {failure}")
        signal.alarm(0)
    return failures


def main():
    options = arguments()
    programs = [Program([options.client]), Program([options.client, "--no-grease-extensions"])]
    programs += [Program([sys.executable, "-B", str(path)]) for path in options.peer]
    counts = collections.Counter()
    try:
        failures = play(options, programs, counts)
    except BaseException:
        for program in programs:
            program.process.kill()
        raise
    for program in programs:
        program.stop()
    good = options.rooms - len(failures)
    if options.rooms >= MANY:
        failures += [f"never came about: {pair}" for pair in missing(counts, programs)]
    print("\n".join(table(counts)))
    print(f"{good} of {options.rooms} groups came out, seed {options.seed}")
    print("\n".join(failures), file=sys.stderr)
    return 1 if failures or not options.rooms else 0


if __name__ == "__main__":
    sys.exit(main())
