"""An honest member, by an independent client: it joins the room that it is invited to, waits until somebody says
something there, says the same in turn, invites that person to a room of its own, and ends.

Standard input is a JSON object as consent_attacks.py reads it.
"""

import collections
import json
import sys
import time

from consent_client import fetched
from consent_order import PATIENCE, Order, known
from consent_room import Room, opened
from cost_client import name


def heard(room, victim):
    """The next text of this person that opens."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for account, where, body in room.follow():
            if account == name(victim.account):
                event = opened(room.key, where, body, victim.key)["event"]
                if "text" in event:
                    return event["text"]["body"]
        time.sleep(0.1)
    raise RuntimeError("nobody said anything")


def main():
    order = Order(json.load(sys.stdin))
    person, room, victim = known(order)
    # What an attacker prints when it begins: this one means no harm.
    print("attacking", flush=True)
    text = heard(room, victim)
    said = [room.say({"text": {"body": "heard: " + text}})]
    own = Room.made(person, "observatory")
    said += [own.invite(fetched(person, order.victim)), own.say({"text": {"body": "welcome"}})]
    print(json.dumps(collections.Counter(said)), flush=True)


main()
