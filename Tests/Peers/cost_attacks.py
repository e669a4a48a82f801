"""One who asks a relay for as much as it can be made to do.

Standard input is a JSON object: "relay" with "port" and "tls", the address of loopback to come from ("source"), "attack",
"connections", "seconds", and the "victim": its account and device in hexadecimal, and its handle. It registers what it
needs, prints "attacking", attacks for so long, and prints how often it was answered what, as a JSON object. With the
argument `list` it prints the attacks, a line each: the first of each family is the attack as it was found.
"""

import itertools
import json
import os
import random
import sys
import time

from cost_client import Client, Crowd, Person, Place, b64, message, name, random_name, request, url64
from cost_flood import FFDHE8192, X25519, Closed, Handshakes, Hellos, Kept

ATTACKS = {}
# As long as the relay takes it from anybody, and from an account.
SHORT, LONG = 16_000, 1 << 20


def attack(function):
    ATTACKS[function.__name__.replace("_", "-")] = function
    return function


class Order:
    def __init__(self, order):
        self.place = Place(order["relay"]["port"], order["relay"]["tls"], order["source"])
        self.crowd = Crowd(self.place)
        self.connections = order["connections"]
        self.victim = order["victim"]

    def person(self):
        return Person(Client(self.place), "mallory" + os.urandom(6).hex()).register()

    def people(self, count):
        return [self.person() for _ in range(count)]

    def kept(self, requests, at_once=8):
        """The same requests in turn over every connection, without waiting for answers."""
        talkers = [lambda status, content: next(requests)] * self.connections
        return Kept(self.place, talkers, at_once)


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def token(person):
    return person.client.token


# MARK: TLS


@attack
def tls_ffdhe(order):
    return Hellos(order.place, FFDHE8192, order.connections, "answered")


@attack
def tls_half(order):
    return Hellos(order.place, X25519, order.connections, "answered")


