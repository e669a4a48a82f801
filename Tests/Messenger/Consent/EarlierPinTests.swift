import Foundation
import MildamCrypto
import MildamIdentity
import Testing

@testable import MildamMessenger

@Suite("Consent: people that a profile remembers from before there were states")
struct EarlierPinTests {
    /// With a list number the key was seen, without it was told.
    @Test(arguments: [(0, PinState.told), (3, .seen)] as [(UInt64, PinState)])
    func pinsFromBefore(_ number: UInt64, _ state: PinState) throws {
        let pin = AccountPin(
            handle: try Handle("bob"),
            account: .random(),
            identityKey: Curve25519.Signing.PrivateKey().publicKey,
            listNumber: number,
            listDigest: [UInt8](repeating: 4, count: number == 0 ? 0 : 32),
            state: .compared
        )
        let written = try JSONEncoder().encode(PinRecord(pin))
        #expect(try JSONDecoder().decode(PinRecord.self, from: written).pin() == pin)
        var fields = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
        #expect(fields.removeValue(forKey: "state") != nil)
        let old = try JSONSerialization.data(withJSONObject: fields)
        #expect(try JSONDecoder().decode(PinRecord.self, from: old).pin().state == state)
    }
}
