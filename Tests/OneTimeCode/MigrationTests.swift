import Foundation
import MildamCrypto
import MildamOTP
import MildamWire
import TestSupport
import Testing

@testable import MildamOneTimeCode

@Suite("Google Authenticator's export: published", .enabled(if: Vectors.areExpected))
struct PublishedMigrationTests {
    private func batch(_ uri: String) throws -> MigrationBatch {
        let bytes = Array(uri.utf8)
        return try MigrationBatch(uri: bytes.span)
    }

    private func expect(_ batch: MigrationBatch, _ entries: [MigrationVectors.Entry]) throws {
        try #require(batch.tokens.count == entries.count && !entries.isEmpty)
        for (token, entry) in zip(batch.tokens, entries) {
            let token = try token.get()
            #expect(token.secret == SymmetricKey(data: try Hex.decode(entry.secret_hex)))
            #expect(token.issuer == entry.issuer)
            #expect([entry.name, entry.issuer + ":" + token.account].contains(entry.name))
            #expect(entry.name.hasSuffix(token.account) && !token.account.isEmpty)
            #expect(token.algorithm.rawValue == entry.algorithm && token.digits == entry.digits)
            #expect(token.kind == (entry.counter.map { .hotp(counter: $0) } ?? .totp(period: 30)))
        }
    }

