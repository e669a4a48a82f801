import Foundation
import MildamCrypto
import Testing

/// A chip, as far as ECIES sees it: it gives x-coordinates, and its key never leaves.
private actor Chip<Curve: NISTCurve>: KeyAgreeing {
    struct IsLocked: Error {}

    private let key: ECDH<Curve>.PrivateKey
    private let lost: Int
    private let isLocked: Bool

    /// - Parameter lost: how many bytes of each secret it leaves out.
    init(_ key: ECDH<Curve>.PrivateKey, lost: Int = 0, isLocked: Bool = false) {
        self.key = key
        self.lost = lost
        self.isLocked = isLocked
    }

    func sharedSecretFromKeyAgreement(with publicKeyShare: ECDH<Curve>.PublicKey) async throws -> SharedSecret {
        guard !isLocked else { throw IsLocked() }
        let secret = try key.sharedSecretFromKeyAgreement(with: publicKeyShare)
        return unsafe secret.withUnsafeBytes { secret in
            unsafe SharedSecret(SecretBytes(copying: UnsafeRawBufferPointer(rebasing: secret[lost...])))
        }
    }
}

@Suite("ECIES: keys that lie elsewhere")
struct ECIESKeyAgreeingTests {
    private let message = Array("a refresh token".utf8)

    @Test(arguments: NISTCurveTests.curves) func aChipOpensWhatWasSealedToIt(curve: any NISTCurve.Type) async throws {
        try await open(curve)
    }

    private func open<Curve: NISTCurve>(_: Curve.Type) async throws {
        let key = ECDH<Curve>.PrivateKey()
        let parameters = ECIES.Parameters(hash: .sha384, iv: .derived)
        let packet = try ECIES.seal(message, to: key.publicKey, parameters: parameters)
        #expect(try await exposed(ECIES.open(packet, through: Chip(key), parameters: parameters)) == message)
        // A key in memory is one, too.
        #expect(try await exposed(ECIES.open(packet, through: key, parameters: parameters)) == message)
        await #expect(throws: ECIESError.authenticationFailure) {
            try await ECIES.open(packet, through: Chip(ECDH<Curve>.PrivateKey()), parameters: parameters).count
        }
    }

    @Test func itsErrorIsTheCallers() async throws {
        let key = P256.KeyAgreement.PrivateKey()
        let packet = try ECIES.seal(message, to: key.publicKey)
        await #expect(throws: Chip<P256>.IsLocked.self) {
            try await ECIES.open(packet, through: Chip(key, isLocked: true)).count
        }
    }

    @Test func aSecretThatIsNoCoordinateIsRefused() async throws {
        let key = P256.KeyAgreement.PrivateKey()
        let packet = try ECIES.seal(message, to: key.publicKey)
        for lost in [1, 32] {
            await #expect(throws: ECIESError.incorrectSharedSecretSize(expected: 32)) {
                try await ECIES.open(packet, through: Chip(key, lost: lost)).count
            }
        }
    }
}
