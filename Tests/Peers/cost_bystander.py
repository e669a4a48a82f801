"""Somebody who uses a relay as people do, and how long each answer takes: before an attack on it, during it and after it,
and while the same attack runs against a second relay of the same machine, which is idle otherwise.

Standard input is a JSON object: "relay" and "idle", each with "port" and "tls"; "attack", a name of cost_attacks.py, and
its "connections"; "source", where the attacker comes from; "seconds", how long it lasts; "quiet", how long to measure
before and after; and "beside", how long while it runs against the second relay, or 0. Printed is one JSON object: what
each phase measured, what the attacker was answered, and what was wrong with an honest answer.
"""

import itertools
import json
import os
import pathlib
import subprocess
import sys
import time

from cost_client import Client, Person, Place, b64
from mls_room import Device, make_room

PAUSE = 0.005
# How often each is asked at least where nothing waits, in seconds.
EXPECTED = 0.05


class Bystander:
    def __init__(self, place):
        self.place = place
        self.person = Person(Client(place), "bystander" + os.urandom(4).hex()).register()
        self.client = self.person.client
        self.room = make_room(self.person)
        self.wrong = []
        # Each of them is somebody else: one address has no more than some handshakes a second.
        self.newcomers = itertools.cycle(f"127.0.1.{host}" for host in range(1, 255))

    def measure(self, seconds):
        """The times of reads, sends and new connections, for so long; an access token lasts for all of it."""
        times = {"send": [], "read": [], "connect": []}
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            body = os.urandom(64)
            for kind, turn in (("send", self.send), ("read", self.read), ("connect", self.connect)):
                start = time.perf_counter()
                try:
                    turn(body)
                except Exception as error:  # Whatever it is, an honest client was not served.
                    self.complain(f"{kind}: {type(error).__name__}: {error}")
                times[kind].append(time.perf_counter() - start)
            time.sleep(PAUSE)
        return {kind: summary(found) for kind, found in times.items()}

    def complain(self, what):
        if len(self.wrong) < 20:
            self.wrong.append(what)

    def send(self, body):
        request, self.said = self.room.saying(body)
        status, answer = self.client.ask("POST", self.room.path + "/group/messages", structure=request)
        if status != 201:
            return self.complain(f"send: {status} {answer}")
        self.last = answer["number"]

    def read(self, _):
        status, answer = self.client.ask("GET", f"{self.room.path}/messages?from={self.last}")
        if status != 200 or [found["body"] for found in answer["messages"]] != [b64(self.said)]:
            self.complain(f"read: {status} {str(answer)[:200]}")

    def connect(self, _):
        client = Client(self.place.seen_from(next(self.newcomers)))
        try:
            status, answer = client.ask("GET", "/v1/relay")
            if status != 200 or "relay" not in answer:
                self.complain(f"connect: {status} {answer}")
        finally:
            client.close()


def summary(times):
    """Of these times, with those that would have been met by who asked while one was waited for: without them, one wait of
    a second would weigh no more than one of a millisecond."""
    times += [missed for time in times for missed in missing(time)]
    times.sort()
    return {
        "count": len(times),
        "p50": times[len(times) // 2],
        "p99": times[len(times) * 99 // 100],
        "slowest": times[-1],
    }


def missing(waited):
    while (waited := waited - EXPECTED) > EXPECTED:
        yield waited


def under_attack(order, seconds, relay, victim, measure):
    """Measures while an attacker is at it; what was measured, and what the attacker counted."""
    attack = {
        "relay": relay,
        "source": order["source"],
        "attack": order["attack"],
        "connections": order["connections"],
        "seconds": seconds,
        "victim": victim,
    }
    program = pathlib.Path(__file__).with_name("cost_attacks.py")
    attacker = subprocess.Popen(
        [sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        attacker.stdin.write(json.dumps(attack))
        attacker.stdin.close()
        if attacker.stdout.readline().strip() != "attacking":
            raise RuntimeError("the attack did not begin")
        measured = measure(seconds)
        counted = json.loads(attacker.stdout.readline())
        attacker.wait(30)
        return measured, counted
    finally:
        attacker.kill()
        attacker.wait()


def main():
    order = json.load(sys.stdin)
    relay, idle = order["relay"], order["idle"]
    honest = Bystander(Place(relay["port"], relay["tls"]))
    other = Person(Client(Place(idle["port"], idle["tls"])), "sleeper" + os.urandom(4).hex()).register()

    def victim(person):
        key_package, leaf = Device(person).key_package()
        return {
            "device": person.device.hex(),
            "handle": person.handle,
            "key_package": key_package.hex(),
            "leaf": leaf.hex(),
        }

    result = {"before": honest.measure(order["quiet"])}
    if order["beside"] > 0:
        result["beside"], _ = under_attack(order, order["beside"], idle, victim(other), honest.measure)
    attacked = under_attack(order, order["seconds"], relay, victim(honest.person), honest.measure)
    result["under"], result["answers"] = attacked
    result["after"] = honest.measure(order["quiet"])
    result["wrong"] = honest.wrong
    print(json.dumps(result), flush=True)


main()
