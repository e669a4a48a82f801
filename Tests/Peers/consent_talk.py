"""Attacks by talking: a member of a room of the victim's who says as much there as the relay lets one say."""

import os

from consent_client import fetched
from consent_order import attack, known, told
from consent_room import content
from cost_client import b64, name

# The longest text whose message a relay takes: its box is padded to a little less than 256 KiB.
LONGEST = 245_000


def text(size=20):
    return {"text": {"body": os.urandom(size // 2).hex()}}


class Talker:
    """Says things as fast as they are taken. What it saw last is where it began: it need not follow what others say."""

    def __init__(self, room):
        self.room, self.seen = room, room.history

    def say(self, event, **keys):
        request, _, _ = self.room.send(content(event, self.seen), **keys)
        status, answer = self.room.person.client.ask("POST", self.room.path, request)
        if status == 409:
            self.room.follow()
            self.seen = self.room.history
        return status


@attack
def flood_texts(order):
    talker = Talker(known(order)[1])
    while True:
        yield talker.say(text())


@attack
def flood_long(order):
    talker = Talker(known(order)[1])
    while True:
        yield talker.say(text(LONGEST))


@attack
def flood_renewals(order):
    """A new key again and again, with envelopes for the others."""
    person, room, victim = known(order)
    others = [victim, fetched(person, order.friend)]
    while True:
        room.follow()
        yield room.renew(others)


@attack
def flood_guests(order):
    """Invitations of people who are nobody, with a change of members and without, and then texts. A mending makes a change for
    each of those people: of hundreds it would take as long as the rates say."""
    room = known(order)[1]
    talker = Talker(room)
    for accomplice in order.people(12) + [None] * 48:
        guest = told("guest" + os.urandom(6).hex())
        if accomplice:
            room.follow()
            yield room.tell(guest, accomplice)
        else:
            yield talker.say({"invited": {"member": b64(guest), "list": 1}})
    while True:
        yield talker.say(text())


@attack
def flood_rubbish(order):
    """What does not open: under another key, signed by another's key, no box at all, and content that is none."""
    person, room, _ = known(order)
    talker, other = Talker(room), order.person()
    while True:
        yield talker.say(text(), key=os.urandom(32))
        yield talker.say(text(), signer=other.key)
        yield talker.say({"nonsense": {"body": "x"}})
        yield talker.say({"removed": {"account": name(os.urandom(16))}})
        request, _, _ = room.send(b"x")
        request["body"] = b64(os.urandom(300))
        yield person.client.ask("POST", room.path, request)[0]
