import Foundation
import Glibc
import MildamCrypto
import MildamSystem
import TestSupport
import Testing

@testable import MildamFiles

@Suite("RNCryptor: whole files")
struct RNCryptorFileTests {
    private let folder: TemporaryFolder
    private static let piece = 1 << 20

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try WholeFile.write(bytes.span, to: folder.file(name))
        return folder.file(name)
    }

    private func read(_ name: String) throws -> [UInt8] { try WholeFile.read(folder.file(name), limit: 1 << 24) }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    /// Sizes around a block, and around pieces, the bytes that are kept back at each among them.
    private static let sizes =
        [0, 1, 15, 16, 17, 31, 32, 33, 1000]
        + [piece - 49, piece - 48, piece - 33, piece - 32, piece - 17, piece - 16, piece - 15, piece - 1]
        + [piece, piece + 1, piece + 16, piece + 47, piece + 48, 2 * piece, 5 * piece + 5]

    @Test("Files of every size round-trip, with the size that was foretold", arguments: sizes)
    func roundTrip(_ size: Int) throws {
        var generator = Seed.generator(for: "rncryptor \(size)")
        let pattern = generator.bytes(97)
        var content: [UInt8] = []
        while content.count < size { content.append(contentsOf: pattern.prefix(size - content.count)) }
        let plain = try write(content, "plain")
        let count = try RNCryptorFile.encrypt(plain, to: folder.file("file"), secret: fixedSecret())
        #expect(try read("file").count == count)
        #expect(RNCryptorFile.size(ofContent: size, withPassword: false) == count)
        let opened = try RNCryptorFile.decrypt(folder.file("file"), to: folder.file("back"), secret: fixedSecret())
        #expect(opened == RNCryptorOpened(layout: .version3, isPasswordTruncated: false, size: size))
        #expect(try read("back") == content)
        #expect(try RNCryptorFile.decrypt(read("file"), secret: fixedSecret()).content == content)
        #expect(try names == ["back", "file", "plain"])
        var status = stat()
        #expect(unsafe stat(folder.file("back"), &status) == 0 && status.st_mode & 0o777 == 0o600)

        // The same by way of a temporary file: counted, and to a descriptor.
        let old = try RNCryptorMaker(mark: [], isCounting: true).file(content)
        let counted = try RNCryptorFile.decrypt(
            write(old, "old"),
            to: folder.file("back"),
            secret: fixedSecret(),
            format: .unmarkedCounterSHA256
        )
        #expect(counted == RNCryptorOpened(layout: .counterSHA256, isPasswordTruncated: false, size: size))
        #expect(try read("back") == content)
        let source = try FileSource(owning: Descriptor.open(folder.file("file"), O_RDONLY))
        let target = try FileTarget(Descriptor.open(folder.file("out"), O_WRONLY | O_CREAT))
        #expect(try RNCryptorFile.decrypt(source, to: target, secret: fixedSecret()) == opened)
        #expect(try read("out") == content)
    }

    @Test("Passwords round-trip, whatever characters they have", arguments: ["p", "밀담", "🔑 and a key", "a\u{0}b"])
    func passwords(_ text: String) throws {
        let plain = try write(Array("content".utf8), "plain")
        let count = try RNCryptorFile.encrypt(plain, to: folder.file("file"), secret: password(text))
        #expect(RNCryptorFile.size(ofContent: 7, withPassword: true) == count)
        let opened = try RNCryptorFile.decrypt(folder.file("file"), to: folder.file("back"), secret: password(text))
        #expect(opened == RNCryptorOpened(layout: .version3, isPasswordTruncated: false, size: 7))
        #expect(try read("back") == Array("content".utf8))
        #expect(throws: RNCryptorError.authenticationFailed) {
            try RNCryptorFile.decrypt(folder.file("file"), to: folder.file("back"), secret: password(text + "x"))
        }
    }

    @Test("A password that was cut short opens a file and a pipe, too")
    func truncatedPassword() throws {
        var maker = RNCryptorMaker.version(2, "\u{bc00}\u{b2f4}")
        maker.password = Array("\u{bc00}\u{b2f4}".utf8.prefix(2))
        let path = try write(maker.file([1, 2, 3]), "file")
        let opened = try RNCryptorFile.decrypt(path, to: folder.file("back"), secret: password("\u{bc00}\u{b2f4}"))
        #expect(opened == RNCryptorOpened(layout: .version2, isPasswordTruncated: true, size: 3))
        #expect(try read("back") == [1, 2, 3])
    }

    @Test("Two files under one secret share no salt, IV or ciphertext")
    func freshness() throws {
        let plain = try write([UInt8](repeating: 7, count: 64), "plain")
        let files = try ["one", "other"].map { name in
            try RNCryptorFile.encrypt(plain, to: folder.file(name), secret: password("p"))
            return try read(name)
        }
        for range in [2..<10, 10..<18, 18..<34, 34..<50] { #expect(files[0][range] != files[1][range]) }
        let headers = try files.map { try RNCryptorHeader($0.span) }
        #expect(headers[0].salts?.encryption != headers[0].salts?.hmac)
    }

    @Test("Damage and a wrong secret leave nothing, and what the target named before", arguments: [false, true])
    func damaged(counted: Bool) throws {
        var generator = Seed.generator(for: "rncryptor damaged")
        let content = generator.bytes(1000)
        var file =
            counted
            ? try RNCryptorMaker(mark: [], isCounting: true).file(content)
            : try RNCryptorMaker.version(3, nil).file(content)
        let format = counted ? RNCryptorFormat.unmarkedCounterSHA256 : .detected
        file[500] ^= 1
        let path = try write(file, "file")
        let target = folder.file("back")
        for before in [nil, [1, 2, 3]] as [[UInt8]?] {
            if let before { _ = try write(before, "back") }
            #expect(throws: RNCryptorError.authenticationFailed) {
                try RNCryptorFile.decrypt(path, to: target, secret: fixedSecret(), format: format)
            }
            #expect(try names == (before == nil ? ["file"] : ["back", "file"]))
            if let before { #expect(try read("back") == before) }
        }
    }

    @Test("A file cut at any byte leaves no target")
    func cuts() throws {
        let file = try RNCryptorMaker.version(3, nil).file(Array("forty bytes of content, three blocks ...".utf8))
        for count in file.indices {
            let path = try write(Array(file[..<count]), "file")
            #expect(throws: RNCryptorError.self) {
                try RNCryptorFile.decrypt(path, to: folder.file("back"), secret: fixedSecret())
            }
        }
        #expect(try names == ["file"])
    }

    @Test("Long files: damage in the first piece, the last, and the HMAC; and a cut at each border")
    func longDamage() throws {
        let content = [UInt8](repeating: 5, count: 2 * Self.piece + 100)
        let file = try RNCryptorMaker.version(3, nil).file(content)
        for position in [0, 17, 18, Self.piece, Self.piece + 17, 2 * Self.piece + 20, file.count - 33, file.count - 1] {
            var changed = file
            changed[position] ^= 1
            let path = try write(changed, "file")
            #expect(throws: RNCryptorError.self, "byte \(position)") {
                try RNCryptorFile.decrypt(path, to: folder.file("back"), secret: fixedSecret())
            }
        }
        for border in [Self.piece, Self.piece + 18, 2 * Self.piece, 2 * Self.piece + 66] {
            for distance in [-48, -32, -17, -16, -1, 0, 1, 16, 32, 48] {
                let path = try write(Array(file[..<(border + distance)]), "file")
                #expect(throws: RNCryptorError.self) {
                    try RNCryptorFile.decrypt(path, to: folder.file("back"), secret: fixedSecret())
                }
            }
        }
        #expect(try names == ["file"])
    }

    @Test("What stands at the target is replaced only when asked", arguments: [false, true])
    func replacing(_ replacing: Bool) throws {
        let plain = try write([1], "plain")
        try RNCryptorFile.encrypt(plain, to: folder.file("file"), secret: fixedSecret())
        _ = try write([9], "there")
        let exists = RNCryptorError.io(SystemError("create", folder.file("there"), code: EEXIST))
        func attempt(_ body: () throws(RNCryptorError) -> Void) {
            do throws(RNCryptorError) {
                try body()
                #expect(replacing)
            } catch {
                #expect(!replacing && error == exists)
            }
        }
        attempt { () throws(RNCryptorError) in
            try RNCryptorFile.decrypt(
                folder.file("file"),
                to: folder.file("there"),
                secret: fixedSecret(),
                replacing: replacing
            )
        }
        #expect(try read("there") == (replacing ? [1] : [9]))
        attempt { () throws(RNCryptorError) in
            try RNCryptorFile.encrypt(plain, to: folder.file("there"), secret: fixedSecret(), replacing: replacing)
        }
        #expect(try read("there").count == (replacing ? 66 : 1))
    }

    @Test("To a descriptor, nothing of a file that fails goes out, not even its first pieces")
    func pipes() throws {
        let content = [UInt8](repeating: 5, count: 3 * Self.piece)
        var file = try RNCryptorMaker.version(3, nil).file(content)
        file[file.count - 1] ^= 1
        let source = try FileSource(owning: Descriptor.open(write(file, "file"), O_RDONLY))
        do {
            let target = try FileTarget(Descriptor.open(folder.file("out"), O_WRONLY | O_CREAT))
            do throws(RNCryptorError) {
                try RNCryptorFile.decrypt(source, to: target, secret: fixedSecret())
                Issue.record("it opened")
            } catch {
                #expect(error == .authenticationFailed)
            }
        }
        #expect(try read("out").isEmpty)
    }

    @Test("Through pipes, whose size nobody knows", arguments: [0, 100, 3 * piece + 7])
    func realPipes(_ size: Int) throws {
        let content = [UInt8](repeating: 5, count: size)
        _ = try write(content, "plain")
        let total = Lock<[Int?]>([])
        let monitor = FileMonitor { _, known in total.withLock { $0.append(known) } }
        func piped(_ name: String, _ body: (borrowing Descriptor) throws -> Void) throws {
            let feeder = try Program("sh", ["-c", "cat \(name) >fifo"], folder: folder.path)
            let source = try Descriptor.open(folder.file("fifo"), O_RDONLY)
            try body(source)
            feeder.wait()
        }
        #expect(unsafe mkfifo(folder.file("fifo"), 0o600) == 0)
        try piped("plain") { source in
            try RNCryptorFile.encrypt(
                FileSource(source),
                to: FileTarget(folder.file("file")),
                secret: fixedSecret(),
                monitor: monitor
            )
        }
        try piped("file") { source in
            try RNCryptorFile.decrypt(
                FileSource(source),
                to: FileTarget(folder.file("back")),
                secret: fixedSecret(),
                monitor: monitor
            )
        }
        #expect(try read("back") == content)
        #expect(total.withLock { $0.allSatisfy { $0 == nil } && !$0.isEmpty })
    }

    @Test("Progress rises to the total; whoever calls it off finds nothing left")
    func monitor() throws {
        let plain = try write([UInt8](repeating: 5, count: 3 * Self.piece + 5), "plain")
        let seen = Lock<[(done: Int, total: Int?)]>([])
        let watching = FileMonitor { done, total in seen.withLock { $0.append((done, total)) } }
        func takeSteps(of total: Int) -> [Int] {
            let steps = seen.withLock { $0 }
            seen.withLock { $0 = [] }
            #expect(steps.allSatisfy { $0.total == total })
            return steps.map(\.done)
        }
        let total = 3 * Self.piece + 5
        let size = try RNCryptorFile.encrypt(
            plain,
            to: folder.file("file"),
            secret: fixedSecret(),
            monitor: watching
        )
        #expect(takeSteps(of: total) == [Self.piece, 2 * Self.piece, 3 * Self.piece, total])
        try RNCryptorFile.decrypt(
            folder.file("file"),
            to: folder.file("back"),
            secret: fixedSecret(),
            monitor: watching
        )
        #expect(takeSteps(of: size) == (1...3).map { $0 * Self.piece + 18 } + [size])
        let source = try FileSource(owning: Descriptor.open(folder.file("file"), O_RDONLY))
        let target = try FileTarget(Descriptor.open("/dev/null", O_WRONLY))
        try RNCryptorFile.decrypt(source, to: target, secret: fixedSecret(), monitor: watching)
        #expect(takeSteps(of: size) == (1...3).map { $0 * Self.piece + 18 } + [size])

        let before = try names
        for step in [1, 2, 4] {
            let asked = Lock(0)
            let stopping = FileMonitor(
                isCancelled: {
                    asked.withLock { count in
                        count += 1
                        return count >= step
                    }
                }
            )
            #expect(throws: RNCryptorError.cancelled) {
                try RNCryptorFile.encrypt(plain, to: folder.file("new"), secret: fixedSecret(), monitor: stopping)
            }
            asked.withLock { $0 = 0 }
            #expect(throws: RNCryptorError.cancelled) {
                try RNCryptorFile.decrypt(
                    folder.file("file"),
                    to: folder.file("new"),
                    secret: fixedSecret(),
                    monitor: stopping
                )
            }
        }
        #expect(try names == before)
    }

    @Test("Called off while verified content goes out, the rest does not")
    func cancelledLate() throws {
        let file = try RNCryptorMaker.version(3, nil).file([UInt8](repeating: 5, count: 3 * Self.piece))
        let source = try FileSource(write(file, "file"))
        let target = try FileTarget(Descriptor.open(folder.file("out"), O_WRONLY | O_CREAT))
        let asked = Lock(0)
        let stopping = FileMonitor(
            isCancelled: {
                asked.withLock { count in
                    count += 1
                    return count == 6
                }
            }
        )
        do throws(RNCryptorError) {
            try RNCryptorFile.decrypt(source, to: target, secret: fixedSecret(), monitor: stopping)
            Issue.record("it was not called off")
        } catch {
            #expect(error == .cancelled)
        }
        // Four pieces were read, and then one was written before the second was begun.
        #expect(try read("out").count == Self.piece)
    }

    @Test("What the system refuses is said with its name")
    func systemErrors() throws {
        let missing = folder.file("missing")
        #expect(throws: RNCryptorError.io(SystemError("open", missing, code: ENOENT))) {
            try RNCryptorFile.encrypt(missing, to: folder.file("file"), secret: fixedSecret())
        }
        #expect(throws: RNCryptorError.io(SystemError("read", folder.path, code: EISDIR))) {
            try RNCryptorFile.encrypt(folder.path, to: folder.file("file"), secret: fixedSecret())
        }
        #expect(throws: RNCryptorError.io(SystemError("read", folder.path, code: EISDIR))) {
            try RNCryptorFile.decrypt(folder.path, to: folder.file("file"), secret: fixedSecret())
        }
        let plain = try write([1], "plain")
        #expect(throws: RNCryptorError.self) {
            try RNCryptorFile.encrypt(plain, to: folder.file("missing/file"), secret: fixedSecret())
        }
        #expect(try names == ["plain"])
    }

    @Test("A full disk is said, and leaves what was there")
    func fullDisk() throws {
        let source = try FileSource(write([UInt8](repeating: 5, count: 3 * Self.piece), "plain"))
        let full = try FileTarget(Descriptor.open("/dev/full", O_WRONLY))
        do throws(RNCryptorError) {
            try RNCryptorFile.encrypt(source, to: full, secret: fixedSecret())
            Issue.record("it was written")
        } catch {
            #expect(error == .io(SystemError("write", code: ENOSPC)))
        }
        // The kernel takes 2 MiB of a file and refuses the rest, as a full disk does.
        try RNCryptorFile.encrypt(folder.file("plain"), to: folder.file("file"), secret: fixedSecret())
        let there = try write([7], "there")
        signal(SIGXFSZ, SIG_IGN)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var before = rlimit()
        try #require(unsafe getrlimit(resource, &before) == 0)
        var limit = rlimit(rlim_cur: rlim_t(2 * Self.piece), rlim_max: before.rlim_max)
        try #require(unsafe setrlimit(resource, &limit) == 0)
        defer { unsafe setrlimit(resource, &before) }
        let refused = RNCryptorError.io(SystemError("write", there, code: EFBIG))
        #expect(throws: refused) {
            try RNCryptorFile.encrypt(folder.file("plain"), to: there, secret: fixedSecret())
        }
        #expect(throws: refused) {
            try RNCryptorFile.decrypt(folder.file("file"), to: there, secret: fixedSecret())
        }
        // The temporary file is full before the target is.
        #expect(throws: RNCryptorError.io(SystemError("write", "a temporary file (TMPDIR says where)", code: EFBIG))) {
            try RNCryptorFile.decrypt(folder.file("file"), to: there, secret: fixedSecret(), format: .unmarked)
        }
        #expect(try read("there") == [7])
        #expect(try names == ["file", "plain", "there"])
    }

    @Test("Errors name no secret, and both causes")
    func descriptions() {
        #expect("\(RNCryptorError.authenticationFailed)".contains("wrong password"))
        #expect("\(RNCryptorError.authenticationFailed)".contains("damaged"))
        let error = RNCryptorError.io(SystemError("read", "/x", code: ENOENT))
        #expect("\(error)" == "cannot read /x: No such file or directory")
    }
}