@attack
def tls_kept(order):
    return Hellos(order.place, X25519[: len(X25519) // 2], 8 * order.connections, "kept")


@attack
def tls_dropped(order):
    return Handshakes(order.place, min(order.connections, 8))


# The same from many addresses, each within its own rates.


@attack
def tls_ffdhe_many(order):
    return Hellos(order.crowd, FFDHE8192, order.connections, "answered")


@attack
def tls_closed_many(order):
    return Hellos(order.crowd, X25519, order.connections, "closed")


@attack
def tls_half_many(order):
    return Hellos(order.crowd, X25519, 4 * order.connections, "answered")


@attack
def tls_kept_many(order):
    return Hellos(order.crowd, X25519[: len(X25519) // 2], 32 * order.connections, "kept")


@attack
def tls_dropped_many(order):
    return Handshakes(order.crowd, min(order.connections, 8))


# MARK: Turns


def full_room(person):
    """A room whose first page is 1 MiB."""
    room = person.make_room()
    for _ in range(4):
        person.client.ask("POST", f"/v1/rooms/{room}/messages", message(os.urandom(1 << 18)))
    return room


def page(person):
    return request("GET", f"/v1/rooms/{full_room(person)}/messages?from=1", token(person))


@attack
def turns_reads(order):
    return Closed(order.place, itertools.repeat(page(order.person())))


@attack
def turns_slow(order):
    return Closed(order.place, itertools.repeat(page(order.person())), pause=0.02)


@attack
def turns_network(order):
    return Closed(order.place, itertools.cycle([page(person) for person in order.people(10)]))


@attack
def turns_rooms(order):
    person = order.person()
    for _ in range(50):
        person.make_room()
    return Closed(order.place, itertools.repeat(request("GET", "/v1/rooms", token(person))))


@attack
def turns_bodies(order):
    person = order.person()
    room = person.make_room()
    change = {"action": "add", "accounts": [random_name()] * (SHORT * 16 // 29), "after": 0, "envelopes": []}
    body = compact(message(b"x", change))
    return Closed(
        order.place, itertools.repeat(request("POST", f"/v1/rooms/{room}/messages", token(person), body))
    )


@attack
def turns_kept(order):
    return order.kept(itertools.repeat(page(order.person())))


# MARK: Disk


class Renewing:
    """Renews a room's key again and again, with an envelope for each member."""

    def __init__(self, owner, members, size):
        self.path, self.token = f"/v1/rooms/{owner.make_room()}/messages", token(owner)
        self.generation, self.last = 1, 0
        accounts = [name(person.account) for person in members]
        add = {"action": "add", "accounts": accounts, "after": 0, "envelopes": []}
        status, answer = owner.client.ask("POST", self.path, message(b"x", add))
        if status == 201:
            self.last = answer["number"]
        self.envelopes = compact(
            [
                {"account": name(person.account), "device": name(person.device), "body": b64(os.urandom(size))}
                for person in members
            ]
        )

    def __call__(self, status, content):
        if status == "201":
            self.generation, self.last = self.generation + 1, json.loads(content)["number"]
        change = {"action": "renew", "accounts": [], "after": self.last, "envelopes": []}
        body = compact(message(b"x", change, self.generation + 1))
        body = body.replace(b'"envelopes":[]', b'"envelopes":' + self.envelopes)
        return request("POST", self.path, self.token, body)


@attack
def disk_envelopes(order):
    people = order.people(20)
    return Kept(order.place, [Renewing(owner, people[4:], 1 << 17) for owner in people[:4]])


@attack
def disk_rosters(order):
    people = order.people(25)
    return Kept(order.place, [Renewing(owner, people[5:], 1 << 10) for owner in people[:5]])


@attack
def disk_messages(order):
    rooms = [(token(person), person.make_room()) for person in order.people(4)]
    content = os.urandom(1 << 18)

    def requests():
        for holder, room in itertools.cycle(rooms):
            yield request("POST", f"/v1/rooms/{room}/messages", holder, compact(message(content)))

    return order.kept(requests(), at_once=1)


@attack
def disk_rooms(order):
    holders = [token(person) for person in order.people(10)]

    def requests():
        for holder in itertools.cycle(holders):
            yield request("POST", "/v1/rooms", holder, compact({"room": random_name()}))

    return order.kept(requests())


@attack
def disk_blobs(order):
    rooms = [(token(person), person.make_room()) for person in order.people(4)]

    def requests():
        for holder, room in itertools.cycle(rooms):
            path = f"/v1/rooms/{room}/blobs/{random_name()}?size=1000000&offset=0"
            yield request("PUT", path, holder, os.urandom(100), "application/octet-stream")

    return order.kept(requests())


# MARK: JSON


def sends(order, bodies):
    """Bodies to the route that takes the longest."""
    person = order.person()
    path = f"/v1/rooms/{person.make_room()}/messages"
    made = [request("POST", path, token(person), body) for body in bodies]
    return order.kept(itertools.cycle(made), at_once=1)


@attack
def json_duplicates(order):
    few = b'{"id":"a",' + b'"id":"b",' * (LONG // 9) + b'"id":"c"}'
    many = b"{" + b",".join(b'"k%d":0' % (number % 1000) for number in range(LONG // 10)) + b"}"
    return sends(order, [few, many])


@attack
def json_deep(order):
    deep = b'{"change":' + b"[" * (LONG // 2) + b"]" * (LONG // 2) + b"}"
    wide = b'{"change":{"accounts":[' + b",".join([b"[" * 12 + b"]" * 12] * (LONG // 25)) + b"]}}"
    return sends(order, [deep, wide])


@attack
def json_names(order):
    person = order.person()
    long = "x" * 15_000
    field = f"GET /v1/relay HTTP/1.1\r\nHost: relay\r\n{long}: {'y' * 500}\r\n\r\n".encode()
    made = [
        request("GET", "/v1/login/" + long),
        request("GET", "/" + "a/" * 7_000),
        request("GET", "/v1/rooms?after=" + "%61" * 5_000, token(person)),
        request("GET", "/v1/rooms?" + "&".join(f"{number}=1" for number in range(2_000)), token(person)),
        request("POST", "/v1/accounts", None, b'{"' + b"n" * 60_000 + b'":1}'),
        request("POST", "/v1/accounts", None, b'{"' + rb"\u0061" * 10_000 + b'":1}'),
        field,
    ]
    return order.kept(itertools.cycle(made), at_once=1)


@attack
def json_strangers(order):
    made = [
        request("POST", "/v1/accounts", None, b'{"handle":' + b"9" * 65_000 + b"}"),
        request("POST", "/v1/accounts", None, b'{"bundle":{"devices":[' + b'"AAAA",' * 9_000 + b'""]}}'),
        request("POST", "/v1/accounts", None, b'{"a":[' + b"1e-999," * 9_000 + b"0]}"),
    ]
    return order.kept(itertools.cycle(made), at_once=1)


# MARK: Logins


FORM = "application/x-www-form-urlencoded"


@attack
def login_wrong(order):
    person = order.person()
    person.handle, person.device = order.victim["handle"], bytes.fromhex(order.victim["device"])
    forms = [person.login_form(signature=os.urandom(64)).encode() for _ in range(50)]
    made = [request("POST", "/v1/token", None, form, FORM) for form in forms]
    return order.kept(itertools.cycle(made), at_once=1)


@attack
def login_salts(order):
    def requests():
        while True:
            yield request("GET", f"/v1/login/nobody{random.randrange(10**12)}")

    return order.kept(requests())


@attack
def login_refresh(order):
    person = order.person()
    own = person.refresh
    made = []
    for number in range(50):
        presented = own if number % 2 else f"{random_name()}.{url64(os.urandom(32))}"
        form = person.refresh_form(presented, signature=os.urandom(64)).encode()
        made.append(request("POST", "/v1/token", None, form, FORM))
    return order.kept(itertools.cycle(made), at_once=1)


@attack
def login_network(order):
    forms = [person.login_form().encode() for person in order.people(20)]
    made = [request("POST", "/v1/token", None, form, FORM) for form in forms]
    return Closed(order.place, itertools.cycle(made))


# MARK: Mailboxes


class Inviting:
    """A stranger who puts the victim into a room and out of it again, each time with an envelope."""

    def __init__(self, stranger, victim, size):
        self.path, self.token = f"/v1/rooms/{stranger.make_room()}/messages", token(stranger)
        self.account, self.device = (name(bytes.fromhex(victim[key])) for key in ("account", "device"))
        self.generation, self.last, self.is_in = 1, 0, False
        self.envelope = b64(os.urandom(size))

    def __call__(self, status, content):
        if status == "201":
            self.generation += self.is_in
            self.is_in = not self.is_in
            self.last = json.loads(content)["number"]
        envelope = {"account": self.account, "device": self.device, "body": self.envelope}
        change = {
            "action": "remove" if self.is_in else "add",
            "accounts": [self.account],
            "after": self.last,
            "envelopes": [] if self.is_in else [envelope],
        }
        body = compact(message(b"x", change, self.generation + self.is_in))
        return request("POST", self.path, self.token, body)


def strangers(order, count, size, rooms=1):
    talkers = [Inviting(one, order.victim, size) for one in order.people(count) for _ in range(rooms)]
    return Kept(order.place, talkers)


@attack
def mailbox_stranger(order):
    return strangers(order, 1, 200, rooms=4)


@attack
def mailbox_large(order):
    return strangers(order, 1, 1 << 17, rooms=4)


@attack
def mailbox_rooms(order):
    return strangers(order, 1, 200, rooms=50)


@attack
def mailbox_network(order):
    return strangers(order, 20, 2_000)


def main():
    if sys.argv[1:] == ["list"]:
        print("\n".join(ATTACKS))
        return
    order = json.load(sys.stdin)
    flood = ATTACKS[order["attack"]](Order(order))
    print("attacking", flush=True)
    end = time.monotonic() + order["seconds"]
    while time.monotonic() < end:
        flood.turn()
    print(json.dumps(flood.answers), flush=True)
    # Threads that are in a handshake are not waited for.
    os._exit(0)


main()
