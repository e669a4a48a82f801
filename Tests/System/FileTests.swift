import Foundation
import MildamSystem
import Testing

/// Lends a new, empty folder and removes it afterwards.
func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mildam-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
}

private func permissions(_ path: String) throws -> mode_t {
    var status = stat()
    try #require(unsafe stat(path, &status) == 0)
    return status.st_mode & 0o7777
}

private func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
}

@Suite("Files that appear whole")
struct WholeFileTests {
    @Test(arguments: [0, 1, 100_000])
    func appearsWhole(_ count: Int) throws {
        try withFolder { folder in
            let path = "\(folder)/file"
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            try WholeFile.write([1, 2, 3].span, to: path)
            try WholeFile.write(bytes.span, to: path)
            #expect(try WholeFile.read(path, limit: count) == bytes)
            #expect(try permissions(path) == 0o600)
            #expect(try names(in: folder) == ["file"])
        }
    }

    @Test("A failed write leaves the old content and no temporary file")
    func failedWrite() throws {
        try withFolder { folder in
            let path = "\(folder)/file"
            // A folder with something in it cannot be replaced by a file.
            try Folder.create("\(path)/inside")
            #expect(throws: SystemError.self) { try WholeFile.write([1].span, to: path) }
            #expect(try names(in: folder) == ["file"])
            #expect(try names(in: path) == ["inside"])
            #expect(throws: SystemError.self) { try WholeFile.write([1].span, to: "\(folder)/missing/file") }
        }
    }

    @Test("A disk that fills up in the middle leaves the old content and no temporary file")
    func interruptedWrite() throws {
        try withFolder { folder in
            let path = "\(folder)/file"
            try WholeFile.write([1, 2, 3].span, to: path)
            // The kernel takes 64 MiB of the file and refuses the rest, as a full disk does.
            signal(SIGXFSZ, SIG_IGN)
            var before = rlimit()
            try #require(unsafe getrlimit(__rlimit_resource_t(1), &before) == 0)
            var limit = rlimit(rlim_cur: 64 << 20, rlim_max: before.rlim_max)
            try #require(unsafe setrlimit(__rlimit_resource_t(1), &limit) == 0)
            defer { unsafe setrlimit(__rlimit_resource_t(1), &before) }
            let long = [UInt8](repeating: 7, count: 64 << 20 | 1)
            let error = #expect(throws: SystemError.self) { try WholeFile.write(long.span, to: path) }
            #expect(error?.code == EFBIG)
            #expect(try WholeFile.read(path, limit: 10) == [1, 2, 3])
            #expect(try names(in: folder) == ["file"])
        }
    }

    @Test func limit() throws {
        try withFolder { folder in
            try WholeFile.write([1, 2, 3].span, to: "\(folder)/file")
            #expect(try WholeFile.read("\(folder)/file", limit: 3) == [1, 2, 3])
            let error = #expect(throws: SystemError.self) { try WholeFile.read("\(folder)/file", limit: 2) }
            #expect(error?.code == EFBIG)
            #expect(throws: SystemError.self) { try WholeFile.read("\(folder)/none", limit: 2) }
        }
    }
}

@Suite("Folders")
struct FolderTests {
    @Test func privateAndNested() throws {
        try withFolder { folder in
            try Folder.create("\(folder)/a/b/c")
            for path in ["a", "a/b", "a/b/c"] { #expect(try permissions("\(folder)/\(path)") == 0o700) }
            try Folder.create("\(folder)/a/b/c/")
            try WholeFile.write([0].span, to: "\(folder)/file")
            let error = #expect(throws: SystemError.self) { try Folder.create("\(folder)/file") }
            #expect(error?.code == ENOTDIR)
            #expect(throws: SystemError.self) { try Folder.create("\(folder)/file/below") }
        }
    }

    @Test func anEmptyNameIsRefused() {
        let error = #expect(throws: SystemError.self) { try Folder.create("") }
        #expect(error?.code == ENOENT)
    }

    @Test(arguments: [
        ("/", "/"), ("/a", "/"), ("/a/", "/"), ("/a/b", "/a"), ("a", "."), ("a/b", "a"), ("a/b//", "a"), ("", "."),
        (".", "."),
    ])
    func parent(_ path: String, _ parent: String) {
        #expect(Folder.parent(of: path) == parent)
    }
}

@Suite("Descriptors")
struct DescriptorTests {
    @Test("Reads stop at the end of the file; writes at a place leave the rest")
    func positions() throws {
        try withFolder { folder in
            let file = try Descriptor.open("\(folder)/file", O_RDWR | O_CREAT)
            try file.write([1, 2, 3, 4].span)
            try file.write([9].span, at: 1)
            try file.write([5].span)
            #expect(try file.read(upTo: 100, at: 0) == [1, 9, 3, 4, 5])
            #expect(try file.read(upTo: 2, at: 1) == [9, 3])
            #expect(try file.read(upTo: 2, at: 5) == [])
            #expect(try file.read(upTo: 0, at: 0) == [])
            #expect(try file.size() == 5)
        }
    }

