import MildamCrypto
import MildamJOSE
import MildamSystem
import MildamWire

/// Somebody's key, to prove that they have it.
struct Prover: Sendable {
    private let key = P256.Signing.PrivateKey()

    var thumbprint: String { JSONWebKey(key.publicKey).thumbprint }

    func proof(
        _ method: String,
        _ url: String,
        token: String? = nil,
        nonce: String? = nil,
        identifier: String = Base64.url.encode(SecureRandom.bytes(count: 16)),
        at time: Int64 = WallClock.system.seconds
    ) throws -> String {
        let draft = try DPoPDraft(
            method: method,
            url: url,
            accessToken: token,
            nonce: nonce,
            identifier: identifier,
            at: time,
            key: JSONWebKey(key.publicKey)
        )
        return draft.signed(try key.signature(for: draft.digest))
    }
}
