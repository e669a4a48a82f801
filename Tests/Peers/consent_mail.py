"""Attacks by mail: what cannot be believed, before what is honest; requests without end; more than one could check."""

import itertools
import os

from cryptography.hazmat.primitives.asymmetric import ed25519

from consent_client import envelope, fetched
from consent_order import Mailer, attack, known, stranger, told, trap
from cost_client import b64

# The longest envelope that a relay takes.
LONGEST = 1 << 17


def forged(room, victim):
    """In one's own name, and signed by another key."""
    return room.envelope(victim, signer=ed25519.Ed25519PrivateKey.generate())


def posing(room, victim, friend):
    """In the name of somebody whom the victim knows."""
    return room.envelope(victim, claims=(friend.account, friend.handle))


def misnamed(room, victim, friend):
    """From one's own account, and under the handle of somebody whom the victim knows."""
    return room.envelope(victim, claims=(room.person.account, friend.handle))


def malformed(room, victim):
    whole = room.envelope(victim)
    return (b"\x00", whole[:-1], whole + b"\x00", os.urandom(200))[whole[-1] % 4]


def elsewhere(room, victim):
    """For another room than the one with whose change it comes."""
    return envelope(room.person, victim, os.urandom(16), 1, room.invitation())


def misfit(room, victim):
    """A room that the victim is no member of."""
    return room.envelope(victim, [told(room.person.handle)])


def large(room, victim):
    return os.urandom(LONGEST)


# MARK: One bad item


@attack
def item_pinned(order):
    person, _, victim = known(order)
    friend, mailer = fetched(person, order.friend), Mailer(person, victim)
    while True:
        yield from mailer.send(lambda room: posing(room, victim, friend))


@attack
def item_misnamed(order):
    person, victim = stranger(order)
    friend, mailer = fetched(person, order.friend), Mailer(person, victim)
    while True:
        yield from mailer.send(lambda room: misnamed(room, victim, friend))


@attack
def item_signature(order):
    person, _, victim = known(order)
    mailer = Mailer(person, victim)
    while True:
        yield from mailer.send(lambda room: forged(room, victim))


@attack
def item_malformed(order):
    person, _, victim = known(order)
    mailer = Mailer(person, victim)
    while True:
        yield from mailer.send(lambda room: malformed(room, victim))
        yield from mailer.send(lambda room: large(room, victim))


@attack
def item_elsewhere(order):
    person, _, victim = known(order)
    mailer = Mailer(person, victim)
    while True:
        yield from mailer.send(lambda room: elsewhere(room, victim))
        yield from mailer.send(lambda room: misfit(room, victim))


@attack
def item_ahead(order):
    """Keys of the attacker's own for generations to come of a room that both are in, beside honest invitations."""
    person, room, victim = known(order)
    guests = [fetched(person, guest.handle) for guest in order.people(12)]
    for ahead, guest in enumerate(guests, 1):
        room.follow()
        key = room.invitation(room.members + [guest.member], os.urandom(32))
        envelopes = [
            (guest, room.envelope(guest, room.members + [guest.member])),
            (victim, envelope(person, victim, room.room, room.generation + ahead, key)),
        ]
        change = room.change("add", [guest.account], envelopes)
        status = room.say({"invited": {"member": b64(guest.member), "list": guest.list}}, change)
        if status == 201:
            room.members = room.members + [guest.member]
        yield status


# MARK: Requests


@attack
def requests_rooms(order):
    person, victim = stranger(order)
    while True:
        yield trap(person, victim, "lair")[0]


@attack
def requests_strangers(order):
    people = order.people(25)
    victim = fetched(people[0], order.victim)
    for person in itertools.cycle(people):
        yield trap(person, victim, "lair")[0]


@attack
def requests_names(order):
    person, victim = stranger(order)
    for title in itertools.cycle(order.titles + [victim.handle, "\x1b[2J\u202e", ""]):
        yield trap(person, victim, title)[0]


@attack
def requests_rosters(order):
    person, victim = stranger(order)
    while True:
        crowd = [told(f"crowd{number}") for number in range(500)]
        yield trap(person, victim, "lair", crowd)[0]


# MARK: Junk


def junk(mailers, victim, friend):
    """All that cannot be believed, by turns."""
    kinds = [
        forged,
        lambda room, victim: posing(room, victim, friend),
        lambda room, victim: misnamed(room, victim, friend),
        malformed,
        elsewhere,
        misfit,
    ]
    for mailer, kind in zip(itertools.cycle(mailers), itertools.cycle(kinds)):
        yield from mailer.send(lambda room: kind(room, victim))


@attack
def intake_fellow(order):
    person, _, victim = known(order)
    yield from junk([Mailer(person, victim)], victim, fetched(person, order.friend))


@attack
def intake_stranger(order):
    person, victim = stranger(order)
    yield from junk([Mailer(person, victim)], victim, fetched(person, order.friend))


@attack
def intake_network(order):
    people = order.people(20)
    victim, friend = fetched(people[0], order.victim), fetched(people[0], order.friend)
    yield from junk([Mailer(person, victim, rooms=1) for person in people], victim, friend)


@attack
def intake_both(order):
    """A fellow member and a stranger, who fill both parts of the mailbox."""
    person, _, victim = known(order)
    mailers = [Mailer(person, victim), Mailer(order.person(), victim)]
    yield from junk(mailers, victim, fetched(person, order.friend))
