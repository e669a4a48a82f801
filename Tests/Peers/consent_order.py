"""What the attacks on a client share: the order, the people who attack, and the ways by which something reaches the
victim.

An attack is a generator: what it does before its first answer is its preparation, and then it yields a status for each
thing that it asked of the relay.
"""

import collections
import json
import os
import socket
import time

from cryptography.hazmat.primitives.asymmetric import ed25519

from consent_client import fetched, mail, member
from consent_room import Room, content
from cost_client import Client, Person, Place, b64, message, public

ATTACKS = {}
# How long an invitation is waited for, in seconds.
PATIENCE = 60


def attack(function):
    ATTACKS[function.__name__.replace("_", "-")] = function
    return function


class Prompt(Client):
    """A connection that holds nothing back: a request's head and body are two writes, and the second would wait."""

    def open(self):
        super().open()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class Order:
    """What is asked for: the victim's handle, that of a friend, and the names of the victim's rooms."""

    def __init__(self, order):
        self.place = Place(order["relay"]["port"], order["relay"]["tls"], order["source"])
        self.victim, self.friend, self.titles = order["victim"], order["friend"], order["rooms"]
        self.made = 0

    def person(self):
        """An account; no more than twenty are made from one address."""
        network, host = self.place.source.rsplit(".", 1)
        source = f"{network}.{int(host) + self.made // 20}"
        self.made += 1
        return Person(Prompt(self.place.seen_from(source)), "mallory" + os.urandom(6).hex()).register()

    def people(self, count):
        return [self.person() for _ in range(count)]

    def fellow(self):
        """Somebody whom the victim brings into a room, and that room."""
        person = self.person()
        print(f"ready {person.handle}\nwaiting", flush=True)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for invited in mail(person):
                return person, Room.joined(person, invited)
            time.sleep(0.1)
        raise RuntimeError("nobody invited " + person.handle)


def carry_out(steps, seconds, most):
    """Prints "attacking" once all is prepared, and at the end how often the attacker was answered what."""
    answers = collections.Counter()
    answers[next(steps)] += 1
    print("attacking", flush=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end and answers.total() < most:
        status = next(steps, None)
        if status is None:
            break
        answers[status] += 1
    print(json.dumps(answers), flush=True)


def told(handle, account=None, identity=None):
    """A member of whom there is the attacker's word alone."""
    identity = identity or public(ed25519.Ed25519PrivateKey.generate())
    return member(account or os.urandom(16), handle, identity)


def trap(person, victim, title, others=(), roster=None):
    """A room that the victim is invited to, with the status: a new one, or one whose invitation was refused before."""
    spare = vars(person).setdefault("spare", [])
    try:
        room = spare.pop() if spare else Room.made(person, title)
    except RuntimeError:  # More rooms than the relay lets an account make.
        return 429, None
    room.title = title
    status = deliver(room, victim, room.envelope(victim, roster)) if roster else room.invite(victim, others)
    if status != 201:
        spare.append(room)
    return status, room


def deliver(room, victim, body):
    """Brings the victim into a room, with these bytes in the place of an envelope."""
    said = content({"invited": {"member": b64(victim.member), "list": victim.list}}, room.history)
    return room.post(said, room.change("add", [victim.account], [(victim, body)]))


class Mailer:
    """Puts bytes into the victim's mailbox: by turns in each of a few rooms, which the victim is brought into and put
    out of."""

    def __init__(self, person, victim, rooms=4):
        self.person, self.victim = person, victim
        self.rooms = [Room.made(person, "mail") for _ in range(rooms)]
        self.entered = set()

    def send(self, made):
        """`made` gives the bytes for a room; the statuses of what it took to send them."""
        room = self.rooms.pop(0)
        self.rooms.append(room)
        if room in self.entered:
            status = self.put_out(room)
            yield status
            if status != 201:
                return
        status = deliver(room, self.victim, made(room))
        if status == 201:
            self.entered.add(room)
        yield status

    def put_out(self, room):
        request = message(b"x", room.change("remove", [self.victim.account]), room.generation + 1)
        status, answer = self.person.client.ask("POST", room.path, request)
        if status == 201:
            self.entered.remove(room)
            room.generation += 1
            # Nobody reads these rooms: what their running hash would be does not matter.
            room.history = (answer["number"], room.history[1])
        return status


def known(order):
    """Somebody whom the victim knows, the room that both are in, and the victim's records."""
    person, room = order.fellow()
    return person, room, fetched(person, order.victim)


def stranger(order):
    person = order.person()
    return person, fetched(person, order.victim)
