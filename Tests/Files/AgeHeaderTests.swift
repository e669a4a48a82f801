import MildamFiles
import TestSupport
import Testing

@Suite("age: the header")
struct AgeHeaderTests {
    private let identity = AgeX25519Identity()

    private static let version = "age-encryption.org/v1\n"
    private static let stanza = """
        -> X25519 XEl0dJ6y3C7KZkgmgWUicg63EyXJiwBJW8PdYJ/cYBE
        qRS0AMjdjPvZ/WT08U2KL4G+PIooA3hy38SvLpvaC1E

        """
    private static let end = "--- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s\n"
    private static let nonce = "0123456789abcdef"

    private func parse(_ text: String) throws(AgeError) -> AgeHeader {
        try header(of: Array(text.utf8), piece: 100).header
    }

    @Test("A well-formed header parses, and encodes to itself")
    func specification() throws {
        let text = AgeHeaderTests.version + AgeHeaderTests.stanza + AgeHeaderTests.end + AgeHeaderTests.nonce
        let header = try parse(text)
        #expect(header.bytes == Array(text.utf8))
        #expect(header.stanzas.map(\.arguments.first) == ["X25519"])
        #expect(header.stanzas.map(\.body.count) == [32])
    }

    @Test("What breaks the grammar is refused, with its line", arguments: MalformedHeader.all)
    func malformed(_ example: MalformedHeader) {
        #expect(throws: AgeError.malformedHeader(line: example.line, example.defect)) { try parse(example.text) }
    }

    @Test("Another version is named")
    func version() {
        #expect(throws: AgeError.unsupportedVersion("v2")) { try parse("age-encryption.org/v2\n\u{0}\u{1}") }
        #expect(throws: AgeError.unsupportedVersion("v12")) { try parse("age-encryption.org/v12\n") }
    }

    @Test("A header is refused once it is longer than any limit, however much follows")
    func limits() {
        let long = String(repeating: "A", count: AgeHeader.maximumLineLength)
        #expect(throws: AgeError.malformedHeader(line: 2, .tooLong)) {
            try parse(AgeHeaderTests.version + "-> " + long)
        }
        let stanzas = String(repeating: "-> a\n\n", count: AgeHeader.maximumStanzas)
        #expect(throws: Never.self) {
            try parse(AgeHeaderTests.version + stanzas + AgeHeaderTests.end + AgeHeaderTests.nonce)
        }
        #expect(throws: AgeError.malformedHeader(line: 2 + 2 * AgeHeader.maximumStanzas, .tooManyStanzas)) {
            try parse(AgeHeaderTests.version + stanzas + "-> a\n\n")
        }
        let body = String(repeating: String(repeating: "A", count: 64) + "\n", count: AgeHeader.maximumSize / 64)
        let lines = (AgeHeader.maximumSize - 16 - (AgeHeaderTests.version + "-> a\n").utf8.count) / 65
        #expect(throws: AgeError.malformedHeader(line: 3 + lines, .tooLong)) {
            try parse(AgeHeaderTests.version + "-> a\n" + body)
        }
    }

    @Test("Recipients: none, one, several, each of whom opens the file, and too many")
    func recipients() throws {
        #expect(throws: AgeError.noRecipients) { _ = try AgeEncryptor(recipients: []) }
        #expect(throws: AgeError.tooManyRecipients) {
            let many = Array(repeating: identity.recipient, count: AgeHeader.maximumStanzas + 1)
            _ = try AgeEncryptor(recipients: many)
        }
        let identities = (0..<5).map { _ in AgeX25519Identity() }
        let file = try sealed([1, 2, 3], for: identities.map(\.recipient))
        for identity in identities {
            #expect(try opened(file, with: [identity]) == [1, 2, 3])
            #expect(try opened(file, with: [AgeX25519Identity(), identity]) == [1, 2, 3])
        }
        #expect(throws: AgeError.noIdentityMatches) { try opened(file, with: [identity]) }
        #expect(throws: AgeError.noIdentityMatches) { try opened(file, with: []) }
    }

    @Test("Two files for one recipient share no stanza, nonce or ciphertext")
    func freshness() throws {
        let files = try (0..<2).map { _ in try sealed([UInt8](repeating: 7, count: 64), for: [identity.recipient]) }
        let headers = try files.map { try header(of: $0).header }
        #expect(headers[0].stanzas[0].arguments[1] != headers[1].stanzas[0].arguments[1])
        #expect(headers[0].stanzas[0].body != headers[1].stanzas[0].body)
        #expect(headers[0].bytes.suffix(16) != headers[1].bytes.suffix(16))
        #expect(files[0].suffix(80) != files[1].suffix(80))
    }

    @Test("A malformed X25519 stanza is told with its line")
    func stanzaLine() throws {
        let stanzas = "-> grease x\n\n-> X25519 AAAA\n\n"
        let text = AgeHeaderTests.version + stanzas + AgeHeaderTests.end + AgeHeaderTests.nonce
        #expect(throws: AgeError.malformedHeader(line: 4, .invalidX25519)) {
            _ = try AgeDecryptor(header: try parse(text), identities: [identity])
        }
    }

    @Test("A stanza that somebody added or removed is refused, though the file key opens")
    func tampering() throws {
        let file = try sealed([1, 2, 3], for: [identity.recipient, AgeX25519Identity().recipient])
        let lines = file.split(separator: UInt8(ascii: "\n"), maxSplits: 5, omittingEmptySubsequences: false)
            .map { Array($0) }
        #expect(lines.count == 6)
        let first = lines[1...2]
        let second = lines[3...4]
        let grease = [Array("-> grease".utf8), []][...]
        for stanzas in [first, first + second + grease, grease + first + second, second + first] {
            let changed: [[UInt8]] = [lines[0]] + stanzas + [lines[5]]
            let file = Array(changed.joined(separator: [UInt8(ascii: "\n")]))
            #expect(throws: AgeError.headerMACMismatch) { try opened(file, with: [identity]) }
        }
    }
}
