import Foundation
import MildamSystem
import Synchronization
import TestSupport
import Testing

@Suite("UNIX sockets")
struct UnixSocketTests {
    /// The code of the error that `body` throws.
    private func code(_ body: () throws -> Void) -> Int32? {
        do { try body() } catch { return (error as? SystemError)?.code }
        return nil
    }

    @Test("Bytes arrive whole in both directions, and the end is seen")
    func exchange() async throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file("socket"))
        let sent = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        async let answering: Void = Blocking.run {
            let other = try #require(try listener.accept())
            let bytes = try #require(try other.receive(sent.count))
            try other.send(bytes.reversed().span)
        }
        let connection = try UnixConnection.connect(to: listener.path)
        // More than the kernel keeps: the other end reads meanwhile.
        try connection.send(sent.span)
        #expect(try connection.receive(sent.count) == sent.reversed())
        try await answering
        #expect(try connection.receive(1) == nil)
        #expect(try connection.receive(0) == [])
    }

    @Test("The socket is for its user alone, whatever the umask", arguments: [0, 0o22, 0o77] as [mode_t])
    func permissions(_ mask: mode_t) throws {
        let folder = try TemporaryFolder()
        let before = umask(mask)
        defer { umask(before) }
        let listener = try UnixListener(at: folder.file("new/socket"))
        #expect(try mode(listener.path) == S_IFSOCK | 0o600)
        #expect(try mode(folder.file("new")) == S_IFDIR | 0o700)
        #expect(try mode(listener.path + ".lock") == S_IFREG | 0o600)
    }

    @Test("A folder that others may enter is refused", arguments: [0o701, 0o710, 0o770, 0o755, 0o1777] as [mode_t])
    func openFolder(_ mode: mode_t) throws {
        let folder = try TemporaryFolder()
        unsafe chmod(folder.path, mode)
        #expect(code { _ = try UnixListener(at: folder.file("socket")) } == EACCES)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        unsafe chmod(folder.path, 0o700)
        _ = try UnixListener(at: folder.file("socket"))
    }

    @Test("A path of 107 bytes is taken, a longer one refused with its limit")
    func longPath() throws {
        let folder = try TemporaryFolder()
        let path = folder.file(String(repeating: "a", count: 107 - folder.path.utf8.count - 1))
        let listener = try UnixListener(at: path)
        _ = try UnixConnection.connect(to: path)
        listener.close()
        do {
            _ = try UnixListener(at: path + "b")
            Issue.record("listens at a path of 108 bytes")
        } catch {
            #expect(error.code == ENAMETOOLONG)
            #expect(
                error.description
                    == "cannot listen at \(path)b, which is over the 107 bytes that a socket's path may have: "
                    + "File name too long"
            )
        }
        #expect(code { _ = try UnixConnection.connect(to: path + "b") } == ENAMETOOLONG)
    }

    @Test("No path leads out of the file system", arguments: ["", "\0abstract", "cut\0here"])
    func strangePath(_ path: String) {
        #expect([ENOENT, EINVAL].contains(code { _ = try UnixListener(at: path) }))
        #expect([ENOENT, EINVAL].contains(code { _ = try UnixConnection.connect(to: path) }))
    }

    @Test("Of two listeners the second is refused, until the first is closed")
    func twoListeners() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let first = try UnixListener(at: path)
        #expect(code { _ = try UnixListener(at: path) } == EADDRINUSE)
        _ = try UnixConnection.connect(to: path)
        first.close()
        #expect(!WholeFile.isTaken(path))
        #expect(code { _ = try UnixConnection.connect(to: path) } == ENOENT)
        let second = try UnixListener(at: path)
        // What the first does now is not the second's affair.
        first.close()
        _ = try UnixConnection.connect(to: path)
        withExtendedLifetime(second) {}
    }

    @Test("Who holds the lock has the place, though nobody answers there yet")
    func lockHolder() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let lock = try ProcessLock(waitingFor: path + ".lock")
        #expect(code { _ = try UnixListener(at: path) } == EADDRINUSE)
        #expect(!WholeFile.isTaken(path))
        _ = consume lock
        _ = try UnixListener(at: path)
    }

    @Test("Of many that begin at once, one listens")
    func race() async throws {
        let folder = try TemporaryFolder()
        let listeners = await withTaskGroup(of: UnixListener?.self) { group in
            for _ in 0..<16 { group.addTask { try? UnixListener(at: folder.file("socket")) } }
            return await group.reduce(into: []) { if let listener = $1 { $0.append(listener) } }
        }
        #expect(listeners.count == 1)
        _ = try UnixConnection.connect(to: folder.file("socket"))
    }

    @Test("A listener that somebody else's program answers at stays, without any lock")
    func foreignListener() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let script = """
            import socket, sys, time
            s = socket.socket(socket.AF_UNIX)
            s.bind(sys.argv[1])
            s.listen()
            print("listening", flush=True)
            time.sleep(60)
            """
        let program = try Program("/usr/bin/python3", ["-c", script, path])
        try #require(program.line(containing: "listening") != nil)
        #expect(code { _ = try UnixListener(at: path) } == EADDRINUSE)
        #expect(WholeFile.isTaken(path))
        program.signal(SIGKILL)
        program.wait()
        // It left its socket behind, which nobody answers at.
        #expect(code { _ = try UnixConnection.connect(to: path) } == ECONNREFUSED)
        let listener = try UnixListener(at: path)
        _ = try UnixConnection.connect(to: path)
        withExtendedLifetime(listener) {}
    }

    @Test("The socket of a listener that was killed is taken over")
    func killedListener() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let program = try Program("mildam-system-program", ["identify", path])
        try #require(program.line(containing: "listening") != nil)
        #expect(code { _ = try UnixListener(at: path) } == EADDRINUSE)
        program.signal(SIGKILL)
        program.wait()
        #expect(WholeFile.isTaken(path))
        let listener = try UnixListener(at: path)
        _ = try UnixConnection.connect(to: path)
        withExtendedLifetime(listener) {}
    }

    @Test("A file that is no socket is never replaced")
    func otherFile() throws {
        let folder = try TemporaryFolder()
        try WholeFile.write([1, 2, 3].span, to: folder.file("socket"))
        #expect(code { _ = try UnixListener(at: folder.file("socket")) } == EEXIST)
        #expect(try WholeFile.read(folder.file("socket"), limit: 3) == [1, 2, 3])
        unsafe symlink("nowhere", folder.file("link"))
        #expect(code { _ = try UnixListener(at: folder.file("link")) } == EEXIST)
    }

    @Test("Closing wakes who waits to accept, and removes only its own socket")
    func closing() async throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file("socket"))
        async let isOver = Blocking.run { try listener.accept() == nil }
        try await Task.sleep(for: .milliseconds(50))
        try FileManager.default.removeItem(atPath: listener.path)
        try WholeFile.write([1].span, to: listener.path)
        listener.close()
        #expect(try await isOver)
        #expect(WholeFile.exists(listener.path))
        #expect(try listener.accept() == nil)
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(unsafe lstat(path, &status) == 0)
        return status.st_mode
    }
}

extension UnixConnection {
    /// So many bytes; `nil` at the end.
    func receive(_ count: Int, within limit: Duration? = .seconds(10)) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        return try receive(into: &span, within: limit) ? bytes : nil
    }
}
