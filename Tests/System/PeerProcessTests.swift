import Foundation
import MildamSystem
import TestSupport
import Testing

/// A Python program at the other end of a connection, which does as it is told.
private final class Peer {
    let program: Program
    let connection: UnixConnection
    private let folder: TemporaryFolder

    init(_ interpreter: String = "/usr/bin/python3", name: String = "socket") throws {
        folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file(name))
        program = try Program(
            interpreter,
            [Peer.script, listener.path],
            environment: ["PYTHONHOME": "/usr", "PYTHONDONTWRITEBYTECODE": "1"]
        )
        connection = try #require(try listener.accept())
    }

    deinit {
        connection.shutdown()
        program.signal(SIGKILL)
        program.wait()
    }

    func tell(_ line: String) throws {
        try connection.send(Array((line + "\n").utf8).span)
        #expect(try connection.receive(4) == Array("done".utf8))
    }

    static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Peers/unix_client.py").path

    /// The interpreter itself: what a link such as /usr/bin/python3 leads to.
    static var interpreter: String {
        URL(fileURLWithPath: "/usr/bin/python3").resolvingSymlinksInPath().path
    }
}

@Suite("Who is at the other end of a UNIX socket")
struct PeerProcessTests {
    @Test("The credentials are those of the process that connected, or listens")
    func credentials() throws {
        let peer = try Peer()
        let credentials = try peer.connection.credentials()
        #expect(credentials == PeerCredentials(pid: peer.program.identifier, uid: geteuid(), gid: getegid()))
        let folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file("socket"))
        let connection = try UnixConnection.connect(to: listener.path)
        #expect(try connection.credentials() == PeerCredentials(pid: getpid(), uid: geteuid(), gid: getegid()))
    }

    @Test("An interpreter is the program", arguments: [false, true])
    func interpreter(_ old: Bool) throws {
        let peer = try Peer()
        let process = try PeerProcess(of: peer.connection, asBeforeLinux65: old)
        let path = Peer.interpreter
        #expect(process.credentials.pid == peer.program.identifier)
        #expect(process.executable.path == Array(path.utf8))
        #expect(process.executable.file == FileIdentity(path))
        #expect(process.executable.standing == .named)
        // Asked again, it is the same.
        #expect(try PeerProcess(of: peer.connection) == process)
    }

    @Test("A program that was deleted or replaced while it runs is said to be", arguments: [false, true])
    func deleted(_ replaced: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("program")
        try FileManager.default.copyItem(atPath: Peer.interpreter, toPath: path)
        let file = try #require(FileIdentity(path))
        let peer = try Peer(path)
        #expect(try PeerProcess(of: peer.connection).executable.standing == .named)
        if replaced {
            try WholeFile.write([1].span, to: path)
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
        let executable = try PeerProcess(of: peer.connection).executable
        #expect(executable.standing == .deleted)
        #expect(executable.path == Array(path.utf8))
        #expect(executable.file == file)
    }

    @Test("A program may be called as the kernel calls what is deleted")
    func calledDeleted() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("program (deleted)")
        try FileManager.default.copyItem(atPath: Peer.interpreter, toPath: path)
        let peer = try Peer(path)
        let before = try PeerProcess(of: peer.connection).executable
        #expect(before.standing == .named)
        #expect(before.path == Array(path.utf8))
        try FileManager.default.removeItem(atPath: path)
        let after = try PeerProcess(of: peer.connection).executable
        #expect(after.standing == .deleted)
        #expect(after.path == before.path)
    }

    @Test("A path that only the peer sees is worth nothing")
    func otherFileSystem() throws {
        let folder = try TemporaryFolder()
        let (copy, place) = (folder.file("copy"), folder.file("trusted"))
        try FileManager.default.copyItem(atPath: Peer.interpreter, toPath: copy)
        try WholeFile.write([1].span, to: place)
        // A program that brings a file system of its own, as every user may where the kernel allows it.
        let script = """
            #!/bin/sh
            exec unshare --mount --map-root-user sh -c 'mount --bind "\(copy)" "\(place)" && exec "\(place)" "$@"' sh "$@"
            """
        try WholeFile.write(Array(script.utf8).span, to: folder.file("start"))
        unsafe chmod(folder.file("start"), 0o700)
        let allowed = try Program.run("unshare", ["--mount", "--map-root-user", "true"])
        guard allowed.status == 0 else {
            print(
                "skipped: a peer with file systems of its own, which root may have, or kernel.unprivileged_userns_clone=1 lets all have: \(allowed.errors)"
            )
            return
        }
        let peer = try Peer(folder.file("start"))
        let executable = try PeerProcess(of: peer.connection).executable
        #expect(executable.standing == .elsewhere)
        #expect(executable.file == FileIdentity(copy))
    }

    @Test("Who becomes another program is that program: its number stays, the file is looked at anew")
    func becomes() async throws {
        let peer = try Peer()
        let handle = try PeerHandle(of: peer.connection)
        let before = try handle.look()
        let sleep = URL(fileURLWithPath: try Program.find("sleep")).resolvingSymlinksInPath().path
        try peer.tell("become \(sleep) 60")
        #expect(
            await eventually {
                (try? PeerProcess(of: peer.connection))?.executable.path == Array(sleep.utf8)
            }
        )
        let after = try PeerProcess(of: peer.connection)
        #expect(after.credentials == before.credentials)
        #expect(after.executable.file != before.executable.file)
        // Who has held it all the while sees the same.
        let held = try handle.look()
        #expect(held == after)
    }

    @Test("What is said is of one moment, however often the process becomes another program")
    func restless() throws {
        let folder = try TemporaryFolder()
        let shell = URL(fileURLWithPath: try Program.find("sh")).resolvingSymlinksInPath().path
        let programs = [folder.file("a"), folder.file("b")]
        for path in programs { try FileManager.default.copyItem(atPath: shell, toPath: path) }
        // Each becomes the other, a thousand times a second.
        try WholeFile.write(Array(#"exec "$2" "$0" "$2" "$1""#.utf8).span, to: folder.file("script"))
        let peer = try Peer()
        try peer.tell("become \(programs[0]) \(folder.file("script")) \(programs[0]) \(programs[1])")
        var seen: Set<[UInt8]> = []
        var (looks, contradictions) = (0, 0)
        let both = Set(programs.map { Array($0.utf8) })
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end, looks < Count.of(few: 5_000, full: 100_000) || !seen.isSuperset(of: both) {
            let executable = try PeerProcess(of: peer.connection).executable
            looks += 1
            seen.insert(executable.path)
            if executable.standing != .named || executable.file != FileIdentity(executable.shownPath) {
                contradictions += 1
            }
        }
        #expect(contradictions == 0, "of \(looks) looks")
        #expect(seen.isSuperset(of: both))
    }

    @Test("A process that has ended is nobody, though its connection lives on in another", arguments: [false, true])
    func left(_ old: Bool) throws {
        let peer = try Peer()
        let handle = try PeerHandle(of: peer.connection, asBeforeLinux65: old)
        try peer.tell("leave")
        peer.program.wait()
        #expect(throws: PeerProcessError.ended) { try PeerProcess(of: peer.connection, asBeforeLinux65: old) }
        for _ in 0..<2 {
            let isGone = ends(handle)
            #expect(isGone)
        }
        // The connection itself is good.
        try peer.connection.send([1].span)
        #expect(try peer.connection.credentials().pid == peer.program.identifier)
    }

    @Test("Who has closed the connection is nobody, be the process there or not", arguments: [false, true])
    func closed(_ old: Bool) throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file("socket"))
        var theirs: UnixConnection? = try UnixConnection.connect(to: listener.path)
        let ours = try #require(try listener.accept())
        let handle = try PeerHandle(of: ours, asBeforeLinux65: old)
        let process = try handle.look()
        #expect(process.credentials.pid == getpid())
        try theirs?.send([1].span)
        theirs = nil
        #expect(throws: PeerProcessError.ended) { try PeerProcess(of: ours, asBeforeLinux65: old) }
        let isGone = ends(handle)
        #expect(isGone)
    }

    /// Whether to look again is to see nobody.
    private func ends(_ handle: borrowing PeerHandle) -> Bool {
        do throws(PeerProcessError) {
            _ = try handle.look()
            return false
        } catch {
            return error == .ended
        }
    }

    @Test("A number that another process has got since is not taken for the peer")
    func reusedNumber() throws {
        let (gone, here) = (try Peer(), try Peer())
        let number = try here.connection.credentials()
        let process = try gone.connection.processDescriptor(of: gone.connection.credentials())
        #expect(throws: Never.self) {
            _ = try PeerHandle(here.connection, number, here.connection.processDescriptor(of: number))
        }
        gone.program.signal(SIGKILL)
        gone.program.wait()
        // What is found under the number is alive and well, and not the process that connected.
        do throws(SystemError) {
            _ = try PeerHandle(here.connection, number, process)
            Issue.record("a number that is another's was taken")
        } catch {
            #expect(error.code == ESRCH)
        }
    }

    @Test("A program that does not let itself be looked at is nobody")
    func hidden() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("place/socket")
        // Where anybody may start them.
        let (program, script) = (folder.file("program"), folder.file("script"))
        try FileManager.default.copyItem(atPath: Program.find("mildam-system-program"), toPath: program)
        try FileManager.default.copyItem(atPath: Peer.script, toPath: script)
        var words = [program, "identify", path]
        var client = ["/usr/bin/python3", script, path]
        // The superuser may look at everything.
        if geteuid() == 0 {
            let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
            for place in [folder.path, program, script] { unsafe chown(place, 65534, 65534) }
            words = ["setpriv"] + nobody + words
            client = ["setpriv"] + nobody + client
        }
        let listener = try Program(words[0], Array(words.dropFirst()))
        defer { listener.signal(SIGKILL) }
        try #require(listener.line(containing: "listening") != nil, "\(listener.complaint(containing: "") ?? "")")
        let peer = try Program(client[0], Array(client.dropFirst()))
        defer { peer.signal(SIGKILL) }
        // It is looked at, made undumpable, and looked at again.
        #expect(listener.line(containing: "program \(Peer.interpreter)") != nil)
        #expect(listener.line(containing: "hidden") != nil)
    }
}
