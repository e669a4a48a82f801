import Foundation
import MildamSystem
import TestSupport
import Testing

@testable import MildamFiles

@Suite("age: reading at any place")
struct AgeReaderTests {
    private let identity = AgeX25519Identity()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func reader(_ file: [UInt8]) throws -> AgeReader {
        try WholeFile.write(file.span, to: folder.file("age"))
        return try AgeReader(folder.file("age"), identities: [identity])
    }

    @Test("any range of any size of content", arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 300_000])
    func ranges(_ size: Int) throws {
        var generator = Seed.generator(for: "age reader")
        let content = generator.bytes(size)
        let reader = try reader(try sealed(content, for: [identity.recipient]))
        #expect(reader.size == size)
        #expect(try reader.read(0..<size) == content)
        for edge in [0, 1, 65_535, 65_536, 65_537, 131_071, 131_072, size - 1, size] where (0...size).contains(edge) {
            #expect(try reader.read(edge..<edge).isEmpty)
            #expect(try reader.read(0..<edge) == Array(content[..<edge]))
            #expect(try reader.read(edge..<size) == Array(content[edge...]))
        }
        for _ in 0..<Count.of(few: 20, full: 500) {
            let start = Int.random(in: 0...size, using: &generator)
            let end = Int.random(in: start...size, using: &generator)
            #expect(try reader.read(start..<end) == Array(content[start..<end]))
        }
    }

    @Test("of a damaged file, what is not damaged can be read")
    func damage() throws {
        let content = [UInt8](repeating: 7, count: 300_000)
        var file = try sealed(content, for: [identity.recipient])
        let (_, start) = try header(of: file)
        file[start + AgePayload.sealedChunkSize + 5] ^= 1
        let reader = try reader(file)
        #expect(try reader.read(0..<65_536) == Array(content[..<65_536]))
        #expect(throws: AgeError.damaged(chunk: 1)) { try reader.read(65_535..<65_537) }
        #expect(throws: AgeError.damaged(chunk: 1)) { try reader.read(70_000..<70_001) }
        #expect(try reader.read(131_072..<300_000) == Array(content[131_072...]))
    }

    @Test("a file that was cut, or goes on, is not opened: its size would be a lie")
    func cuts() throws {
        let file = try sealed([UInt8](repeating: 7, count: 200_000), for: [identity.recipient])
        let (_, start) = try header(of: file)
        for cut in [start, start + 15, start + 16, start + 65_552, start + 65_553, start + 131_104, file.count - 1] {
            #expect(throws: AgeError.self) { try reader(Array(file[..<cut])) }
        }
        #expect(throws: AgeError.damaged(chunk: 3)) { try reader(file + [0]) }
        // An empty chunk at the end would give one content two forms.
        let whole = try sealed([UInt8](repeating: 7, count: 65_536), for: [identity.recipient])
        #expect(throws: AgeError.self) { try reader(whole + [UInt8](repeating: 0, count: 16)) }
    }

    @Test("what is no file, and what is for somebody else")
    func refusals() throws {
        #expect(throws: AgeError.io(SystemError("read at any place of", folder.path, code: ESPIPE))) {
            try AgeReader(folder.path, identities: [identity])
        }
        #expect(throws: AgeError.noIdentityMatches) {
            try reader(try sealed([1], for: [AgeX25519Identity().recipient]))
        }
        #expect(throws: AgeError.malformedHeader(line: 1, .endsEarly)) { try reader([]) }
        // A header that is longer than one read.
        let many = (0..<100).map { _ in AgeX25519Identity().recipient } + [identity.recipient]
        #expect(try reader(try sealed([1, 2, 3], for: many)).read(1..<3) == [2, 3])
    }
}
