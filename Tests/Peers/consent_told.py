"""Attacks by telling: rosters and messages that give others' handles to keys of the attacker's own."""

from consent_client import fetched, own_member
from consent_order import attack, known, stranger, told, trap
from cost_client import b64

# Handles that people would trust; nobody has some of them.
TRUSTED = ["bank", "police"]


def impostors(order):
    return [told(handle) for handle in TRUSTED + [order.friend]]


def full(person, victim, others):
    """As many members as one envelope names."""
    crowd = [told(f"crowd{number}") for number in range(730 - 2 - len(others))]
    return [own_member(person), victim.member] + others + crowd


@attack
def told_roster(order):
    person, victim = stranger(order)
    while True:
        yield trap(person, victim, "lair", impostors(order))[0]


@attack
def told_later(order):
    """As many rooms as the victim's client keeps requests of one sender, and later words in each of them."""
    person, victim = stranger(order)
    told_of = impostors(order)
    accomplices = order.people(len(told_of))
    rooms = []
    for _ in range(6):
        status, room = trap(person, victim, "lair")
        yield status
        rooms.append(room)
        for impostor, accomplice in zip(told_of, accomplices):
            yield room.tell(impostor, accomplice)
    while True:
        for room in rooms:
            for impostor in told_of:
                yield room.say({"invited": {"member": b64(impostor), "list": 1}})
                yield room.say({"text": {"body": "welcome"}})


@attack
def told_many(order):
    person, victim = stranger(order)
    while True:
        yield trap(person, victim, "lair", roster=full(person, victim, impostors(order)))[0]


@attack
def told_victim(order):
    """The victim's own handle under another account, and the victim's own account under another key."""
    person, victim = stranger(order)
    while True:
        yield trap(person, victim, "lair", [told(order.victim)])[0]
        yield trap(person, victim, "lair", roster=[own_member(person), told(order.victim, victim.account)])[0]


@attack
def told_account(order):
    """The friend's handle with another account and their own key, and their account with another key or handle."""
    person, victim = stranger(order)
    friend = fetched(person, order.friend)
    lies = [
        told(order.friend, identity=friend.identity),
        told(order.friend, friend.account),
        told("bank", friend.account, friend.identity),
    ]
    while True:
        for lie in lies:
            yield trap(person, victim, "lair", [lie])[0]


@attack
def told_fellow(order):
    """The same in a room that the victim is in already."""
    person, room, _ = known(order)
    told_of = impostors(order)
    accomplices = order.people(len(told_of))
    while True:
        for impostor, accomplice in zip(told_of, accomplices):
            room.follow()
            yield room.tell(impostor, accomplice)
            # And without a change.
            yield room.say({"invited": {"member": b64(impostor), "list": 1}})
