"""One who asks a relay for as much as it can be made to do.

Standard input is a JSON object: "relay" with "port" and "tls", the address of loopback to come from ("source"), "attack",
"connections", "seconds", and the "victim": its handle, and in hexadecimal its device, a key package and the leaf of that.
It registers what it needs, prints "attacking", attacks for so long, and prints how often it was answered what, as a JSON
object. With the argument `list` it prints the attacks, a line each: the first of each family is the attack as it was
found.
"""

import itertools
import json
import os
import random
import sys
import time

from cost_client import Client, Crowd, Person, Place, random_name, request, url64
from cost_flood import FFDHE8192, X25519, Closed, Handshakes, Hellos, Kept
from mls_room import STRUCTURE, Device, Room, make_room

ATTACKS = {}
# As long as the relay takes JSON from anybody, and records of an account.
SHORT, LONG = 16_000, 64_000
# Something said that makes a message about as long as a room takes it.
LARGEST = (1 << 18) - 500


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
    room = make_room(person)
    for _ in range(4):
        body, _ = room.saying(os.urandom(LARGEST))
        person.client.ask("POST", room.path + "/group/messages", structure=body)
    return room


def page(person):
    return request("GET", f"{full_room(person).path}/messages?from=1", token(person))


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
        make_room(person)
    return Closed(order.place, itertools.repeat(request("GET", "/v1/rooms", token(person))))


@attack
def turns_bodies(order):
    person = order.person()
    room = make_room(person)
    body, _ = room.saying(os.urandom(SHORT * 16))
    made = request("POST", room.path + "/group/messages", token(person), body, STRUCTURE)
    return Closed(order.place, itertools.repeat(made))


@attack
def turns_kept(order):
    return order.kept(itertools.repeat(page(order.person())))


# MARK: Disk


class Committing:
    """Commits in a room again and again: its owner has new keys each time, or somebody comes in and goes again."""

    def __init__(self, owner, **options):
        self.room, self.token, self.options = make_room(owner), token(owner), options
        self.prepare()

    def prepare(self):
        # Who is there goes: that takes no key package, and brings no Welcome.
        options = {} if self.room.guest else self.options
        body, self.after = self.room.commit(**options)
        self.request = request("POST", self.room.path + "/group/messages", self.token, body, STRUCTURE)

    def __call__(self, status, content):
        if status == "201":
            self.room = self.after
            self.prepare()
        return self.request


def committing(owners, rooms, **options):
    return [Committing(owner, **options) for owner in owners for _ in range(rooms)]


@attack
def disk_commits(order):
    return Kept(order.place, committing(order.people(4), 4, filling=120_000))


@attack
def disk_keys(order):
    return Kept(order.place, committing(order.people(5), 4))


@attack
def disk_group_infos(order):
    made = []
    for person in order.people(4):
        room = make_room(person)
        bodies = [room.another_group_info(120_000) for _ in range(8)]
        made += [request("PUT", room.path + "/group-info", token(person), body, STRUCTURE) for body in bodies]
    return order.kept(itertools.cycle(made), at_once=1)


@attack
def disk_messages(order):
    rooms = [(token(person), make_room(person)) for person in order.people(4)]
    content = os.urandom(LARGEST)

    def requests():
        for holder, room in itertools.cycle(rooms):
            body, _ = room.saying(content)
            yield request("POST", room.path + "/group/messages", holder, body, STRUCTURE)

    return order.kept(requests(), at_once=1)


@attack
def disk_rooms(order):
    holders = [(token(person), Device(person)) for person in order.people(10)]

    def requests():
        for holder, device in itertools.cycle(holders):
            room = Room(device)
            yield request("PUT", room.path + "/group", holder, room.creation(), STRUCTURE)

    return order.kept(requests())


@attack
def disk_blobs(order):
    rooms = [(token(person), make_room(person)) for person in order.people(4)]

    def requests():
        for holder, room in itertools.cycle(rooms):
            path = f"{room.path}/blobs/{random_name()}?size=1000000&offset=0"
            yield request("PUT", path, holder, os.urandom(100), "application/octet-stream")

    return order.kept(requests())


# MARK: JSON


def sends(order, bodies):
    """Bodies to the route of an account that takes the longest."""
    person = order.person()
    path = f"/v1/accounts/{person.handle}/devices"
    made = [request("PUT", path, token(person), body) for body in bodies]
    return order.kept(itertools.cycle(made), at_once=1)


@attack
def json_duplicates(order):
    few = b'{"time":0,' + b'"time":1,' * (LONG // 9) + b'"time":2}'
    many = b"{" + b",".join(b'"k%d":0' % (number % 1000) for number in range(LONG // 10)) + b"}"
    return sends(order, [few, many])


@attack
def json_deep(order):
    deep = b'{"bundle":' + b"[" * (LONG // 2) + b"]" * (LONG // 2) + b"}"
    wide = b'{"bundle":{"devices":[' + b",".join([b"[" * 12 + b"]" * 12] * (LONG // 25)) + b"]}}"
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


def strangers(order, count, size, rooms=1):
    """Strangers who put the victim into a room and out of it again, each time with a Welcome of so many bytes."""
    victim = {key: bytes.fromhex(order.victim[key]) for key in ("key_package", "leaf")}
    return Kept(order.place, committing(order.people(count), rooms, welcome=size, **victim))


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
