"""The steps of `make prove`, and the rows of Documentation/proof.md that record them; Scripts/prove says what they are."""
import contextlib
import dataclasses
import fcntl
import os
import pathlib
import platform
import re
import shlex
import subprocess

import closure

STEPS = pathlib.Path("Scripts/prove.d")
PAGE = pathlib.Path("Documentation/proof.md")
KEPT = pathlib.Path(".build/prove/uncommitted.md")

HEAD = """# Proof

Written by `make prove`. Each row names a step of `Scripts/prove.d`, the digest of the sources that it is about
(`Scripts/closure`), the last commit that changed them, and what was seen over them. `MILDAM_SEED=SEED Scripts/prove
--fresh STEP` repeats the random choices of a row; `Scripts/proof-check` holds the rows against git.

"""
COLUMNS = ("step", "sources", "commit", "passed", "seconds", "seed", "figures")


@dataclasses.dataclass
class Row:
    """A line of the page."""

    step: str
    sources: str
    commit: str
    passed: str
    seconds: str
    seed: str
    figures: str

    @property
    def line(self):
        return "| " + " | ".join(dataclasses.astuple(self)) + " |\n"


@dataclasses.dataclass
class Part:
    """What one row is about: a step, or a part of one."""

    step: str
    name: str
    words: tuple
    at_a_time: int
    beside: tuple

    @property
    def key(self):
        return f"{self.step}/{self.name}" if self.name else self.step

    @property
    def digest(self):
        return closure.digest(self.words)


def all_parts():
    """The parts of every step, in their order."""
    steps = sorted(path for path in STEPS.iterdir() if path.is_file() and os.access(path, os.X_OK))
    if not steps:
        closure.stop(f"no steps in {STEPS}")
    return [part for path in steps for part in parts_of(path)]


def parts_of(path):
    text = path.read_text()
    said = re.search(r"^# (about|parts|parts, two at a time): (.+)$", text, re.M)
    beside = re.search(r"^# beside: (.+)$", text, re.M)
    if not said:
        closure.stop(f"{path} does not say what it is about")
    lines = ["- " + said[2]]
    if said[1] != "about":
        result = subprocess.run(shlex.split(said[2]), stdout=subprocess.PIPE, text=True)
        lines = result.stdout.splitlines()
        if result.returncode or not lines:
            closure.stop(f"{path} does not say what its parts are")
    for line in lines:
        name, *words = line.split()
        yield Part(
            path.name,
            "" if name == "-" else name,
            (str(path), *words),
            2 if said[1].endswith("time") else 1,
            tuple(beside[1].split()) if beside else (),
        )


def read(path):
    """The rows of a page, as a list: one that was merged may have two of a step."""
    return [Row(*cells) for cells in table(path) if len(cells) == len(COLUMNS)]


def table(path):
    """The cells of each line of a page's table, below its head."""
    lines = path.read_text().splitlines() if path.exists() else []
    cells = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines if line.startswith("|")]
    return cells[2:]


@contextlib.contextmanager
def locked():
    """Keeps other runs from the pages."""
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    with open(KEPT.parent / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def write(path, rows, parts):
    """Writes the rows of these parts as a page, in their order."""
    lines = [rows[part.key].line for part in parts if part.key in rows]
    table = "| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(HEAD + f"- machine: {machine()}\n\n" + table + "".join(lines))
    part.rename(path)


def machine():
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    version = re.search(r"Swift version [0-9.]+", swift)
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    return f"{os.cpu_count()} cores, {system}, Linux {platform.release()}, {version[0] if version else 'no Swift'}"
