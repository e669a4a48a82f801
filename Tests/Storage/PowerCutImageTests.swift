import Foundation
import MildamSystem
import TestSupport
import Testing

/// What the image of a power cut holds, shown with small programs that say when they are done.
@Suite("Power cut: what a disk without its cache holds")
struct PowerCutImageTests {
    /// A script in the followed folder, and what the disk must hold after it: name → content.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: String
        let held: [String: String]
    }

    /// `sync_folder`, `kept` (write, sync, keep the descriptor), `new` (write, no sync), `nameless` and `name` are defined for each script.
    private static let prelude = """
        import os, sys, mmap, threading
        os.chdir(sys.argv[1])
        def new(name, text, flags=0):
            f = os.open(name, os.O_RDWR | os.O_CREAT | flags, 0o600); os.write(f, text); return f
        def kept(name, text):
            f = new(name, text); os.fsync(f); return f
        def nameless(text, synced):
            f = os.open('.', os.O_RDWR | os.O_TMPFILE, 0o600); os.write(f, text)
            if synced: os.fsync(f)
            return f
        def name(f, name):
            os.link('/proc/self/fd/%d' % f, name, src_dir_fd=0, follow_symlinks=True)
        def sync_folder(name='.'):
            f = os.open(name, os.O_RDONLY); os.fsync(f); os.close(f)

        """

    static let cases = [
        Case(testDescription: "nothing synced", script: "new('a', b'x')", held: ["old": "before"]),
        Case(
            testDescription: "data synced, name not",
            script: "kept('a', b'x')",
            held: ["old": "before"]
        ),
        Case(
            testDescription: "name synced, data not",
            script: "new('a', b'x'); sync_folder()",
            held: ["old": "before", "a": ""]
        ),
        Case(
            testDescription: "both synced",
            script: "kept('a', b'x'); sync_folder()",
            held: ["old": "before", "a": "x"]
        ),
        Case(
            testDescription: "the name first",
            script: "f = new('a', b'x'); sync_folder(); os.fdatasync(f)",
            held: ["old": "before", "a": "x"]
        ),
        Case(
            testDescription: "a later write is lost",
            script: "f = kept('a', b'x'); sync_folder(); os.write(f, b'y'); os.pwrite(f, b'z', 0)",
            held: ["old": "before", "a": "x"]
        ),
        Case(
            testDescription: "a file of before, overwritten",
            script: "new('old', b'AFTER!')",
            held: ["old": "before"]
        ),
        Case(
            testDescription: "a file of before, cut",
            script: "os.truncate('old', 2)",
            held: ["old": "before"]
        ),
        Case(
            testDescription: "a file of before, cut and synced",
            script: "f = os.open('old', os.O_RDWR); os.ftruncate(f, 2); os.fsync(f)",
            held: ["old": "be"]
        ),
        Case(
            testDescription: "a rename, not synced",
            script: "kept('a', b'x'); os.rename('a', 'old')",
            held: ["old": "before"]
        ),
        Case(
            testDescription: "a rename, synced",
            script: "kept('a', b'x'); os.rename('a', 'old'); sync_folder()",
            held: ["old": "x"]
        ),
        Case(
            testDescription: "an unlink, not synced",
            script: "os.unlink('old')",
            held: ["old": "before"]
        ),
        Case(testDescription: "an unlink, synced", script: "os.unlink('old'); sync_folder()", held: [:]),
        Case(
            testDescription: "a new file never has an unlinked one's content",
            script: "os.unlink('old'); sync_folder(); [new(str(i), b'x') for i in range(8)]; sync_folder()",
            held: Dictionary(uniqueKeysWithValues: (0..<8).map { (String($0), "") })
        ),
        Case(
            testDescription: "a link, not synced and synced",
            script: "os.link('old', 'a'); sync_folder(); os.link('old', 'b')",
            held: ["old": "before", "a": "before"]
        ),
        Case(
            testDescription: "a file without a name, synced and linked, the folder synced",
            script: "name(nameless(b'x', True), 'a'); sync_folder()",
            held: ["old": "before", "a": "x"]
        ),
        Case(
            testDescription: "a file without a name, linked, the folder not synced",
            script: "name(nameless(b'x', True), 'a')",
            held: ["old": "before"]
        ),
        Case(
            testDescription: "a file without a name, not synced, linked",
            script: "name(nameless(b'x', False), 'a'); sync_folder()",
            held: ["old": "before", "a": ""]
        ),
        Case(
            testDescription: "a folder whose entry was not synced",
            script: "os.mkdir('d'); kept('d/a', b'x'); sync_folder('d')",
            held: ["old": "before"]
        ),
        Case(
            testDescription: "a folder whose content was not synced",
            script: "os.mkdir('d'); sync_folder(); kept('d/a', b'x')",
            held: ["old": "before", "d/": ""]
        ),
        Case(
            testDescription: "a folder, all synced",
            script: "os.mkdir('d'); kept('d/a', b'x'); sync_folder('d'); sync_folder()",
            held: ["old": "before", "d/": "", "d/a": "x"]
        ),
        Case(
            testDescription: "a duplicated descriptor",
            script: "f = new('a', b'x'); os.fsync(os.dup(f)); sync_folder()",
            held: ["old": "before", "a": "x"]
        ),
        Case(
            testDescription: "O_DSYNC syncs each write",
            script: "f = new('a', b'x', os.O_DSYNC); os.write(f, b'y'); sync_folder()",
            held: ["old": "before", "a": "xy"]
        ),
        Case(
            testDescription: "a mapped page, synced and then changed",
            script: """
                f = kept('a', b'x' * 4096); sync_folder(); m = mmap.mmap(f, 4096)
                m[0:1] = b'y'; m.flush(); m[0:1] = b'z'
                """,
            held: ["old": "before", "a": "y" + String(repeating: "x", count: 4095)]
        ),
        Case(
            testDescription: "sync keeps everything",
            script: "os.mkdir('d'); new('d/a', b'x'); new('b', b'y'); os.sync()",
            held: ["old": "before", "d/": "", "d/a": "x", "b": "y"]
        ),
        Case(
            testDescription: "a child process and its parent",
            script: """
                if os.fork() == 0:
                    kept('a', b'x'); sync_folder(); os._exit(0)
                os.wait(); kept('b', b'y'); sync_folder()
                """,
            held: ["old": "before", "a": "x", "b": "y"]
        ),
        Case(
            testDescription: "threads",
            script: """
                ts = [threading.Thread(target=lambda i=i: (kept(str(i), b'x'), sync_folder())) for i in range(8)]
                [t.start() for t in ts]; [t.join() for t in ts]
                """,
            held: Dictionary(uniqueKeysWithValues: [("old", "before")] + (0..<8).map { (String($0), "x") })
        ),
        Case(
            testDescription: "more than one buffer's length",
            script: "kept('a', b'0123456789' * 20000); sync_folder()",
            held: ["old": "before", "a": String(repeating: "0123456789", count: 20_000)]
        ),
    ]

    @Test(arguments: Cases.drawn(10, of: cases, for: "power cuts"))
    func image(_ example: Case) throws {
        let root = try TemporaryFolder()
        try Data("before".utf8).write(to: URL(fileURLWithPath: root.file("old")))
        let cut = try PowerCut(following: root.path)
        let script = Self.prelude + example.script + "\nprint('done', flush=True); threading.Event().wait()"
        let program = try Program("python3", ["-c", script, root.path], environment: cut.environment)
        let done = program.line(containing: "done")
        program.signal(SIGKILL)
        let result = program.wait()
        try #require(done != nil, "\(result)")
        #expect(try Self.content(of: cut.restored()) == example.held)
    }

    /// A process that is killed within its syncs leaves a whole earlier copy, never a part.
    @Test func killedWithinASync() throws {
        let root = try TemporaryFolder()
        let cut = try PowerCut(following: root.path)
        let script =
            Self.prelude + """
                f = kept('a', b'0' * 1000000); sync_folder()
                n = 0
                print('done', flush=True)
                while True:
                    n += 1
                    os.pwrite(f, b'%d' % (n % 10) * 1000000, 0); os.fsync(f)
                """
        let program = try Program("python3", ["-c", script, root.path], environment: cut.environment)
        let done = program.line(containing: "done")
        usleep(.random(in: 1_000...50_000))
        program.signal(SIGKILL)
        let result = program.wait()
        try #require(done != nil, "\(result)")
        let held = try #require(try Self.content(of: cut.restored())["a"])
        #expect(held.utf8.count == 1_000_000)
        #expect(Set(held.utf8).count == 1)
    }

    private static func content(of folder: TemporaryFolder) throws -> [String: String] {
        try withExtendedLifetime(folder) {
            var found: [String: String] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
                let isFolder = Folder.isFolder(folder.file(name))
                found[isFolder ? name + "/" : name] =
                    isFolder ? "" : try String(contentsOfFile: folder.file(name), encoding: .utf8)
            }
            return found
        }
    }
}
