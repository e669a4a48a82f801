"""The sources that a step of `make prove` is about; Scripts/closure says how they are named."""
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CACHE = pathlib.Path(".build/prove/manifests")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)+)"')
IMPORT = re.compile(r"^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:\w+\s+)?import\s+(?:(?:struct|class|enum|func)\s+)?(\w+)", re.M)
MARKS = r"(?:@\w+(?:\([^()]*\))?\s*)*"
TYPE = re.compile(MARKS + r"(?:(?:public|package|internal|private|fileprivate|final|indirect|nonisolated)\s+)*"
                  r"(struct|class|enum|actor|protocol|extension)\s+(\w+)(?![.\w])")
NO_DECLARATION = re.compile(r"\s|//|[)}\]]\W*$|(?:\w+\s+)?import\s|" + MARKS + "$")
OPERATOR = re.compile(r"\bfunc\s+[^\w\s`]")


def stop(reason):
    sys.exit(f"closure: {reason}")


def git(*arguments, given=None):
    result = subprocess.run(["git", *arguments], input=given, capture_output=True)
    if result.returncode:
        stop(result.stderr.decode(errors="replace").strip() or f"git {arguments[0]} failed")
    return result.stdout


class Contents:
    """The content of blobs, by their names."""

    changed = {}
    reader = None

    @classmethod
    @functools.cache
    def text(cls, blob):
        if blob in cls.changed:
            return pathlib.Path(cls.changed[blob]).read_text(errors="replace")
        if not cls.reader:
            cls.reader = subprocess.Popen(["git", "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        cls.reader.stdin.write(blob.encode() + b"\n")
        cls.reader.stdin.flush()
        head = cls.reader.stdout.readline().split()
        content = cls.reader.stdout.read(int(head[2]) + 1)[:-1]
        return content.decode(errors="replace")

    @classmethod
    @functools.cache
    def literals(cls, blob):
        lines = (line for line in cls.text(blob).splitlines() if not line.lstrip().startswith("//"))
        return {literal for line in lines for literal in LITERAL.findall(line)}

    @classmethod
    @functools.cache
    def identifiers(cls, blob):
        return set(re.findall(r"\w+", cls.text(blob)))

    @classmethod
    @functools.cache
    def types(cls, blob):
        """The types that a file of Swift declares; `None` if it can be used without their names: if it has a function,
        an operator or an extension of another's."""
        outermost = [line for line in cls.text(blob).splitlines() if not NO_DECLARATION.match(line)]
        declared = [TYPE.match(line) for line in outermost]
        if not all(declared) or OPERATOR.search(cls.text(blob)):
            return None
        names = {match[2] for match in declared if match[1] != "extension"}
        return names if names.issuperset(match[2] for match in declared) else None


class Tree:
    """The files of a commit, or those that are there now."""

    def __init__(self, commit=None):
        self.files = {}  # path: (mode, blob)
        if commit:
            for entry in git("ls-tree", "-r", "-z", commit).decode().split("\0")[:-1]:
                about, path = entry.split("\t")
                mode, kind, blob = about.split()
                if kind == "blob":
                    self.files[path] = (mode, blob)
        else:
            for entry in git("ls-files", "--stage", "-z").decode().split("\0")[:-1]:
                about, path = entry.split("\t")
                self.files[path] = tuple(about.split()[:2])
            self.add_changes()
        self.files = {path: file for path, file in self.files.items() if counts(path)}

    def add_changes(self):
        listed = git("ls-files", "-z", "--modified", "--others", "--exclude-standard").decode().split("\0")[:-1]
        present = [path for path in dict.fromkeys(listed) if os.path.isfile(path)]
        for path in listed:
            self.files.pop(path, None)
        if present:
            blobs = git("hash-object", "--stdin-paths", given="\n".join(present).encode()).decode().split()
            for path, blob in zip(present, blobs):
                self.files[path] = ("100755" if os.access(path, os.X_OK) else "100644", blob)
                Contents.changed[blob] = path

    def text(self, path):
        return Contents.text(self.files[path][1])

    def below(self, folder):
        return [path for path in self.files if path.startswith(folder + "/")]

    @functools.cached_property
    def beside(self):
        """Files that are compiled by no target: by their own name, and by their folder's."""
        places = {}
        for path in self.files:
            if path.startswith("Sources/") or path.endswith(".swift") and not path.startswith("Snippets/"):
                continue
            places.setdefault(os.path.basename(path), []).append(path)
            places.setdefault(os.path.dirname(path), []).append(path)
        return places

    @functools.cache
    def named(self, literal):
        """The files beside the targets that a string names: the end of a path, a file's name, or a folder."""
        place = literal.strip("/")
        if "/" not in literal and "." not in literal or not place:
            return []
        ends = [path for path in self.beside.get(os.path.basename(place), []) if ("/" + path).endswith("/" + place)]
        return ends + (self.beside.get(place, []) if "/" in literal else [])

    @functools.cached_property
    def manifests(self):
        return sorted((path for path in self.files if re.fullmatch(r"([^/]+/)?Package\.swift", path)), key=len)

    @functools.cache
    def targets(self, environment):
        """The targets of all manifests, by their names."""
        found = {}
        for path in self.manifests:
            package = manifest(self.files[path][1], environment)
            for target in package["targets"]:
                usual = ("Tests/" if target["type"] == "test" else "Sources/") + target["name"]
                target["folder"] = os.path.join(os.path.dirname(path), target.get("path") or usual)
                target["needs"] = [name for dependency in target["dependencies"] for name in names(dependency)]
                found.setdefault(target["name"], target)
        return found


def counts(path):
    return path != "Documentation/proof.md" and not path.startswith("Fuzz/Corpus/")


def names(dependency):
    """The name that a dependency has in a manifest; a product of this package is called as its target is."""
    return [value[0] for kind, value in dependency.items() if kind in ("byName", "target", "product")]


@functools.cache
def manifest(blob, environment):
    kept = CACHE / f"{blob}-{hashlib.sha256(repr(environment).encode()).hexdigest()[:8]}.json"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "Package.swift").write_text(Contents.text(blob))
            variables = {key: value for key, value in os.environ.items() if not key.startswith("MILDAM_")}
            result = subprocess.run(
                ["swift", "package", "--package-path", folder, "dump-package"],
                env=variables | dict(environment),
                capture_output=True,
            )
        if result.returncode:
            stop("Package.swift cannot be read:\n" + result.stderr.decode(errors="replace"))
        CACHE.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_bytes(result.stdout)
        part.rename(kept)
    return json.loads(kept.read_bytes())


class Closure:
    """What words stand for in a tree."""

    def __init__(self, words, tree):
        self.tree, self.paths, self.settings, self.shared = tree, set(), {}, set()
        environment = tuple(sorted(tuple(word.split("=", 1)) for word in words if "=" in word))
        self.targets = tree.targets(environment)
        self.left_out = {word[1:] for word in words if word.startswith("-")}
        for name in self.left_out - self.targets.keys():
            raise KeyError(name)
        for word in words:
            if word.startswith("-"):
                continue
            if word.startswith("fuzz:"):
                self.add_fuzz_target(word[len("fuzz:"):])
            elif "=" not in word:
                self.add(word)
        self.add_shared_files()

    def add(self, word):
        if word == ".":
            self.paths.update(self.tree.files)
        elif word in self.targets:
            self.add_target(word)
        else:
            paths = [word] if word in self.tree.files else self.tree.below(word)
            if not paths:
                raise KeyError(word)
            self.paths.update(paths)

    def add_target(self, name):
        if name in self.settings or name not in self.targets or name in self.left_out:
            return
        target = self.targets[name]
        self.settings[name] = [target["type"], target["needs"], target["exclude"], target["settings"]]
        own = self.tree.below(target["folder"])
        is_of_tests = target["folder"].startswith("Tests/")
        if is_of_tests and target["type"] == "regular":
            self.shared.update(own)
        else:
            self.paths.update(own)
            if is_of_tests:
                self.add_named_files(own)
        for needed in target["needs"]:
            self.add_target(needed)

    def add_shared_files(self):
        """Of what tests share, the files that are used, and what these use in turn."""
        waiting = sorted(self.shared)
        while waiting:
            named = set().union(*map(self.identifiers, self.paths))
            used = [path for path in waiting if self.is_reached(path, named)]
            if not used:
                break
            self.paths.update(used)
            self.add_named_files(used)
            waiting = [path for path in waiting if path not in used]

    def identifiers(self, path):
        is_swift = path.endswith(".swift") and not path.startswith("Sources/")
        return Contents.identifiers(self.tree.files[path][1]) if is_swift else set()

    def is_reached(self, path, named):
        """Whether a file is used where these identifiers are: a type of it is named, or it needs no name."""
        types = Contents.types(self.tree.files[path][1]) if path.endswith(".swift") else None
        return types is None or not types.isdisjoint(named)

    def add_named_files(self, own):
        for path in own:
            if not path.endswith(".swift"):
                continue
            for literal in Contents.literals(self.tree.files[path][1]):
                for there in self.tree.named(literal):
                    self.add_file(there)
            if re.search(r"\bVectors\.(data|names)\(", self.tree.text(path)):
                self.paths.update({"Scripts/vectors.list"} & self.tree.files.keys())

    def add_file(self, path):
        if path in self.paths:
            return
        self.paths.add(path)
        if path.endswith(".py"):
            for module in re.findall(r"^(?:from|import) (\w+)", self.tree.text(path), re.M):
                beside = f"{os.path.dirname(path)}/{module}.py"
                if beside in self.tree.files:
                    self.add_file(beside)

    def add_fuzz_target(self, name):
        folder = "Fuzz/Sources/Fuzz"
        own = [path for path in self.tree.below(folder + "/Targets") if f'name: "{name}",' in self.tree.text(path)]
        if len(own) != 1:
            raise KeyError(f"fuzz:{name}")
        common = [path for path in self.tree.below(folder) if path.count("/") == folder.count("/") + 1]
        support = {pathlib.Path(path).stem: path for path in self.tree.below(folder + "/Support")}
        used = own + common
        for path in used:
            words = set(re.findall(r"\w+", self.tree.text(path)))
            used += [support[stem] for stem in sorted(words & support.keys()) if support[stem] not in used]
        self.paths.update(used)
        self.settings["MildamFuzz"] = self.targets["MildamFuzz"]["settings"]
        for path in used:
            for module in IMPORT.findall(self.tree.text(path)):
                self.add_target(module)

    @property
    def digest(self):
        digest = hashlib.sha256()
        for path in sorted(self.paths):
            digest.update(" ".join((*self.tree.files[path], path)).encode() + b"\n")
        digest.update(json.dumps(self.settings, sort_keys=True).encode())
        return digest.hexdigest()[:16]


@functools.cache
def tree_of(commit):
    return Tree(None if commit in (None, "-") else commit)


@functools.cache
def closure(words, commit=None):
    return Closure(words, tree_of(commit))


def digest(words, commit=None):
    """The digest of words, or `None` where one of them stands for nothing."""
    try:
        return closure(words, commit).digest
    except KeyError:
        return None


def last_commit(words):
    """The last commit that changed what words stand for."""
    now = digest(words)
    if digest(words, "HEAD") != now:
        return None
    places = sorted(closure(words).paths | set(tree_of(None).manifests))
    # A commit that only removed files touched none of those that are there: then every commit is looked at.
    return oldest_equal(words, now, ["--", *places]) or oldest_equal(words, now, [])


def oldest_equal(words, now, places):
    """The oldest of the commits in an unbroken line from the last that have this digest; `None` where the last has not."""
    listed = git("log", "--format=%H", "--stdin", given="\n".join(["HEAD", *places, ""]).encode())
    found = None
    for commit in listed.decode().split():
        if digest(words, commit) != now:
            break
        found = commit
    return found


def changed(words, commit):
    """What differs between a commit and now: paths, and targets of a manifest."""
    now, before = closure(words), closure(words, commit)
    paths = {path for path in now.paths | before.paths if now.tree.files.get(path) != before.tree.files.get(path)}
    settings = {name for name in now.settings | before.settings if now.settings.get(name) != before.settings.get(name)}
    return sorted(paths) + [f"{name} in Package.swift" for name in sorted(settings)]


def forget():
    """Has what is there now looked at anew."""
    tree_of.cache_clear()
    closure.cache_clear()


def test_targets():
    """The test targets that stand for themselves: what others depend on has no tests of its own."""
    targets = tree_of(None).targets(())
    tests = [target for target in targets.values() if target["type"] == "test"]
    shared = {name for target in tests for name in target["needs"]}
    for target in tests:
        if target["name"] not in shared:
            needs = closure((target["name"],)).settings
            runs = any(targets[name]["type"] == "executable" for name in needs)
            yield f"{target['name']} {target['folder']}{' programs' if runs else ''}"
