import MildamCrypto
import MildamFiles
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamVault

@Suite("Who else can open a vault is kept as keys, and only as much as can be read again")
struct VaultRecipientTests {
    private let box: VaultBox

    init() throws {
        box = try VaultBox()
    }

    /// A recipient of a plugin, whose text has about this many bytes.
    private func plugin(_ size: Int) -> String {
        Bech32.encode([UInt8](repeating: 7, count: size * 5 / 8), prefix: "age1test")
    }

    @Test func aCommentIsNotKept() throws {
        let key = Curve25519.Signing.PrivateKey().publicKey
        var writer = WireWriter()
        writer.text(UInt32.self, "ssh-ed25519")
        writer.vector(UInt32.self, Array(key.rawRepresentation))
        let text = "ssh-ed25519 \(Base64.standard.encode(writer.bytes))"
        let commented = text + " " + String(repeating: "x", count: 70_000)
        do {
            let vault = try box.make(recipients: [commented])
            #expect(vault.keys.recipients == [text])
            try vault.rekey(to: ["\(commented)\n\(text)"])
        }
        #expect(try box.open().keys.recipients == [text, text])
    }

    @Test func whatCouldNotBeReadAgainIsRefused() throws {
        #expect(throws: VaultError.recipientsTooLarge) { try box.make(recipients: [plugin(11_000)]) }
        #expect(!WholeFile.isTaken(box.path))
        do {
            let vault = try box.make(recipients: [plugin(9_000)])
            // Each of them could be kept, and not all.
            let many = [String](repeating: plugin(9_000), count: 60)
            #expect(throws: VaultError.recipientsTooLarge) { try vault.rekey(to: many) }
            #expect(!vault.isRekeying)
        }
        #expect(try box.open().keys.recipients == [plugin(9_000)])
    }
}
