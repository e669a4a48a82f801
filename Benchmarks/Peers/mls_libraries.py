"""What MLS costs in libraries by other hands, as mildam-bench measures it of ours: mls_libraries.py MEMBERS...

Prints JSON: for each library, nanoseconds by the name that our row has. The calls are made from Python, which a part of the
time belongs to. Members of large groups are added at once, and none of them commits: for that, each would have to join first.
"""

import json
import statistics
import sys
import time

import mls_rs_uniffi as mls
from gbp_stack import MlsContext

DATA = bytes([7]) * 1024
# MLSMessage: version 1.0, and a key package, which gbp-stack has without this.
KEY_PACKAGE = b"\0\1\0\5"
# The largest group whose members all commit.
SMALL = 100


def cost(actions):
    """The median of what calls take, in nanoseconds."""
    spans = []
    for action in actions:
        start = time.perf_counter_ns()
        action()
        spans.append(time.perf_counter_ns() - start)
    return statistics.median(spans)


def client(number):
    keys = mls.generate_signature_keypair(mls.CipherSuite.CURVE25519_AES128)
    return mls.Client(f"member {number}".encode(), keys, mls.client_config_default())


def added(group, packages):
    output = group.add_members(packages)
    group.process_incoming_message(output.commit_message)
    return output


def large(count):
    """A group into which all come at once."""
    clients = [client(number) for number in range(1, count)]
    packages = [member.generate_key_package_message() for member in clients]
    group, outputs = client(0).create_group(None), []
    yield "add all in one commit", cost([lambda: outputs.append(added(group, packages))])
    welcome, joined = outputs[0].welcome_message, []
    yield "join by Welcome with tree", cost(
        [lambda member=member: joined.append(member.join_group(None, welcome).group) for member in clients[-3:]]
    )
    yield from talk(group, joined[0])


def small(count):
    """A group into which each comes by the one before, and commits: then every parent has a key."""
    first = last = client(0).create_group(None)
    for number in range(1, count):
        newcomer = client(number)
        output = added(last, [newcomer.generate_key_package_message()])
        if last is not first:
            first.process_incoming_message(output.commit_message)
        last = newcomer.join_group(None, output.welcome_message).group
        committed(first, last)
    spans = [committed(first, last) for _ in range(20)]
    for what, values in zip(["create commit", "process commit"], zip(*spans)):
        yield what, statistics.median(values)


def committed(first, last):
    """What it takes the last member to commit, and the first to process that."""
    outputs = []
    creating = cost([lambda: outputs.append(last.commit())])
    commit = outputs[0].commit_message
    last.process_incoming_message(commit)
    return creating, cost([lambda: first.process_incoming_message(commit)])


def talk(speaker, listener):
    messages = []
    yield "protect 1 KiB", cost([lambda: messages.append(speaker.encrypt_application_message(DATA))] * 500)
    yield "unprotect 1 KiB", cost(
        [lambda message=message: listener.process_incoming_message(message) for message in messages]
    )


def openmls(count, speaker):
    """A group of OpenMLS, into which one comes after the other; the last one has mls-rs, and says something."""
    first, joins = MlsContext.create("member 0"), []
    for number in range(1, count - 1):
        newcomer = MlsContext.create(f"member {number}")
        _, welcome = first.invite_full(newcomer.export_key_package())
        first.finalize_commit()
        if number >= count - 4:
            joins.append(cost([lambda: newcomer.accept_welcome(welcome)]))
    yield "join by Welcome with tree", statistics.median(joins)
    package = speaker.generate_key_package_message().to_bytes()
    # OpenMLS takes a key package for too young in the second in which it was made.
    time.sleep(2)
    _, welcome = first.invite_full(package.removeprefix(KEY_PACKAGE))
    first.finalize_commit()
    group = speaker.join_group(None, mls.Message.from_bytes(welcome)).group
    said = [group.encrypt_application_message(DATA).to_bytes() for _ in range(500)]
    yield "unprotect 1 KiB", cost([lambda message=message: first.process_message(message) for message in said])


def main():
    rows = {"mls-rs": {}, "OpenMLS": {}}
    rows["mls-rs"]["MLS key package"] = cost([lambda: client(1).generate_key_package_message()] * 100)
    founder = client(0)
    rows["mls-rs"]["MLS create group"] = cost([lambda: founder.create_group(None)] * 100)
    for count in map(int, sys.argv[1:]):
        measured = [("mls-rs", large(count))]
        if count <= SMALL:
            measured += [("mls-rs", small(count)), ("OpenMLS", openmls(count, client(count - 1)))]
        for library, costs in measured:
            rows[library].update((f"MLS, {count} members: {what}", value) for what, value in costs)
    json.dump(rows, sys.stdout)
    print()


if __name__ == "__main__":
    main()
