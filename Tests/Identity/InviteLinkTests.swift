import Foundation
import MildamCrypto
import MildamWire
import TestSupport
import Testing

@testable import MildamIdentity

@Suite("protocol.md, Mailboxes: links")
struct InviteLinkTests {
    private let link: InviteLink

    init() throws {
        link = try Self.link(expires: 1_800_000_000)
    }

    private static func link(
        to account: AccountRecord = Sample.accountRecord,
        at address: String = "https://chat.example.org:8443",
        secret: Int = 32,
        expires: Int64
    ) throws -> InviteLink {
        let secret = SymmetricKey(data: [UInt8](repeating: 0x44, count: secret))
        return try InviteLink(to: account, at: address, secret: secret, expires: expires)
    }

    @Test func roundTrip() throws {
        let text = link.text
        #expect(text.hasPrefix("mildam:"))
        for around in [text, "  \(text)\r\n"] {
            let read = try InviteLink(text: around)
            #expect(read.wireBytes == link.wireBytes && read.text == text)
            #expect(read.relay == Sample.relay && read.address == "https://chat.example.org:8443")
            #expect(read.handle == Sample.handle && read.account == Sample.account && read.expires == 1_800_000_000)
            #expect(read.secret == link.secret && read.isOf(Sample.accountRecord))
        }
    }

    /// Its layout is the one that is written down, where the address has 29 bytes and the handle 5.
    @Test func layout() throws {
        let bytes = link.wireBytes
        let head = "01" + String(repeating: "11", count: 16) + "1d"
        #expect(Array(bytes.prefix(18)) == (try Hex.decode(head)))
        #expect(bytes.count == 18 + 29 + 6 + 16 + 32 + 32 + 8 + 4)
        #expect(bytes.suffix(4).elementsEqual(SHA256.hash(data: bytes.dropLast(4)).prefix(4)))
    }

    @Test func cutAtEveryByteOrLonger() {
        let (bytes, text) = (link.wireBytes, link.text)
        for count in bytes.indices {
            #expect(throws: WireError.self) { try InviteLink(wireBytes: Array(bytes.prefix(count))) }
        }
        for count in 0..<text.count {
            #expect(throws: WireError.self) { try InviteLink(text: String(text.prefix(count))) }
        }
        #expect(throws: WireError.self) { try InviteLink(wireBytes: bytes + [0]) }
        for more in ["A", " more", "="] { #expect(throws: WireError.self) { try InviteLink(text: text + more) } }
    }

    @Test func oneBitFlipped() {
        let bytes = link.wireBytes
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: WireError.self, "bit \(bit)") { try InviteLink(wireBytes: flipped) }
        }
    }

    @Test func aSlipOfTheKeysIsSeen() {
        var characters = Array(link.text)
        for index in characters.indices.dropFirst(7).dropLast() where characters[index] != characters[index + 1] {
            characters.swapAt(index, index + 1)
            #expect(throws: WireError.self) { try InviteLink(text: String(characters)) }
            characters.swapAt(index, index + 1)
        }
    }

    @Test func whatIsNoneIsNotMade() {
        #expect(throws: WireError.self) { try Self.link(at: "", expires: 1) }
        #expect(throws: WireError.self) { try Self.link(at: String(repeating: "a", count: 256), expires: 1) }
        #expect(throws: WireError.self) { try Self.link(secret: 31, expires: 1) }
        #expect(throws: WireError.self) { try Self.link(expires: -1) }
    }

    @Test func whoseItIs() throws {
        let own = Sample.accountRecord
        let others = [
            AccountRecord(relay: .random(), account: own.account, handle: own.handle, identityKey: own.identityKey),
            AccountRecord(relay: own.relay, account: .random(), handle: own.handle, identityKey: own.identityKey),
            AccountRecord(
                relay: own.relay,
                account: own.account,
                handle: try Handle("bob"),
                identityKey: own.identityKey
            ),
            AccountRecord(
                relay: own.relay,
                account: own.account,
                handle: own.handle,
                identityKey: Curve25519.Signing.PrivateKey().publicKey
            ),
        ]
        for other in others { #expect(!link.isOf(other)) }
    }

    @Test func descriptionsDoNotHoldTheSecret() {
        var dumped = ""
        dump(link, to: &dumped)
        #expect("\(link)" == "a link of alice" && String(reflecting: link).contains("alice"))
        for text in ["\(link)", String(reflecting: link), dumped] {
            #expect(!text.contains("44") && !text.contains("68") && !text.contains("RERE"), "\(text)")
        }
    }
}
