import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamOneTimeCode

@Suite("Imports: encrypted files, written by Python", .enabled(if: Exports.areExpected))
struct EncryptedImportTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let name: String
        let format: ImportFormat
        var testDescription: String { name }

        func read(
            _ file: [UInt8],
            password: SymmetricKey? = Exports.key,
            limits: ImportLimits = ImportLimits()
        ) throws(ImportError) -> TokenImport {
            try TokenImport(file.span, as: format, password: password, limits: limits)
        }

        func refusal(
            _ file: [UInt8],
            password: SymmetricKey? = Exports.key,
            limits: ImportLimits = ImportLimits()
        ) -> ImportError? {
            do throws(ImportError) {
                _ = try read(file, password: password, limits: limits)
                return nil
            } catch { return error }
        }
    }

    static let kinds = [
        Kind(name: "aegis", format: .aegisEncrypted), Kind(name: "2fas", format: .twoFASEncrypted),
        Kind(name: "andotp", format: .andOTPEncrypted), Kind(name: "andotp-old", format: .andOTPEncryptedOld),
        Kind(name: "ente", format: .enteEncrypted),
    ]

    private func json(_ file: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(file)) as? [String: Any])
    }

    private func bytes(_ json: [String: Any]) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: json))
    }

    @Test("It opens with its password, and is known for what it is", arguments: kinds)
    func opens(kind: Kind) throws {
        let file = try Exports.make(kind.name, Exports.tokens)
        if kind.format != .andOTPEncryptedOld { #expect(ImportFormat.detect(file.span) == kind.format) }
        let read = try kind.read(file)
        #expect(read.tokens == Exports.tokens && read.format == kind.format)
        let none = try kind.read(Exports.make(kind.name, []))
        #expect(none.rows.isEmpty)
    }

    @Test("Without its password, or with another, nothing opens", arguments: kinds)
    func passwords(kind: Kind) throws {
        let file = try Exports.make(kind.name, Exports.tokens)
        #expect(kind.refusal(file, password: nil) == .passwordNeeded(kind.format))
        for wrong in ["", "밀담 pasS", "밀담 pass "] {
            #expect(kind.refusal(file, password: SymmetricKey(data: Array(wrong.utf8))) == .wrongPassword(kind.format))
        }
        let text = ImportError.wrongPassword(kind.format).description
        #expect(text.contains("wrong password") && text.contains("damaged"))
    }

    @Test("Cut at every byte, it does not open", arguments: kinds)
    func cut(kind: Kind) throws {
        let file = try Exports.make(kind.name, Array(Exports.tokens.prefix(1)))
        let step = max(1, file.count / Count.of(few: 120, full: file.count))
        for count in stride(from: 0, to: file.count, by: step) {
            #expect(kind.refusal(Array(file[..<count])) != nil, "\(count) of \(file.count) bytes")
        }
    }

    /// A flip that JSON or a number does not show, such as one in a name that is not read, changes nothing.
    @Test("With any bit flipped, it does not open, or gives the same tokens", arguments: kinds)
    func flipped(kind: Kind) throws {
        let tokens = Array(Exports.tokens.prefix(1))
        let file = try Exports.make(kind.name, tokens)
        var limits = ImportLimits()
        limits.rounds = 10_000
        limits.memory = 1 << 20
        limits.work = 1 << 22
        var refused = 0
        var tried = 0
        let step = max(1, file.count * 8 / Count.of(few: 400, full: file.count * 8))
        for place in stride(from: 0, to: file.count * 8, by: step) {
            var other = file
            other[place / 8] ^= 1 << (place % 8)
            tried += 1
            guard let read = try? kind.read(other, limits: limits) else {
                refused += 1
                continue
            }
            #expect(read.tokens == tokens, "bit \(place)")
        }
        let isBinary = kind.format == .andOTPEncrypted || kind.format == .andOTPEncryptedOld
        #expect(isBinary ? refused == tried : refused > tried / 2)
    }

    @Test("Aegis: damage behind a slot that opens is told from a wrong password")
    func aegisDamage() throws {
        let kind = EncryptedImportTests.kinds[0]
        var vault = try json(Exports.make("aegis", Exports.tokens))
        var content = try #require(Data(base64Encoded: vault["db"] as? String ?? ""))
        content[content.count / 2] ^= 1
        vault["db"] = content.base64EncodedString()
        #expect(try kind.refusal(bytes(vault)) == .damaged(.aegisEncrypted))
        #expect(ImportError.damaged(.aegisEncrypted).description.contains("the password is right"))
    }

    @Test("Aegis: what slots cost is counted together, and before the first is tried")
    func aegisCosts() throws {
        let kind = EncryptedImportTests.kinds[0]
        let file = try Exports.make("aegis", Exports.tokens)
        func changed(_ change: (inout [[String: Any]]) -> Void) throws -> [UInt8] {
            var vault = try json(file)
            var header = try #require(vault["header"] as? [String: Any])
            var slots = try #require(header["slots"] as? [[String: Any]])
            change(&slots)
            header["slots"] = slots
            vault["header"] = header
            return try bytes(vault)
        }
        var limits = ImportLimits()
        let cost = 128 * 16 * 8  // of one slot: N = 16, r = 8, p = 1
        limits.memory = cost
        limits.work = 2 * cost
        #expect(kind.refusal(file, limits: limits) == nil)
        limits.work -= 1
        #expect(kind.refusal(file, limits: limits) == .tooCostly(.aegisEncrypted))
        limits.work += 1
        limits.memory -= 1
        #expect(kind.refusal(file, limits: limits) == .tooCostly(.aegisEncrypted))
        // Two slots more, each of them cheap enough alone.
        let many = try changed { $0 += [$0[1], $0[1]] }
        limits.memory += 1
        #expect(kind.refusal(many, limits: limits) == .tooCostly(.aegisEncrypted))
        for (rounds, blockSize, parallelism) in [(1 << 30, 8, 1), (1 << 40, 1024, 1024), (1 << 20, 8, 1024)] {
            let costly = try changed { slots in
                for index in 1...2 {
                    slots[index].merge(["n": rounds, "r": blockSize, "p": parallelism]) { $1 }
                }
            }
            #expect(kind.refusal(costly) == .tooCostly(.aegisEncrypted))
        }
        for (name, value) in [
            ("n", 3), ("n", 1), ("n", 0), ("n", -16), ("r", 0), ("p", 0), ("p", 1 << 17), ("r", 1 << 17),
            ("n", 1 << 41),
        ] {
            #expect(
                try kind.refusal(changed { slots in for index in 1...2 { slots[index][name] = value } })
                    == .malformed(.aegisEncrypted)
            )
        }
        #expect(try kind.refusal(changed { $0.removeLast(2) }) == .noPasswordSlot)
        #expect(
            try kind.refusal(changed { $0 = [[String: Any]](repeating: $0[0], count: 65) })
                == .malformed(.aegisEncrypted)
        )
    }

    @Test("2FAS: where the known text opens and the services do not, they are damaged")
    func twoFASDamage() throws {
        let kind = EncryptedImportTests.kinds[1]
        var backup = try json(Exports.make("2fas", Exports.tokens))
        var parts = try #require(backup["servicesEncrypted"] as? String).split(separator: ":").map(String.init)
        var content = try #require(Data(base64Encoded: parts[0]))
        content[3] ^= 1
        parts[0] = content.base64EncodedString()
        backup["servicesEncrypted"] = parts.joined(separator: ":")
        #expect(try kind.refusal(bytes(backup)) == .damaged(.twoFASEncrypted))
        backup["reference"] = nil
        #expect(try kind.refusal(bytes(backup)) == .wrongPassword(.twoFASEncrypted))
        for text in ["", "::", "AA==:AA==", "AA==:AA==:AA==", parts.joined(separator: ":") + ":AA=="] {
            backup["servicesEncrypted"] = text
            #expect(try kind.refusal(bytes(backup)) == .malformed(.twoFASEncrypted))
        }
        backup["schemaVersion"] = 5
        #expect(try kind.refusal(bytes(backup)) == .unsupportedVersion(.twoFASEncrypted, 5))
    }

    @Test func andOTPCosts() throws {
        let kind = EncryptedImportTests.kinds[2]
        var file = try Exports.make("andotp", Exports.tokens)
        var limits = ImportLimits()
        limits.rounds = 1000
        #expect(kind.refusal(file, limits: limits) == nil)
        limits.rounds = 999
        #expect(kind.refusal(file, limits: limits) == .tooCostly(.andOTPEncrypted))
        file.replaceSubrange(0..<4, with: [0xff, 0xff, 0xff, 0xff])
        #expect(kind.refusal(file) == .tooCostly(.andOTPEncrypted))
        file.replaceSubrange(0..<4, with: [0, 0, 0, 0])
        #expect(kind.refusal(file) == .malformed(.andOTPEncrypted))
    }

    @Test func ente() throws {
        let kind = EncryptedImportTests.kinds[4]
        let file = try Exports.make("ente", Exports.tokens)
        // A stream that ends without its last message was cut.
        let unfinished = try Exports.make("ente", Exports.tokens, unfinished: true)
        #expect(kind.refusal(unfinished) == .wrongPassword(.enteEncrypted))
        func changed(_ name: String, _ value: Any) throws -> [UInt8] {
            var export = try json(file)
            var parameters = try #require(export["kdfParams"] as? [String: Any])
            if parameters[name] == nil { export[name] = value } else { parameters[name] = value }
            export["kdfParams"] = parameters
            return try bytes(export)
        }
        #expect(try kind.refusal(changed("version", 2)) == .unsupportedVersion(.enteEncrypted, 2))
        for (name, value) in [("memLimit", (1 << 30) + 1), ("memLimit", 1 << 40), ("opsLimit", 1 << 30)] {
            #expect(try kind.refusal(changed(name, value)) == .tooCostly(.enteEncrypted))
        }
        for (name, value) in [("memLimit", 8191), ("opsLimit", 0), ("opsLimit", -1)] {
            #expect(try kind.refusal(changed(name, value)) == .malformed(.enteEncrypted))
        }
        for name in ["salt", "encryptionNonce", "encryptedData"] {
            #expect(try kind.refusal(changed(name, "AA==")) == .malformed(.enteEncrypted))
        }
        // More passes than it was made with, and within the limits: another key.
        #expect(try kind.refusal(changed("opsLimit", 2)) == .wrongPassword(.enteEncrypted))
    }

    @Test(
        "With the costs that the programs themselves ask for",
        .enabled(if: Build.isOptimised, "without optimisation it takes minutes; `make prove` runs it")
    )
    func realCosts() throws {
        for (name, costs, kind) in [
            ("aegis", [32_768, 8, 1], 0), ("andotp", [150_000], 2), ("ente", [64 << 20, 4], 4),
        ] {
            let file = try Exports.make(name, Exports.tokens, costs: costs)
            #expect(try EncryptedImportTests.kinds[kind].read(file).tokens == Exports.tokens)
        }
    }
}
