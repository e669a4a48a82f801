"""systemd-logind, as far as a program sees it that watches for sleep and screen locks: its names, on a bus of the tests' own.

    logind.py ADDRESS COMMANDS UID

It does what it is told by lines in the file COMMANDS, which grows:

sleep 0|1            says that the machine is about to sleep, or has slept
lock SESSION         asks the session to lock itself
hint SESSION 0|1     says that the session is locked, or is not
idle SESSION         says something else of the session
forge SESSION        another program sends the whole of it in the manager's name to who asked for a delay last
refuse               refuses the next delay

Sessions whose names begin with "own" are of the user UID, with "other" of another, and more there are not.
It prints "logind", then "inhibited N WHAT WHO MODE" and "released N" of its N-th delay, and "did COMMAND".
"""

import os
import select
import sys

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.login1"
ROOT = "/org/freedesktop/login1"
MANAGER = NAME + ".Manager"
SESSION = NAME + ".Session"
PROPERTIES = "org.freedesktop.DBus.Properties"

address, commands, user = sys.argv[1], open(sys.argv[2]), int(sys.argv[3])
bus = open_dbus_connection(bus=address, enable_fds=True)
bus.send_and_get_reply(message_bus.RequestName(NAME))
delays = {}
count = 0
refusing = False
last_asker = None


def say(text):
    print(text, flush=True)


def answer(call):
    global count, refusing, last_asker
    fields = call.header.fields
    member = fields[HeaderFields.member]
    if member == "Inhibit":
        what, who, _, mode = call.body
        last_asker = fields[HeaderFields.sender]
        if refusing:
            refusing = False
            say("refused")
            return new_error(call, "org.freedesktop.DBus.Error.AccessDenied", "s", ("Permission denied",))
        ours, theirs = os.pipe()
        count += 1
        delays[ours] = count
        say(f"inhibited {count} {what} {who} {mode}")
        bus.send(new_method_return(call, "h", (theirs,)))
        os.close(theirs)
        return None
    name = fields[HeaderFields.path].rpartition("/")[2]
    if member == "Get" and call.body == (SESSION, "User") and name.startswith(("own", "other")):
        number = user if name.startswith("own") else user + 1
        return new_method_return(call, "v", (("(uo)", (number, f"{ROOT}/user/_{number}")),))
    return new_error(call, "org.freedesktop.DBus.Error.UnknownObject", "s", (f"Unknown object {name}",))


def signals(words):
    """What the manager says of it."""
    manager = DBusAddress(ROOT, NAME, MANAGER)
    session = f"{ROOT}/session/{words[1]}" if len(words) > 1 else ROOT
    if words[0] == "sleep":
        yield new_signal(manager, "PrepareForSleep", "b", (words[1] == "1",))
    elif words[0] == "lock":
        yield new_signal(DBusAddress(session, NAME, SESSION), "Lock")
    elif words[0] in ("hint", "idle"):
        changed = {"IdleHint": ("b", True), "IdleSinceHint": ("t", 7)}
        if words[0] == "hint":
            changed["LockedHint"] = ("b", words[2] == "1")
        about = DBusAddress(session, NAME, PROPERTIES)
        yield new_signal(about, "PropertiesChanged", "sa{sv}as", (SESSION, changed, ["State"]))


def obey(words):
    global refusing
    if words[0] == "refuse":
        refusing = True
    elif words[0] == "forge":
        with open_dbus_connection(bus=address) as forger:
            for lie in (["sleep", "1"], ["lock", words[1]], ["hint", words[1], "1"]):
                for signal in signals(lie):
                    signal.header.fields[HeaderFields.destination] = last_asker
                    forger.send(signal)
            forger.send_and_get_reply(message_bus.ListNames())
    for signal in signals(words):
        bus.send(signal)
    say("did " + " ".join(words))


say("logind")
while True:
    for line in commands:
        obey(line.split())
    ready, _, _ = select.select([bus.sock, *delays], [], [], 0.02)
    for delay in [number for number in ready if number in delays]:
        os.close(delay)
        say(f"released {delays.pop(delay)}")
    if bus.sock not in ready:
        continue
    while True:
        try:
            message = bus.receive(timeout=0)
        except TimeoutError:
            break
        if message.header.message_type is MessageType.method_call:
            reply = answer(message)
            if reply:
                bus.send(reply)
