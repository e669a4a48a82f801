"""A fellow member and a stranger who send at once what a relay lets an account send in a day, to a relay that counts
nothing.

Standard input is a JSON object as consent_attacks.py reads it, with "day": what each of them has, by the rules' names
in Documentation/capacity.md, and "share": the part of it that is sent.
"""

import itertools
import json
import sys

from consent_client import fetched
from consent_order import Mailer, Order, carry_out, known, stranger, trap
from consent_talk import LONGEST, Talker, text

# The rules that bound a day: their amounts come with the order. A change is a message as well, and counts as both.
RULES = ("message", "message_bytes", "change", "room_creation")
# What `message_bytes` counts for a message beside its body.
ROW = 256
# The bodies of the shortest text, and of the longest.
SHORT_BODY, LONG_BODY = 500, 262_144
# How many of the fellow member's sends are changes of her own rooms, and how many of the shared one: one of so many.
INVITATIONS, RENEWALS = 20, 100


class Day:
    """What is left of a day."""

    def __init__(self, order):
        self.left = {rule: int(order["day"][rule] * order["share"]) for rule in RULES}

    def take(self, body=SHORT_BODY, **others):
        """Whether there is enough left for one more send; it is then used up."""
        needed = {"message": 1, "message_bytes": ROW + body, **others}
        if any(self.left[rule] < amount for rule, amount in needed.items()):
            return False
        for rule, amount in needed.items():
            self.left[rule] -= amount
        return True

    def long_texts(self):
        """How many of the messages can be as long as any: the bytes that short ones would leave."""
        spare = self.left["message_bytes"] - self.left["message"] * (ROW + SHORT_BODY)
        return max(self.left["message_bytes"] // (20 * LONG_BODY), spare // (LONG_BODY - SHORT_BODY))


def talking(order, day, person, room, victim):
    """The fellow member: texts short and long, new keys, and invitations to rooms of her own."""
    others = [victim, fetched(person, order.friend)]
    talker = Talker(room)
    between = day.left["message"] // (day.long_texts() + 1) + 1
    for number in itertools.count(1):
        if number % between == 0 and day.take(LONG_BODY):
            yield talker.say(text(LONGEST))
        elif number % RENEWALS == 0 and day.take(change=1):
            room.follow()
            yield room.renew(others)
        elif number % INVITATIONS == 0 and day.take(2 * SHORT_BODY, message=2, change=1, room_creation=1):
            yield trap(person, victim, "lair")[0]
        elif day.take():
            yield talker.say(text())
        else:
            return


def asking(day, person, victim):
    """The stranger: invitations to one new room after the other, and in between into and out of a few."""
    mailer = Mailer(person, victim)
    while True:
        if day.take(2 * SHORT_BODY, message=2, change=1, room_creation=1):
            yield trap(person, victim, "den")[0]
        if not day.take(2 * SHORT_BODY, message=2, change=2):
            return
        yield from mailer.send(lambda room: room.envelope(victim))


def by_turns(*parts):
    parts = list(parts)
    while parts:
        for part in parts[:]:
            try:
                yield next(part)
            except StopIteration:
                parts.remove(part)


def main():
    given = json.load(sys.stdin)
    order = Order(given)
    person, room, victim = known(order)
    other, target = stranger(order)
    print("stranger", other.handle, flush=True)
    steps = by_turns(
        talking(order, Day(given), person, room, victim),
        asking(Day(given), other, target),
    )
    carry_out(steps, given["seconds"], given["most"])


main()
