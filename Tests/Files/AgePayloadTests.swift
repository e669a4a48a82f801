import MildamFiles
import TestSupport
import Testing

@Suite("age: the payload")
struct AgePayloadTests {
    private let identity = AgeX25519Identity()

    @Test(
        "Every size round-trips, and takes one tag for each chunk",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]
    )
    func roundTrip(_ size: Int) throws {
        var generator = Seed.generator(for: "age payload")
        let content = generator.bytes(size)
        let file = try sealed(content, for: [identity.recipient])
        let chunks = max(1, (size + 65_535) / 65_536)
        #expect(try file.count == header(of: file).end + size + 16 * chunks)
        #expect(try opened(file, with: [identity], piece: 11) == content)
    }

    @Test("A small file cut at any byte is refused, and nothing of it released")
    func cuts() throws {
        let file = try sealed(Array("a short text".utf8), for: [identity.recipient])
        let end = try header(of: file).end
        for count in 0..<file.count {
            var released: [UInt8] = []
            let error = #expect(throws: AgeError.self) {
                try opened(Array(file[..<count]), with: [identity], released: &released)
            }
            #expect(released.isEmpty)
            switch error {
            case .malformedHeader(_, .endsEarly): #expect(count < end - 16)
            case .malformedHeader(_, .nonceMissing): #expect((end - 16..<end).contains(count))
            case .truncated: #expect((end..<end + 16).contains(count))
            case .damaged(chunk: 0): #expect(count >= end + 16)
            default: Issue.record("cut at \(count): \(String(describing: error))")
            }
        }
    }

    @Test("A file of three chunks cut around any border is refused, and whole chunks at most are released")
    func cutsAroundBorders() throws {
        var generator = Seed.generator(for: "age cuts")
        let content = generator.bytes(3 * 65_536)
        let file = try sealed(content, for: [identity.recipient])
        let start = try header(of: file).end
        for chunk in 0...3 {
            for distance in [-17, -16, -15, -1, 0, 1, 15, 16, 17] {
                let end = start + chunk * 65_552 + distance
                guard (start..<file.count).contains(end) else { continue }
                var released: [UInt8] = []
                #expect(throws: chunkError(chunk, distance)) {
                    try opened(Array(file[..<end]), with: [identity], released: &released)
                }
                #expect(released == Array(content[..<(65_536 * (distance < 0 ? chunk - 1 : chunk))]))
            }
        }
    }

    /// At a border, or within the tag's length after it, nothing is left to open; elsewhere the cut chunk fails.
    private func chunkError(_ chunk: Int, _ distance: Int) -> AgeError {
        if distance < 0 { return .damaged(chunk: chunk - 1) }
        return distance < 16 ? .truncated : .damaged(chunk: chunk)
    }

    @Test("One bit changed anywhere is refused, and nothing released")
    func flips() throws {
        let file = try sealed(Array("a short text".utf8), for: [identity.recipient])
        for position in file.indices {
            for bit in 0..<8 {
                var changed = file
                changed[position] ^= 1 << bit
                var released: [UInt8] = []
                #expect(throws: AgeError.self, "byte \(position), bit \(bit)") {
                    try opened(changed, with: [identity], released: &released)
                }
                #expect(released.isEmpty)
            }
        }
    }

    @Test("Chunks swapped, doubled, dropped or taken from another file are refused")
    func order() throws {
        var generator = Seed.generator(for: "age order")
        let content = generator.bytes(3 * 65_536)
        let file = try sealed(content, for: [identity.recipient])
        let other = try sealed(content, for: [identity.recipient])
        let start = try header(of: file).end
        func chunk(_ number: Int, of file: [UInt8]) -> ArraySlice<UInt8> {
            file[(start + number * 65_552)..<(start + (number + 1) * 65_552)]
        }
        let a = chunk(0, of: file)
        let b = chunk(1, of: file)
        let c = chunk(2, of: file)
        for (chunks, error) in [
            ([b, a, c], AgeError.damaged(chunk: 0)), ([a, a, b, c], .damaged(chunk: 1)), ([a, c], .damaged(chunk: 1)),
            ([a, b], .truncated), ([a, b, c, c], .trailingData), ([a, b, c, [0]], .trailingData),
            ([a, chunk(1, of: other), c], .damaged(chunk: 1)), ([], .truncated),
        ] {
            #expect(throws: error) {
                try opened(Array(file[..<start]) + chunks.joined(), with: [identity])
            }
        }
    }

    @Test("A content buffer never shows a chunk that failed")
    func failedChunk() throws {
        var file = try sealed([UInt8](repeating: 7, count: 65_536), for: [identity.recipient])
        file[file.count - 1] ^= 1
        let (header, start) = try header(of: file)
        var decryptor = try AgeDecryptor(header: header, identities: [identity])
        var content: [UInt8] = [1, 2, 3]
        do throws(AgeError) {
            try decryptor.open(file.span.extracting(start...), into: &content)
            Issue.record("it opened")
        } catch {
            #expect(error == .damaged(chunk: 0))
        }
        #expect(content.isEmpty)
    }
}
