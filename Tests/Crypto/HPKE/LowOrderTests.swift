import Testing

@testable import MildamCrypto

@Suite("RFC 7748, sections 6 and 7: keys of low order")
struct LowOrderTests {
    @Test(arguments: [
        (HPKE.KEM.Curve25519_HKDF_SHA256, LowOrderPoints.x25519, 14), (.Curve448_HKDF_SHA512, LowOrderPoints.x448, 5),
    ])
    func nobodyAgreesWithAKeyOfTheList(kem: HPKE.KEM, list: [[UInt8]], count: Int) throws {
        #expect(Set(list).count == count && list.count == count)
        let own = HPKE.PrivateKey.generate(kem: kem)
        for serialized in list {
            let key = try HPKE.PublicKey(kem: kem, serialized: serialized)
            #expect(!key.isOfHighOrder)
            #expect(throws: CryptoKitError.invalidParameter) { try own.sharedSecret(with: key) }
        }
    }

    /// What the list does not have can be agreed with, and nothing else: all keys of Wycheproof.
    @Test(arguments: [("x25519", HPKE.KEM.Curve25519_HKDF_SHA256, 14), ("x448", .Curve448_HKDF_SHA512, 5)])
    func theListIsWhole(name: String, kem: HPKE.KEM, count: Int) throws {
        let own = HPKE.PrivateKey.generate(kem: kem)
        var refused: Set<[UInt8]> = []
        for test in try Wycheproof.read(name).testGroups.flatMap(\.tests) {
            let serialized = try bytes(test.public)
            guard serialized.count == kem.publicKeyByteCount else { continue }
            let key = try HPKE.PublicKey(kem: kem, serialized: serialized)
            let agrees = (try? own.sharedSecret(with: key)) != nil
            #expect(key.isOfHighOrder == agrees, "\(test)")
            if !agrees { refused.insert(serialized) }
        }
        #expect(refused.count == count)
    }

    @Test(arguments: HPKE.KEM.allCases) func aKeyThatWasDrawnIsNoneOfThem(kem: HPKE.KEM) {
        #expect(HPKE.PrivateKey.generate(kem: kem).publicKey.isOfHighOrder)
    }
}
