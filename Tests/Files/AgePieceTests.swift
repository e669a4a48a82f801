import Foundation
import Glibc
import MildamSystem
import TestSupport
import Testing

@testable import MildamFiles

/// Files of more than one piece, against the same bytes opened in memory chunk by chunk.
@Suite("age: large files, in pieces")
struct AgePieceTests {
    private static let piece = AgePiece(of: nil).size
    private let identity = AgeX25519Identity()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func content(_ size: Int) -> [UInt8] {
        var generator = Seed.generator(for: "age pieces")
        return generator.bytes(size)
    }

    /// Decrypts from a file to a file that had a name before, and returns what is in it.
    private func released(_ file: [UInt8]) throws -> (bytes: [UInt8], failure: AgeError?) {
        try WholeFile.write(file.span, to: folder.file("age"))
        let source = try FileSource(owning: Descriptor.open(folder.file("age"), O_RDONLY))
        let target = try FileTarget(Descriptor.open(folder.file("out"), O_WRONLY | O_CREAT | O_TRUNC))
        var failure: AgeError?
        do throws(AgeError) {
            try AgeFile.decrypt(source, to: target, identities: [identity])
        } catch {
            failure = error
        }
        return (try WholeFile.read(folder.file("out"), limit: 1 << 24), failure)
    }

    @Test(
        "both ways, at the pieces' bounds",
        arguments: Cases.drawn(
            3,
            of: [piece - 1, piece, piece + 1, 2 * piece, 2 * piece + 65_536, 5 * piece + 12_345],
            for: "sizes at the bounds"
        )
    )
    func bounds(_ size: Int) throws {
        let content = content(size)
        try WholeFile.write(content.span, to: folder.file("plain"))
        try AgeFile.encrypt(folder.file("plain"), to: folder.file("age"), recipients: [identity.recipient])
        let file = try WholeFile.read(folder.file("age"), limit: 1 << 24)
        #expect(try opened(file, with: [identity]) == content)
        let back = try released(try sealed(content, for: [identity.recipient]))
        #expect(back.bytes == content && back.failure == nil)
    }

    @Test("from a pipe to a pipe, which come in parts")
    func pipes() async throws {
        let content = content(3 * Self.piece + 77)
        let (plain, age) = (try Self.pipe(), try Self.pipe())
        let recipient = identity.recipient
        async let fed: Void = Blocking.run {
            try Descriptor(owning: plain.writer).write(content.span)
        }
        async let sealed: Void = Blocking.run {
            let source = Descriptor(owning: plain.reader)
            let target = Descriptor(owning: age.writer)
            try AgeFile.encrypt(FileSource(source), to: FileTarget(target), recipients: [recipient])
        }
        let file = try await Blocking.run {
            let source = Descriptor(owning: age.reader)
            var buffer = [UInt8](repeating: 0, count: 1 << 23)
            return Array(buffer[..<(try source.fill(&buffer))])
        }
        try await fed
        try await sealed
        #expect(try opened(file, with: [identity]) == content)
    }

    private static func pipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test("what is damaged in one place is released up to there, with the same error as chunk by chunk")
    func damage() throws {
        var generator = Seed.generator(for: "age pieces damaged")
        let content = content(2 * Self.piece + 100_000)
        let file = try sealed(content, for: [identity.recipient])
        let (_, start) = try header(of: file)
        var places = [start, start + 65_551, start + 65_552, file.count - 1, start + AgePiece(of: nil).sealedSize]
        for _ in 0..<Count.of(few: 10, full: 200) {
            places.append(Int.random(in: start..<file.count, using: &generator))
        }
        for place in places {
            var damaged = file
            damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            try expectSame(damaged)
        }
    }

    @Test("cut anywhere, and at every chunk's end; with more behind it; with chunks swapped, doubled and dropped")
    func cuts() throws {
        var generator = Seed.generator(for: "age pieces cut")
        let file = try sealed(content(Self.piece + 3 * 65_536), for: [identity.recipient])
        let (_, start) = try header(of: file)
        let chunk = AgePayload.sealedChunkSize
        var cuts = Array(stride(from: start, to: file.count, by: chunk))
        for _ in 0..<Count.of(few: 10, full: 200) { cuts.append(Int.random(in: start..<file.count, using: &generator)) }
        for cut in cuts {
            try expectSame(Array(file[..<cut]))
        }
        try expectSame(file + [0])
        try expectSame(file + file[start...])
        for index in [0, 1, 15, 16, 17] {
            let place = start + index * chunk
            try expectSame(Array(file[..<place] + file[(place + chunk)...]))
            try expectSame(Array(file[..<(place + chunk)] + file[place...]))
            let next = place + chunk
            guard next + chunk <= file.count else { continue }
            try expectSame(
                Array(file[..<place] + file[next..<(next + chunk)] + file[place..<next] + file[(next + chunk)...])
            )
        }
    }

    private func expectSame(_ file: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws {
        var expected: [UInt8] = []
        var failure: AgeError?
        do throws(AgeError) {
            try opened(file, with: [identity], released: &expected)
        } catch {
            failure = error
        }
        let found = try released(file)
        #expect(found.failure == failure && failure != nil, sourceLocation: sourceLocation)
        #expect(found.bytes == expected, sourceLocation: sourceLocation)
        #expect(throws: try #require(failure), sourceLocation: sourceLocation) {
            try AgeFile.decrypt(folder.file("age"), to: folder.file("named"), identities: [identity])
        }
        #expect(!WholeFile.exists(folder.file("named")), sourceLocation: sourceLocation)
    }
}
