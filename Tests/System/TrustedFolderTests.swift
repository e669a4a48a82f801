import Foundation
import MildamSystem
import TestSupport
import Testing

/// The walk itself, on the file system. Somebody else's folders can be made by root alone.
@Suite("Folders that are looked at first")
struct TrustedFolderTests {
    private let folder: TemporaryFolder
    private static let other: uid_t = 65534

    init() throws { folder = try TemporaryFolder() }

    /// Makes a folder with exactly these permissions.
    @discardableResult
    private func make(_ name: String, _ mode: mode_t, owner: uid_t? = nil) throws -> String {
        let path = folder.file(name)
        try #require(unsafe mkdir(path, 0o700) == 0 && chmod(path, mode) == 0)
        if let owner { try #require(unsafe chown(path, owner, owner) == 0) }
        return path
    }

    private func link(_ name: String, to target: String) throws {
        try #require(unsafe symlink(target, folder.file(name)) == 0)
    }

    /// What is not trusted, and where.
    private func distrust(
        _ path: String,
        othersMayLook: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> UntrustedPlace? {
        do {
            try TrustedFolder.check(path, othersMayLook: othersMayLook)
            return nil
        } catch {
            #expect(error.distrust != nil, "\(error)", sourceLocation: sourceLocation)
            return error.distrust
        }
    }

    private func code(_ body: () throws -> Void) -> Int32? {
        do { try body() } catch { return (error as? SystemError)?.code }
        return nil
    }

    @Test func oursAndNothing() throws {
        try make("ours", 0o700)
        #expect(try TrustedFolder.check(folder.file("ours")))
        #expect(try TrustedFolder.check(folder.file("ours/./../ours//")))
        #expect(try !TrustedFolder.check(folder.file("none")))
        #expect(try !TrustedFolder.check(folder.file("none/below/../x")))
        try WholeFile.write([1].span, to: folder.file("file"))
        for path in ["file", "file/below"] {
            #expect(code { try TrustedFolder.check(folder.file(path)) } == ENOTDIR)
        }
        #expect(code { try TrustedFolder.check("") } == ENOENT)
    }

    @Test(arguments: [0o755, 0o750, 0o701, 0o1777] as [mode_t])
    func openToOthers(_ mode: mode_t) throws {
        let path = try make("open", mode)
        let seen = try #require(distrust(path))
        #expect(seen.path == path && seen.fault == .open(mode))
        let isWritable = mode == 0o1777
        #expect(distrust(path, othersMayLook: true)?.fault == (isWritable ? .writable(mode) : nil))
    }

    @Test func aFolderOnTheWayThatOthersMayWriteTo() throws {
        let shared = try make("shared", 0o777)
        try make("shared/ours", 0o700)
        for path in ["shared/ours", "shared/none", "shared/ours/../ours"] {
            #expect(distrust(folder.file(path)).map { $0.path == shared && $0.fault == .writable(0o777) } == true)
        }
        #expect(unsafe chmod(shared, 0o1777) == 0)
        #expect(try TrustedFolder.check(folder.file("shared/ours")))
        #expect(try !TrustedFolder.check(folder.file("shared/none")))
    }

    // MARK: Links

    @Test func linksInFoldersOfOursAreFollowed() throws {
        try make("real", 0o700)
        try make("real/ours", 0o700)
        try make("real/open", 0o755)
        try link("absolute", to: folder.file("real"))
        try link("relative", to: "absolute/../real/.")
        for way in ["absolute", "relative"] {
            #expect(try TrustedFolder.check(folder.file("\(way)/ours")))
            #expect(distrust(folder.file("\(way)/open"))?.path.hasSuffix("/real/open") == true)
            #expect(try !TrustedFolder.check(folder.file("\(way)/none")))
        }
        try link("nowhere", to: "gone")
        #expect(try !TrustedFolder.check(folder.file("nowhere/ours")))
        try link("round", to: "round")
        #expect(code { try TrustedFolder.check(folder.file("round")) } == ELOOP)
    }

    @Test func linksWhereOthersCanMakeThemAreNot() throws {
        try make("real", 0o700)
        try make("shared", 0o1777)
        try link("shared/link", to: folder.file("real"))
        #expect(distrust(folder.file("shared/link"))?.fault == .link)
        #expect(distrust(folder.file("shared/link/below"))?.fault == .link)
        // One of ours that leads through such a folder.
        try make("shared/ours", 0o777)
        try link("link", to: "shared/ours/x")
        #expect(distrust(folder.file("link"))?.fault == .writable(0o777))
    }

    // MARK: Other owners

    @Test(.enabled(if: geteuid() == 0, "only root can make another user's folder"))
    func anotherUsersFolder() throws {
        let theirs = try make("theirs", 0o755, owner: Self.other)
        try make("theirs/ours", 0o700)
        for path in [theirs, theirs + "/ours", theirs + "/none"] {
            #expect(distrust(path).map { $0.path == theirs && $0.fault == .owner(Self.other) } == true)
        }
        #expect(distrust(theirs, othersMayLook: true)?.fault == .owner(Self.other))
        try link("link", to: theirs)
        #expect(distrust(folder.file("link"))?.path == theirs)
        try link("their link", to: folder.path)
        #expect(unsafe lchown(folder.file("their link"), Self.other, Self.other) == 0)
        #expect(distrust(folder.file("their link"))?.fault == .owner(Self.other))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder to another group"))
    func groups() throws {
        // Root's own group lets nobody else in; another one may.
        let path = try make("group", 0o775)
        try make("group/ours", 0o700)
        #expect(unsafe chown(path, 0, 0) == 0)
        #expect(try TrustedFolder.check(folder.file("group/ours")))
        // A list that lets one more in has the group's permissions for its bound.
        let list = """
            import os, struct, sys
            entries = [(1, 7, -1), (2, 7, 65534), (4, 5, -1), (16, 7, -1), (32, 5, -1)]
            value = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
            os.setxattr(sys.argv[1], "system.posix_acl_access", value)
            """
        if try Program.run("python3", ["-c", list, path]).status == 0 {
            #expect(distrust(folder.file("group/ours"))?.fault == .writable(0o775))
        } else {
            print("access lists were not looked at: the file system of \(folder.path) has none")
        }
        let others = try make("others", 0o775)
        try make("others/ours", 0o700)
        #expect(unsafe chown(others, 0, gid_t(Self.other)) == 0)
        #expect(distrust(folder.file("others/ours"))?.fault == .writable(0o775))
    }

    // MARK: Making

    @Test func whatIsMadeIsForItsOwnerAlone() throws {
        let before = umask(0)
        defer { umask(before) }
        try TrustedFolder.create(folder.file("a/b/c"))
        for name in ["a", "a/b", "a/b/c"] {
            var status = stat()
            #expect(unsafe lstat(folder.file(name), &status) == 0 && status.st_mode == S_IFDIR | 0o700)
        }
        try TrustedFolder.create(folder.file("a/b/c/"))
        #expect(unsafe chmod(folder.file("a/b/c"), 0o755) == 0)
        #expect(code { try TrustedFolder.create(folder.file("a/b/c")) } == EACCES)
        try TrustedFolder.create(folder.file("a/b/c"), othersMayLook: true)
        try WholeFile.write([1].span, to: folder.file("file"))
        #expect(code { try TrustedFolder.create(folder.file("file")) } == ENOTDIR)
        #expect(code { try TrustedFolder.create("") } == ENOENT)
    }

    @Test func nothingIsMadeBelowWhatIsNotTrusted() throws {
        try make("shared", 0o777)
        #expect(code { try TrustedFolder.create(folder.file("shared/a/b")) } == EACCES)
        #expect(!WholeFile.isTaken(folder.file("shared/a")))
        guard geteuid() == 0 else { return print("another user's folder was not tried: only root can make one") }
        try make("sticky", 0o1777)
        let theirs = try make("sticky/a", 0o777, owner: Self.other)
        #expect(code { try TrustedFolder.create(theirs + "/b") } == EACCES)
        #expect(!WholeFile.isTaken(theirs + "/b"))
    }

    // MARK: Files

    @Test func files() throws {
        let file = folder.file("file")
        func fault() -> UntrustedPlace.Fault? {
            do { try TrustedFolder.check(file: file) } catch { return error.distrust?.fault }
            return nil
        }
        #expect(try !TrustedFolder.check(file: file))
        try WholeFile.write([1].span, to: file)
        #expect(try TrustedFolder.check(file: file))
        #expect(unsafe chmod(file, 0o646) == 0)
        #expect(fault() == .writable(0o646))
        unsafe unlink(file)
        try link("file", to: "/etc/hostname")
        #expect(fault() == .link)
        unsafe unlink(file)
        try #require(unsafe mkfifo(file, 0o600) == 0)
        #expect(fault() == .kind)
        guard geteuid() == 0 else { return print("another user's file was not tried: only root can make one") }
        unsafe unlink(file)
        try WholeFile.write([1].span, to: file)
        #expect(unsafe chown(file, Self.other, Self.other) == 0)
        #expect(fault() == .owner(Self.other))
    }

    @Test func aLockIsNoLink() throws {
        try link("lock", to: "elsewhere")
        #expect(code { _ = try ProcessLock(waitingFor: folder.file("lock")) } == ELOOP)
        #expect(!WholeFile.isTaken(folder.file("elsewhere")))
    }

    // MARK: Sockets

    @Test func aSocketInAnOpenFolderIsNotSpokenWith() throws {
        let listener = try UnixListener(at: folder.file("run/socket"))
        #expect(unsafe chmod(folder.file("run"), 0o755) == 0)
        #expect(code { _ = try UnixConnection.connect(to: listener.path) } == EACCES)
        #expect(unsafe chmod(folder.file("run"), 0o700) == 0)
        _ = try UnixConnection.connect(to: listener.path)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can be another user"))
    func anotherUsersSocketIsNotSpokenWith() throws {
        let path = folder.file("socket")
        // Bound by root and listened at by nobody: where nobody could come in, the folder was open before.
        let script = """
            import os, socket, sys, time
            s = socket.socket(socket.AF_UNIX)
            s.bind(sys.argv[1])
            os.seteuid(65534)
            s.listen()
            print("listening", flush=True)
            time.sleep(60)
            """
        let listener = try Program("python3", ["-c", script, path])
        defer { listener.signal(SIGKILL) }
        _ = listener.line(containing: "listening")
        do {
            _ = try UnixConnection.connect(to: path)
            Issue.record("speaks with another user's program")
        } catch {
            #expect(error.distrust?.fault == .owner(Self.other), "\(error)")
        }
    }
}