    @Test func ofOthers() throws {
        let vectors: [MigrationVectors.Published] = try MigrationVectors.read("published_uris.json")
        let exports = vectors.filter { $0.uri.hasPrefix("otpauth-migration:") }
        #expect(!exports.isEmpty)
        for vector in exports {
            let batch = try batch(vector.uri)
            try expect(batch, #require(vector.entries))
            #expect(batch.count == 1 && batch.index == 0 && batch.id == 0)
            let payload = try Hex.decode(try #require(vector.payload_hex))
            #expect(try MigrationBatch(payload: payload.span).tokens == batch.tokens)
        }
    }

    @Test func ofOurOwn() throws {
        let vector: MigrationVectors.Migration = try MigrationVectors.read("own_migration.json")
        let batch = try batch(vector.uri)
        try expect(batch, vector.entries)
        #expect(batch.version == vector.version && batch.count == vector.batch_size)
        #expect(batch.index == vector.batch_index && batch.id == vector.batch_id)
        let payload = try Hex.decode(vector.payload_hex)
        #expect(try MigrationBatch(payload: payload.span).tokens == batch.tokens)
        // Another writer's order of fields and defaults; ours read back is the same.
        #expect(try self.batch(batch.uri).tokens == batch.tokens)
    }
}

@Suite("Google Authenticator's export")
struct MigrationTests {
    private func batch(_ payload: [UInt8]) throws(MigrationError) -> MigrationBatch {
        try MigrationBatch(payload: payload.span)
    }

    private func reread(_ batch: MigrationBatch) throws -> MigrationBatch {
        let uri = Array(batch.uri.utf8)
        return try MigrationBatch(uri: uri.span)
    }

    private func tokens(_ count: Int, _ name: String) throws -> [OneTimePassword] {
        var generator = Seed.generator(for: name)
        return try (0..<count).map { _ in try randomToken(&generator) }
    }

    /// A random token that an export can hold.
    private func randomToken(_ generator: inout SeededGenerator) throws -> OneTimePassword {
        let names = [
            "", "Example", "C++ & Co", "밀담 🔑", "a:b", ":", "100%", "x@y.z", " # ? ", "e\u{301}", "\u{301}", "\"q\"",
        ]
        let counter = UInt64.random(in: 0...UInt64(Int64.max), using: &generator)
        return try OneTimePassword(
            secret: SymmetricKey(data: generator.bytes(Int.random(in: 1...64, using: &generator))),
            kind: Bool.random(using: &generator) ? .totp(period: 30) : .hotp(counter: counter),
            algorithm: OneTimePassword.Algorithm.allCases.randomElement(using: &generator) ?? .sha1,
            digits: [6, 8].randomElement(using: &generator),
            issuer: names.randomElement(using: &generator) ?? "",
            account: names.randomElement(using: &generator) ?? ""
        )
    }

    /// A payload of one token, given as the fields of its parameters.
    private func one(_ fields: [UInt8]) -> [UInt8] { [0x0a, UInt8(fields.count)] + fields }

    private let secretField: [UInt8] = [0x0a, 2, 1, 2]

    @Test("Tokens go out in batches of ten, and come back the same, in any order")
    func roundTrip() throws {
        for count in [1, 9, 10, 11, 20, 21, 95] {
            let tokens = try tokens(count, "migration \(count)")
            let batches = try MigrationBatch.batches(of: tokens, id: -7)
            #expect(batches.count == (count + 9) / 10)
            #expect(batches.allSatisfy { (1...10).contains($0.tokens.count) && $0.version == 1 })
            var read = try batches.map(reread)
            read.shuffle()
            #expect(try MigrationBatch.join(read).map { try $0.get() } == tokens)
            #expect(try MigrationBatch.join(read + read).count == count, "a batch that was scanned twice counts once")
        }
    }

    @Test("Joining tells what is missing, and what does not belong together")
    func joining() throws {
        let tokens = try tokens(35, "joining")
        let batches = try MigrationBatch.batches(of: tokens, id: 1)
        #expect(throws: MigrationError.empty) { try MigrationBatch.join([]) }
        #expect(throws: MigrationError.missingBatches([0, 2], of: 4)) {
            try MigrationBatch.join([batches[3], batches[1]])
        }
        let others = try MigrationBatch.batches(of: tokens, id: 2)
        #expect(throws: MigrationError.differentExports) { try MigrationBatch.join([batches[0], others[1]]) }
        let shorter = try MigrationBatch.batches(of: Array(tokens.prefix(12)), id: 1)
        #expect(throws: MigrationError.differentExports) { try MigrationBatch.join([batches[0], shorter[1]]) }
        let changed = try MigrationBatch.batches(of: tokens.reversed(), id: 1)
        #expect(throws: MigrationError.conflictingBatches(index: 1)) {
            try MigrationBatch.join([batches[1], changed[1]])
        }
        #expect(
            MigrationError.missingBatches([0, 2], of: 4).description.hasSuffix(
                "of the 4 parts of the export these are missing: 1, 3"
            )
        )
    }

    @Test("What the export has no words for is refused, with the token's number")
    func notRepresentable() throws {
        let fine = try tokens(1, "fine")[0]
        func refusal(_ uri: String) throws -> MigrationError? {
            let other = try token(uri)
            do throws(MigrationError) {
                _ = try MigrationBatch.batches(of: [fine, other], id: 1)
                return nil
            } catch { return error }
        }
        #expect(try refusal("otpauth://totp/a?secret=AA&digits=8") == nil)
        #expect(try refusal("otpauth://totp/a?secret=AA&digits=7") == .notRepresentable(index: 1, .digits))
        #expect(try refusal("otpauth://totp/a?secret=AA&period=60") == .notRepresentable(index: 1, .period))
        #expect(try refusal("otpauth://steam/a?secret=AA") == .notRepresentable(index: 1, .type))
        #expect(
            try refusal("otpauth://hotp/a?secret=AA&counter=9223372036854775808")
                == .notRepresentable(index: 1, .counter)
        )
        #expect(throws: MigrationError.empty) { try MigrationBatch.batches(of: [], id: 1) }
    }

    @Test("What is not there is a default; the last of several counts; what is unknown is passed over")
    func defaults() throws {
        let plain = try batch(one(secretField)).tokens[0].get()
        #expect(plain.kind == .totp(period: 30) && plain.algorithm == .sha1 && plain.digits == 6)
        let zeros = try batch(one(secretField + [0x20, 0, 0x28, 0, 0x30, 0])).tokens[0].get()
        #expect(zeros == plain)
        let twice = try batch(one(secretField + [0x20, 4, 0x20, 2, 0x28, 9, 0x28, 2])).tokens[0].get()
        #expect(twice.algorithm == .sha256 && twice.digits == 8)
        #expect(try batch(one([0x0a, 1, 9] + secretField)).tokens[0].get() == plain)
        // Fields 8 (a text), 9 (fixed64), 10 (fixed32) and 11 (a number).
        let unknown: [UInt8] =
            [0x42, 1, 97, 0x49] + [UInt8](repeating: 1, count: 8) + [0x55, 1, 2, 3, 4, 0x58, 0xff, 1]
        #expect(try batch(one(secretField + unknown) + unknown).tokens[0].get() == plain)
        let counted = try batch(one(secretField + [0x30, 1])).tokens[0].get()
        #expect(counted.kind == .hotp(counter: 0))
        #expect(try batch([]).tokens.isEmpty)
    }

    @Test("One bad token does not lose the others")
    func badTokens() throws {
        let cases: [([UInt8], TokenError)] = [
            ([], .missing(.secret)), ([0x0a, 0], .missing(.secret)), (secretField + [0x20, 4], .unsupported(.md5)),
            (secretField + [0x20, 5], .invalid(.algorithm)), (secretField + [0x28, 3], .unsupported(.digits)),
            (secretField + [0x30, 3], .invalid(.type)), (secretField + [0x12, 1, 0xff], .malformed(.label)),
            (secretField + [0x1a, 1, 0xff], .malformed(.issuer)),
            (
                secretField + [0x30, 1, 0x38, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
                .outOfRange(.counter)
            ),
        ]
        for (fields, reason) in cases {
            let read = try batch(one(secretField) + one(fields) + one(secretField))
            #expect(read.tokens.count == 3 && read.tokens[0] == read.tokens[2])
            #expect(read.tokens[1] == .failure(reason))
        }
        #expect(TokenError.unsupported(.md5).description.contains("MD5"))
    }

    @Test(
        "Hostile messages are refused",
        arguments: [
            [0x0a], [0x0a, 1], [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f], [0x0a] + [UInt8](repeating: 0xff, count: 9) + [1],
            [0x10], [0x10, 0x80], [0x10] + [UInt8](repeating: 0x80, count: 10) + [0],
            [0x10] + [UInt8](repeating: 0xff, count: 9) + [2], [0x00, 0], [0x02, 0], [0x0b, 0x0c], [0x0c], [0x0e],
            [0x0f],
            [0x08, 1], [0x12, 0], [0x15, 0, 0, 0, 0], [0x19, 0], [0x45, 1, 2, 3], [0x49, 1], [0x18, 0xe9, 7],
            [0x18, 2, 0x20, 2], [0x20, 1], [0x18] + [UInt8](repeating: 0xff, count: 9) + [1],
            [0x0a, 2, 0x08, 1], [0x0a, 3, 0x25, 1, 2],
            [0xf8, 0xff, 0xff, 0xff, 0x7f, 1],
        ] as [[UInt8]]
    )
    func hostile(payload: [UInt8]) {
        #expect(throws: MigrationError.malformed) { try batch(payload) }
    }

    @Test func forms() throws {
        let token = try tokens(1, "forms")
        let whole = try MigrationBatch.batches(of: token, id: 77)[0]
        let uri = whole.uri
        #expect(uri.hasPrefix("otpauth-migration://offline?data=") && uri.utf8.allSatisfy { (33...126).contains($0) })
        let raw = uri.replacingOccurrences(of: "%2B", with: "+").replacingOccurrences(of: "%2F", with: "/")
            .replacingOccurrences(of: "%3D", with: "=")
        for same in [
            raw, raw.replacingOccurrences(of: "=", with: "").replacingOccurrences(of: "data", with: "data="),
            raw.replacingOccurrences(of: "+", with: " "), " \n" + uri + "\r\n", uri + "&x=1",
            uri.replacingOccurrences(of: "otpauth-migration://offline", with: "OTPAUTH-MIGRATION://OFFLINE"),
            raw.replacingOccurrences(of: "+", with: "-"),
        ] {
            let bytes = Array(same.utf8)
            #expect(try MigrationBatch(uri: bytes.span).tokens == whole.tokens, "\(same)")
        }
        for (text, reason) in [
            ("otpauth://totp/a?secret=AA", MigrationError.notMigration),
            ("otpauth-migration://online?data=AA", .notMigration),
            ("otpauth-migration://offline?x=AA", .notMigration), ("otpauth-migration://offline", .notMigration),
            ("otpauth-migration://offline?data=AA&data=AA", .notMigration),
            ("otpauth-migration://offline?data=%", .malformedBase64),
            ("otpauth-migration://offline?data=A", .malformedBase64),
            ("otpauth-migration://offline?data=!!!!", .malformedBase64),
            ("otpauth-migration://offline?data=Cg==", .malformed),
            (String(repeating: " ", count: MigrationBatch.maximumURIByteCount + 1), .tooLong),
        ] {
            let bytes = Array(text.utf8)
            #expect(throws: reason) { try MigrationBatch(uri: bytes.span) }
            #expect(!reason.description.isEmpty)
        }
    }

    @Test("Cut at every byte, a message is refused, or has fewer tokens or fields")
    func cut() throws {
        let tokens = try tokens(3, "cut")
        let batch = try MigrationBatch.batches(of: tokens, id: 5)[0]
        let payload = batch.payload
        let bytes = payload.span.indices.map { payload.span[$0] }
        var refused = 0
        for count in bytes.indices {
            let part = Array(bytes[..<count])
            guard let read = try? MigrationBatch(payload: part.span) else {
                refused += 1
                continue
            }
            #expect(read.id == 0, "the last field is cut")
            #expect(read.tokens.elementsEqual(batch.tokens.prefix(read.tokens.count)))
        }
        #expect(refused > bytes.count / 2)
    }

    @Test("With any bit flipped, a message is refused, or differs")
    func flipped() throws {
        // Nothing in it is what a field that is not there stands for.
        let token = try token("otpauth://hotp/Issuer:account?secret=JBSWY3DP&algorithm=SHA512&digits=8&counter=77")
        let batch = try MigrationBatch.batches(of: [OneTimePassword](repeating: token, count: 11), id: 5)[1]
        let payload = batch.payload
        let bytes = payload.span.indices.map { payload.span[$0] }
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << bit
                guard let read = try? MigrationBatch(payload: other.span) else { continue }
                let isOther =
                    read.tokens != batch.tokens || read.id != batch.id || read.version != batch.version
                    || read.count != batch.count || read.index != batch.index
                #expect(isOther, "byte \(index), bit \(bit)")
            }
        }
    }
}
