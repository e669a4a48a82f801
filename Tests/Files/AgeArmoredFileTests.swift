import Foundation
import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import TestSupport
import Testing

@Suite("age: whole files in armor")
struct AgeArmoredFileTests {
    private let identity = AgeX25519Identity()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(
        "Files of every size round-trip; size and digest are those of the text",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 1_048_579]
    )
    func roundTrip(_ size: Int) throws {
        var generator = Seed.generator(for: "armored files")
        let content = generator.bytes(size)
        let plain = try folder.write(content, "plain")
        let made = try AgeFile.encrypt(
            plain,
            to: folder.file("age"),
            recipients: [identity.recipient],
            armored: true,
            digesting: true
        )
        let text = try WholeFile.read(folder.file("age"), limit: 1 << 21)
        #expect(text.starts(with: "-----BEGIN AGE ENCRYPTED FILE-----\n".utf8) && text.allSatisfy { $0 < 128 })
        #expect(made == AgeCiphertext(size: text.count, digest: SHA256.hash(data: text)))
        #expect(try unarmored(text).count == AgeFile.size(ofContent: size))
        #expect(
            try AgeFile.decrypt(folder.file("age"), to: folder.file("back"), identities: [identity], announced: made)
                == size
        )
        #expect(try WholeFile.read(folder.file("back"), limit: 1 << 21) == content)
    }

    @Test("Through a pipe that gives a byte at a time, armor is recognised as well")
    func pipe() throws {
        let content = Array("a short text".utf8)
        let text = armored(try sealed(content, for: [identity.recipient]))
        var ends: [Int32] = [0, 0]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        let source = Descriptor(owning: ends[0])
        let sender = ends[1]
        Thread.detachNewThread {
            for byte in [UInt8(ascii: "\n")] + text {
                _ = unsafe withUnsafeBytes(of: byte) { unsafe Glibc.write(sender, $0.baseAddress, 1) }
            }
            close(sender)
        }
        #expect(
            try AgeFile.decrypt(FileSource(source), to: FileTarget(folder.file("back")), identities: [identity])
                == content.count
        )
        #expect(try WholeFile.read(folder.file("back"), limit: 100) == content)
    }

    @Test("Another size or digest of the text is another file")
    func announced() throws {
        let text = armored(try sealed([1, 2, 3], for: [identity.recipient]))
        let path = try folder.write(text + [UInt8(ascii: "\n")], "age")
        for announced in [
            AgeCiphertext(size: text.count, digest: nil),
            AgeCiphertext(size: text.count + 1, digest: SHA256.hash(data: text)),
        ] {
            #expect(throws: AgeError.differentCiphertext) {
                try AgeFile.decrypt(path, to: folder.file("back"), identities: [identity], announced: announced)
            }
        }
        #expect(try folder.names == ["age"])
    }

    @Test("One byte changed or cut off anywhere leaves no target, but for the last line feed and line ends")
    func everyByte() throws {
        let text = armored(try sealed(Array("a short text".utf8), for: [identity.recipient]))
        for position in text.indices {
            var changed = text
            changed[position] ^= 0x10
            let isWhole = position == text.count - 1
            for bytes in isWhole ? [changed] : [changed, Array(text[..<position])] {
                let path = try folder.write(bytes, "age")
                #expect(throws: AgeError.self) {
                    try AgeFile.decrypt(path, to: folder.file("back"), identities: [identity])
                }
            }
        }
        #expect(try folder.names == ["age"])
    }

    @Test("Armor that is damaged late leaves no target; through a pipe the verified chunks before it are out")
    func damagedEnd() throws {
        var text = armored(try sealed(Array(repeating: 5, count: 200_000), for: [identity.recipient]))
        text[text.count - 100] = UInt8(ascii: " ")
        let path = try folder.write(text, "age")
        let error = #expect(throws: AgeError.self) {
            try AgeFile.decrypt(path, to: folder.file("back"), identities: [identity])
        }
        guard case .malformedArmor(_, .invalidBase64) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try folder.names == ["age"])
        let source = try Descriptor.open(path, O_RDONLY)
        let target = try Descriptor.open(folder.file("out"), O_WRONLY | O_CREAT)
        #expect((try? AgeFile.decrypt(FileSource(source), to: FileTarget(target), identities: [identity])) == nil)
        let out = try WholeFile.read(folder.file("out"), limit: 1 << 20)
        #expect(out.count < 200_000 && out.count.isMultiple(of: 65_536) && out.allSatisfy { $0 == 5 })
    }

    @Test("Progress is told in bytes of the text")
    func progress() throws {
        let text = armored(try sealed(Array(repeating: 5, count: 3_200_000), for: [identity.recipient]))
        let seen = Lock<[Int]>([])
        let path = try folder.write(text, "age")
        let monitor = FileMonitor { done, total in
            #expect(total == text.count)
            seen.withLock { $0.append(done) }
        }
        try AgeFile.decrypt(path, to: folder.file("back"), identities: [identity], monitor: monitor)
        let steps = seen.withLock { $0 }
        #expect(steps.count == 4 && steps == steps.sorted() && steps.last == text.count)
    }

    @Test("A stream of white space that never ends is not read to its end")
    func endlessSpace() throws {
        let path = try folder.write([UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 20), "age")
        let source = try Descriptor.open(path, O_RDONLY)
        #expect(throws: AgeError.malformedArmor(line: 1025, .tooMuchSpace)) {
            try AgeFile.decrypt(path, to: folder.file("back"), identities: [identity])
        }
        _ = try? AgeFile.decrypt(FileSource(source), to: FileTarget(folder.file("back")), identities: [identity])
        #expect(lseek(source.number, 0, SEEK_CUR) <= 65_552)
    }
}
