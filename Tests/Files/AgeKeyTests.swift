import MildamFiles
import TestSupport
import Testing

@Suite("age: the X25519 recipient type")
struct AgeKeyTests {
    private static let identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    private static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    @Test("The identity and recipient of the specification")
    func specification() throws {
        let identity = try AgeX25519Identity(AgeKeyTests.identity)
        #expect(identity.secretText == AgeKeyTests.identity)
        #expect(identity.recipient.description == AgeKeyTests.recipient)
        #expect(try AgeX25519Recipient(AgeKeyTests.recipient) == identity.recipient)
    }

    @Test("New identities differ, and are read back")
    func roundTrip() throws {
        let first = AgeX25519Identity()
        #expect(try AgeX25519Identity(first.secretText).secretText == first.secretText)
        #expect(first.secretText != AgeX25519Identity().secretText)
    }

    @Test("Another case, kind or size is refused")
    func refusals() throws {
        for text in [
            AgeKeyTests.identity.lowercased(), AgeKeyTests.recipient, AgeKeyTests.identity + " ", "",
            "AGE-SECRET-KEY-PQ-1XX76JRALNLXDMEW0CRK45QMCCH4X06SE84UN3VPM33W6HWDX0H3SK3ZQFR",
        ] {
            #expect(throws: AgeError.invalidIdentity) { try AgeX25519Identity(text) }
        }
        for text in [
            AgeKeyTests.recipient.uppercased(), AgeKeyTests.identity, " " + AgeKeyTests.recipient, "",
            "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e",
        ] {
            #expect(throws: AgeError.invalidRecipient) { try AgeX25519Recipient(text) }
        }
        for end in AgeKeyTests.identity.indices {
            #expect(throws: AgeError.invalidIdentity) { try AgeX25519Identity(AgeKeyTests.identity[..<end]) }
        }
    }

    @Test("Nothing that describes an identity shows its secret")
    func descriptions() throws {
        let identity = try AgeX25519Identity(AgeKeyTests.identity)
        var dumped = ""
        dump(identity, to: &dumped)
        for text in ["\(identity)", String(reflecting: identity), dumped, "\([identity])"] {
            #expect(!text.contains("GFPYYS") && !text.lowercased().contains("4242"))
        }
        #expect("\(identity)" == "AgeX25519Identity for \(AgeKeyTests.recipient)")
        for error in [AgeError.invalidIdentity, .invalidRecipient, .noIdentityMatches] {
            #expect(!"\(error)".contains("GFPYYS"))
        }
    }

    @Test("Nothing is encrypted to a public key of low order")
    func lowOrder() throws {
        // The points 0 and 1: everybody knows what any secret agrees on with them.
        for text in [
            "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z",
            "age1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqj7vrya",
        ] {
            let recipient = try AgeX25519Recipient(text)
            #expect(throws: AgeError.invalidRecipient) { _ = try AgeEncryptor(recipients: [recipient]) }
        }
    }
}
