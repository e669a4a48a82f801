import Foundation
import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import TestSupport
import Testing

@Suite("age: whole files")
struct AgeFileTests {
    private let identity = AgeX25519Identity()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(
        "Files of every size round-trip, with size and digest",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]
    )
    func roundTrip(_ size: Int) throws {
        var generator = Seed.generator(for: "age files")
        let content = generator.bytes(size)
        let plain = try folder.write(content, "plain")
        let ciphertext = try AgeFile.encrypt(
            plain,
            to: folder.file("age"),
            recipients: [identity.recipient],
            digesting: true
        )
        let file = try WholeFile.read(folder.file("age"), limit: 1 << 20)
        #expect(ciphertext == AgeCiphertext(size: file.count, digest: SHA256.hash(data: file)))
        #expect(
            try AgeFile.decrypt(
                folder.file("age"),
                to: folder.file("back"),
                identities: [identity],
                announced: ciphertext
            ) == size
        )
        #expect(try WholeFile.read(folder.file("back"), limit: 1 << 20) == content)
        #expect(try folder.names == ["age", "back", "plain"])
        var status = stat()
        #expect(unsafe stat(folder.file("back"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("A header that fills the buffer, or more than it, does not disturb the payload", arguments: [0, 1, 9])
    func longHeader(_ extra: Int) throws {
        // One X25519 stanza takes 98 bytes; 669 of them end within a few bytes of the first buffer's end.
        let recipients = Array(repeating: identity.recipient, count: 668 + extra)
        let plain = try folder.write(Array(repeating: 9, count: 70_000), "plain")
        try AgeFile.encrypt(plain, to: folder.file("age"), recipients: recipients)
        try AgeFile.decrypt(folder.file("age"), to: folder.file("back"), identities: [identity])
        #expect(try WholeFile.read(folder.file("back"), limit: 1 << 20) == Array(repeating: 9, count: 70_000))
    }

    @Test("Without a digest asked for, none is made")
    func withoutDigest() throws {
        let plain = try folder.write([1], "plain")
        let ciphertext = try AgeFile.encrypt(plain, to: folder.file("age"), recipients: [identity.recipient])
        #expect(ciphertext.digest == nil)
    }

    @Test("Damage in the last chunk leaves nothing, and what the target named before")
    func damagedEnd() throws {
        var file = try sealed(Array(repeating: 5, count: 200_000), for: [identity.recipient])
        file[file.count - 1] ^= 1
        let path = try folder.write(file, "age")
        #expect(throws: AgeError.damaged(chunk: 3)) {
            try AgeFile.decrypt(path, to: folder.file("back"), identities: [identity])
        }
        #expect(try folder.names == ["age"])
        _ = try folder.write([1, 2, 3], "back")
        #expect(throws: AgeError.damaged(chunk: 3)) {
            try AgeFile.decrypt(path, to: folder.file("back"), identities: [identity])
        }
        #expect(try WholeFile.read(folder.file("back"), limit: 10) == [1, 2, 3])
        #expect(try folder.names == ["age", "back"])
    }

    @Test("One byte changed or cut off anywhere leaves no target")
    func everyByte() throws {
        let file = try sealed(Array("a short text".utf8), for: [identity.recipient])
        for position in file.indices {
            var changed = file
            changed[position] ^= 0x10
            for bytes in [changed, Array(file[..<position])] {
                let path = try folder.write(bytes, "age")
                #expect(throws: AgeError.self) {
                    try AgeFile.decrypt(path, to: folder.file("back"), identities: [identity])
                }
            }
        }
        #expect(try folder.names == ["age"])
    }

    @Test("A whole file that is not the announced one leaves no target")
    func announced() throws {
        let file = try sealed([1, 2, 3], for: [identity.recipient])
        let path = try folder.write(file, "age")
        let digest = SHA256.hash(data: file)
        for announced in [
            AgeCiphertext(size: file.count + 1, digest: digest),
            AgeCiphertext(size: file.count, digest: SHA256.hash(data: [UInt8]())),
        ] {
            #expect(throws: AgeError.differentCiphertext) {
                try AgeFile.decrypt(path, to: folder.file("back"), identities: [identity], announced: announced)
            }
        }
        #expect(try folder.names == ["age"])
        let size = AgeCiphertext(size: file.count, digest: nil)
        try AgeFile.decrypt(path, to: folder.file("back"), identities: [identity], announced: size)
    }

    @Test("Progress rises to the total; whoever calls it off finds nothing left")
    func monitor() throws {
        let plain = try folder.write(Array(repeating: 5, count: 3_200_000), "plain")
        let seen = Lock<[(done: Int, total: Int?)]>([])
        let watching = FileMonitor { done, total in seen.withLock { $0.append((done, total)) } }
        func takeSteps(of total: Int) -> [Int] {
            let steps = seen.withLock { $0 }
            seen.withLock { $0 = [] }
            #expect(steps.allSatisfy { $0.total == total })
            return steps.map(\.done)
        }
        let ciphertext = try AgeFile.encrypt(
            plain,
            to: folder.file("age"),
            recipients: [identity.recipient],
            monitor: watching
        )
        #expect(takeSteps(of: 3_200_000) == [1_048_576, 2_097_152, 3_145_728, 3_200_000])
        try AgeFile.decrypt(folder.file("age"), to: folder.file("back"), identities: [identity], monitor: watching)
        let steps = takeSteps(of: ciphertext.size)
        #expect(steps.count == 4 && steps == steps.sorted() && steps.last == ciphertext.size)

        let before = try folder.names
        let stopping = FileMonitor(isCancelled: { true })
        #expect(throws: AgeError.cancelled) {
            try AgeFile.encrypt(plain, to: folder.file("new"), recipients: [identity.recipient], monitor: stopping)
        }
        #expect(throws: AgeError.cancelled) {
            try AgeFile.decrypt(
                folder.file("age"),
                to: folder.file("new"),
                identities: [identity],
                monitor: stopping
            )
        }
        #expect(try folder.names == before)
    }

    @Test("Pipes: chunks that were verified go out, one that failed does not")
    func pipes() throws {
        var file = try sealed(Array(repeating: 5, count: 70_000), for: [identity.recipient])
        file[file.count - 1] ^= 1
        let source = try FileSource(owning: Descriptor.open(try folder.write(file, "age"), O_RDONLY))
        let target = try FileTarget(Descriptor.open(folder.file("out"), O_WRONLY | O_CREAT))
        do throws(AgeError) {
            try AgeFile.decrypt(source, to: target, identities: [identity])
            Issue.record("it opened")
        } catch {
            #expect(error == .damaged(chunk: 1))
        }
        #expect(try WholeFile.read(folder.file("out"), limit: 1 << 20) == Array(repeating: 5, count: 65_536))
    }

    @Test("What the system refuses is said with its name")
    func systemErrors() throws {
        let missing = folder.file("missing")
        #expect(throws: AgeError.io(SystemError("open", missing, code: ENOENT))) {
            try AgeFile.encrypt(missing, to: folder.file("age"), recipients: [identity.recipient])
        }
        #expect(throws: AgeError.io(SystemError("read", folder.path, code: EISDIR))) {
            try AgeFile.encrypt(folder.path, to: folder.file("age"), recipients: [identity.recipient])
        }
        let plain = try folder.write([1], "plain")
        #expect(throws: AgeError.self) {
            try AgeFile.encrypt(plain, to: folder.file("missing/age"), recipients: [identity.recipient])
        }
        #expect(try folder.names == ["plain"])
    }
}
