import Foundation
import Glibc
import MildamCrypto
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamFiles

/// Against `Tests/Peers/age-plugin-mildamtest`, a program of its own, with us and with age on the other side.
@Suite("age: plugins", .serialized)
struct AgePluginTests {
    private let folder: TemporaryFolder
    private static let peers = Vectors.packageFolder + "/Tests/Peers"
    private static let pad = [UInt8](repeating: 9, count: 16)

    init() throws {
        folder = try TemporaryFolder()
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        if !path.hasPrefix(Self.peers) { unsafe setenv("PATH", Self.peers + ":" + path, 1) }
    }

    private func recipient(_ bytes: [UInt8] = pad) throws -> AgePluginRecipient {
        try AgePluginRecipient(Bech32.encode(bytes, prefix: "age1mildamtest"))
    }

    private func identityText(_ bytes: [UInt8] = pad) -> String {
        Bech32.encode(bytes, prefix: "AGE-PLUGIN-MILDAMTEST-")
    }

    private func identity(
        _ bytes: [UInt8] = pad,
        _ interaction: AgePluginInteraction = AgePluginInteraction()
    ) throws -> AgePluginIdentity {
        try AgePluginIdentity(SecretBytes(copying: Array(identityText(bytes).utf8)), interaction: interaction)
    }

