"""Plays the scenarios of mlswg/mls-implementations between mls-client and another implementation of MLS.

The other answers the calls of `mls_client.proto` over gRPC or, like mls-client, as JSON lines; each scenario is a list of
steps of `interop/configs/*.json`, and means what it means to the test runner there. It is played in each suite that both know,
with handshakes in the open and sealed, and with each way to give its actors to the two; in the end all members export the
same, and read each other's messages, which the test runner does not ask for.

    mls_interop.py --client PATH/mls-client --peer localhost:50051 --interop PATH/mls-implementations/interop

Needs grpcio, protobuf, and the compiler protoc.
"""

import argparse
import collections
import itertools
import json
import pathlib
import random
import re
import sys
import time

from mls_peer import Failure, Lines, Remote, methods
from mls_play import actors, Play, Step


class Results:
    """How often each scenario came out, by suite, and by whose group it is."""

    def __init__(self):
        self.plays = collections.defaultdict(collections.Counter)
        self.failures = collections.Counter()
        self.examples = {}

    def note(self, script, suite, kind, failure=None, example=None):
        for key in (("suite", script, suite), ("kind", script, kind)):
            self.plays[key][failure is None] += 1
        if failure is not None:
            self.failures[script, kind, failure] += 1
            self.examples.setdefault((script, kind, failure), example)

    def cell(self, *key):
        good, all_of_them = self.plays[key][True], self.plays[key].total()
        return "" if not all_of_them else f"{good}" if good == all_of_them else f"**{good}/{all_of_them}**"

    def table(self, suites, kinds):
        scripts = list(dict.fromkeys(script for _, script, _ in self.plays))
        yield "| " + " | ".join(["scenario", *map(str, suites), *kinds]) + " |"
        yield "| --- " + "| ---: " * (len(suites) + len(kinds)) + "|"
        for script in scripts:
            cells = [self.cell("suite", script, suite) for suite in suites]
            cells += [self.cell("kind", script, kind) for kind in kinds]
            yield "| " + " | ".join([script, *cells]) + " |"

    def complaints(self):
        for (script, kind, failure), count in self.failures.most_common():
            yield f"{count} × {script} ({kind}): {failure}; {self.examples[script, kind, failure]}"


def casts(names, pair, most, rng):
    """The ways to give the actors to the two: all of them, or as many as are asked for."""
    if 2 ** len(names) <= most:
        ways = itertools.product(pair, repeat=len(names))
    else:
        ways = [[rng.choice(pair) for _ in names] for _ in range(most)]
    for way in ways:
        yield dict(zip(names, way))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--client", required=True, help="the program mls-client")
    parser.add_argument("--peer", required=True, help="the other implementation: its gRPC address, or its program")
    parser.add_argument("--interop", required=True, type=pathlib.Path, help="interop/ of mls-implementations")
    parser.add_argument("--config", action="append", type=pathlib.Path, help="this file, instead of those in interop/")
    parser.add_argument("--script", action="append", help="only scenarios whose name (file/script) begins so")
    parser.add_argument("--suite", action="append", type=int, help="only this suite")
    parser.add_argument("--most", type=int, default=32, help="so many ways to give out a scenario's actors at most")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn depends on this")
    return parser.parse_args()


def scripts(paths, wanted):
    for path in paths:
        for name, steps in json.loads(path.read_text())["scripts"].items():
            name = f"{path.stem}/{name}"
            if not wanted or any(name.startswith(start) for start in wanted):
                yield name, [Step(step) for step in steps]


def main():
    options = arguments()
    calls = dict(methods(options.interop / "proto"))
    is_program = pathlib.Path(options.peer).is_file()
    ours, theirs = Lines(calls, options.client), (Lines if is_program else Remote)(calls, options.peer)
    suites = [suite for suite in sorted(ours.suites & theirs.suites) if not options.suite or suite in options.suite]
    results, plays, begun = Results(), 0, time.monotonic()
    kinds = [f"{ours.name} begins", f"{theirs.name} begins", f"{ours.name} alone", f"{theirs.name} alone"]
    configs = options.config or sorted((options.interop / "configs").glob("*.json"))
    for name, script in scripts(configs, options.script):
        names = actors(script)
        for suite, seals in itertools.product(suites, [False, True]):
            rng = random.Random(f"{options.seed} {name} {suite} {seals}")
            for cast in casts(names, [ours, theirs], options.most, rng):
                ours.start()
                is_mixed = len(set(cast.values())) > 1
                kind = f"{cast[names[0]].name} {'begins' if is_mixed else 'alone'}"
                plays += 1
                failure = None
                try:
                    Play(suite, seals, cast, rng).run(script)
                except Failure as error:
                    failure = re.sub(r"\[[0-9, ]+\]", "[…]", str(error))
                given = " ".join(f"{actor}={client.name}" for actor, client in list(cast.items())[:12])
                results.note(name, suite, kind, failure, f"suite {suite}, {'sealed' if seals else 'open'}, {given}")
        failed = results.failures.total()
        print(f"{time.monotonic() - begun:.0f} s: {name}, {plays} plays by now, {failed} failed", file=sys.stderr)
    for client in (ours, theirs):
        client.stop()
    print("\n".join(results.table(suites, kinds)))
    print(f"\n{plays - results.failures.total()} of {plays} plays came out.")
    for complaint in results.complaints():
        print(complaint)
    return 1 if results.failures or not plays else 0


if __name__ == "__main__":
    sys.exit(main())