    @Test("A pipe that takes little at a time gets everything")
    func shortWrites() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
        Thread.detachNewThread {
            let descriptor = Descriptor(owning: writer)
            try? descriptor.write(bytes.span)
        }
        var seen: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1000)
        while case let got = unsafe read(reader, &piece, piece.count), got > 0 { seen += piece.prefix(got) }
        close(reader)
        #expect(seen == bytes)
    }

    @Test func closesWhatItOwns() throws {
        try withFolder { folder in
            let number: Int32
            var opened = stat()
            do {
                let file = try Descriptor.open("\(folder)/file", O_RDWR | O_CREAT)
                number = file.number
                #expect(fcntl(number, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
                try #require(unsafe fstat(number, &opened) == 0)
            }
            // Another test may have opened something else under the same number since.
            var status = stat()
            let isOpen = unsafe fstat(number, &status) == 0 && status.st_ino == opened.st_ino
            #expect(!isOpen)
        }
    }

    /// Nothing there is not the same as nothing to be seen.
    @Test func isThere() throws {
        try withFolder { folder in
            try WholeFile.write([1].span, to: "\(folder)/file")
            try #require(unsafe symlink("nowhere", "\(folder)/dangling") == 0)
            try #require(unsafe symlink("loop", "\(folder)/loop") == 0)
            #expect(try WholeFile.isThere("\(folder)/file"))
            for name in ["none", "none/below", "file/below", "dangling"] {
                #expect(try !WholeFile.isThere("\(folder)/\(name)"), "\(name)")
            }
            let error = #expect(throws: SystemError.self) { try WholeFile.isThere("\(folder)/loop") }
            #expect(error == SystemError("look at", "\(folder)/loop", code: ELOOP))
        }
    }

    @Test func aFolderThatIsOpenIsListedWhateverLiesAtItsPath() throws {
        try withFolder { folder in
            let path = "\(folder)/inner"
            try Folder.create(path)
            try WholeFile.write([1].span, to: "\(path)/old")
            let open = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
            try FileManager.default.moveItem(atPath: path, toPath: "\(folder)/moved")
            try Folder.create(path)
            try WholeFile.write([1].span, to: "\(path)/new")
            for _ in 0..<2 {
                let entries = try Folder.entries(of: open, path: path)
                #expect(entries == [Array("old".utf8)])
            }
            #expect(try Folder.entries(of: path) == [Array("new".utf8)])
        }
    }

    @Test func errorsSayWhatAndWhy() {
        let error = #expect(throws: SystemError.self) { try WholeFile.read("/nowhere/file", limit: 1) }
        #expect(error?.description == "cannot open /nowhere/file: No such file or directory")
        let full = SystemError("write", "/a", code: ENOSPC)
        #expect(full.description == "cannot write /a: No space left on device; make room on the disk and try again")
        let denied = SystemError("look at", "/a/b", code: EACCES)
        #expect(denied.description.hasPrefix("cannot look at /a/b: Permission denied; "))
        #expect(denied.remedy?.contains("namei -l '/a/b'") == true)
        let hostile = SystemError("open", "/a';reboot '\u{301}b", code: EACCES)
        #expect(hostile.remedy?.hasSuffix("namei -l '/a'\\'';reboot '\\''\u{301}b'") == true, "one word to a shell")
        #expect(SystemError("listen on", "127.0.0.1:80", code: EACCES).remedy == nil, "it is no file")
        #expect(SystemError("write", code: ENOSPC).isOutOfSpace)
        #expect(!SystemError("write", code: EIO).isOutOfSpace)
    }
}