    @Test("a file wrapped and unwrapped by a plugin, beside others")
    func roundTrip() throws {
        let other = AgeX25519Identity()
        let file = try sealed([1, 2, 3], for: [other.recipient, recipient()])
        #expect(try opened(file, with: [identity()]) == [1, 2, 3])
        #expect(try opened(file, with: [other]) == [1, 2, 3])
        #expect(try opened(file, with: [AgeX25519Identity(), identity()]) == [1, 2, 3])
        // A key that is unwrapped wrongly is found out by the header's MAC.
        #expect(throws: AgeError.headerMACMismatch) {
            try opened(file, with: [identity([UInt8](repeating: 8, count: 16))])
        }
        let none = try sealed([1], for: [other.recipient])
        #expect(throws: AgeError.noIdentityMatches) { try opened(none, with: [identity()]) }
    }

    @Test("the person in front of it is asked")
    func interaction() throws {
        let file = try sealed([1, 2, 3], for: [recipient()])
        var asking = Self.pad
        asking[0] = 1
        let said = Lock<[String]>([])
        let giving = AgePluginInteraction(askSecret: { message in
            said.withLock { $0.append(message) }
            return SecretBytes(copying: Self.pad)
        })
        #expect(try opened(file, with: [identity(asking, giving)]) == [1, 2, 3])
        #expect(said.withLock { $0 } == ["the pad"])
        #expect(throws: AgeError.pluginFailed("mildamtest", "nobody gave a secret")) {
            try opened(file, with: [identity(asking)])
        }
        var talking = Self.pad
        talking[0] = 5
        let wrapped = try sealed([4], for: [AgePluginRecipient(Bech32.encode(talking, prefix: "age1mildamtest"))])
        let answering = AgePluginInteraction(
            show: { message in
                said.withLock { $0.append(message) }
                return true
            },
            confirm: { message, yes, no in
                said.withLock { $0 += [message, yes, no ?? "-"] }
                return true
            },
            askPublic: { _ in "sesame" }
        )
        #expect(try opened(wrapped, with: [identity(talking, answering)]) == [4])
        #expect(said.withLock { $0.suffix(4) } == ["touch the key", "go on?", "go on", "stop"])
        var refusing = answering
        refusing.confirm = { _, _, _ in false }
        #expect(throws: AgeError.noIdentityMatches) { try opened(wrapped, with: [identity(talking, refusing)]) }
    }

    @Test("one that fails, ends or speaks nonsense is an error that says which", arguments: [2, 3, 4, 6] as [UInt8])
    func failures(_ kind: UInt8) throws {
        let file = try sealed([1], for: [recipient()])
        var bytes = Self.pad
        bytes[0] = kind
        let reason =
            switch kind {
            case 2: "the test says no"
            case 3: "it ended early"
            case 4: "it does not speak the plugin protocol"
            default: "it unwrapped no key of a file"
            }
        #expect(throws: AgeError.pluginFailed("mildamtest", reason)) { try opened(file, with: [identity(bytes)]) }
        guard kind != 6 else { return }
        #expect(throws: AgeError.pluginFailed("mildamtest", reason)) { try sealed([1], for: [recipient(bytes)]) }
    }

    @Test("one that does not end is made to", .timeLimit(.minutes(1)), arguments: [7, 8] as [UInt8])
    func stubbornness(_ kind: UInt8) throws {
        var bytes = Self.pad
        bytes[0] = kind
        #expect(throws: AgeError.pluginFailed("mildamtest", "it does not speak the plugin protocol")) {
            try sealed([1], for: [recipient(bytes)])
        }
    }

    @Test("a program that is not there, or whose name would be a path, is not run")
    func names() throws {
        let missing = try AgePluginRecipient(Bech32.encode([1], prefix: "age1nobody"))
        #expect(throws: AgeError.pluginMissing("nobody")) { try sealed([1], for: [missing]) }
        for prefix in ["age1", "age1../x", "age1a/b", "age1a b", "age1A", "bge1x", "age"] {
            let text = Bech32.encode([1], prefix: prefix)
            #expect(throws: AgeError.invalidRecipient, "\(prefix)") { try AgePluginRecipient(text) }
        }
        for prefix in ["AGE-PLUGIN-", "AGE-PLUGIN--", "AGE-PLUGIN-A/B-", "AGE-PLUGIN-X", "AGE-SECRET-KEY-"] {
            #expect(throws: AgeKeyDefect.malformedAgeKey, "\(prefix)") {
                try AgePluginIdentity(SecretBytes(copying: Array(Bech32.encode([1], prefix: prefix).utf8)))
            }
        }
        let name = try #require(AgePluginName(recipientPrefix: "age1mildamtest"))
        #expect(name.program(path: Self.peers) == Self.peers + "/age-plugin-mildamtest")
        // A folder that depends on where one stands is not looked into, nor is a file that cannot be run.
        #expect(name.program(path: ":.:Tests/Peers") == nil)
        try WholeFile.write([UInt8]("x".utf8).span, to: folder.file("age-plugin-mildamtest"))
        #expect(name.program(path: folder.path) == nil)
        #expect(name.program(path: folder.path + ":" + Self.peers) == Self.peers + "/age-plugin-mildamtest")
    }

    @Test("nothing of an identity is shown")
    func secrecy() throws {
        let identity = try identity()
        for text in ["\(identity)", String(reflecting: identity)] {
            #expect(!text.contains(identityText().dropFirst(25)))
        }
        #expect(Mirror(reflecting: identity).children.isEmpty)
    }

    @Test("both directions with the age program", .enabled(if: ageIsExpected))
    func interoperability() throws {
        let content = [UInt8](repeating: 3, count: 100_000)
        try WholeFile.write(content.span, to: folder.file("plain"))
        try identityText().write(toFile: folder.file("key"), atomically: true, encoding: .utf8)
        let run = try Program.run("age", ["-r", "\(recipient())", "-o", folder.file("theirs"), folder.file("plain")])
        #expect(run.status == 0, "\(run)")
        try AgeFile.decrypt(folder.file("theirs"), to: folder.file("back"), identities: [identity()])
        #expect(try WholeFile.read(folder.file("back"), limit: 1 << 20) == content)
        try AgeFile.encrypt(folder.file("plain"), to: folder.file("ours"), recipients: [recipient()])
        let open = try Program.run(
            "age",
            ["-d", "-i", folder.file("key"), "-o", folder.file("out"), folder.file("ours")]
        )
        #expect(open.status == 0, "\(open)")
        #expect(try WholeFile.read(folder.file("out"), limit: 1 << 20) == content)
    }
}
