import FoundationEssentials
import MildamCrypto
import MildamJOSE
import MildamWire

/// The key that a session is bound to: each request shows that whoever sends it has it (RFC 9449). Each session has its own.
struct ProofKey: Sendable {
    private let key: P256.Signing.PrivateKey
    private let webKey: JSONWebKey

    /// A new key.
    init() {
        self.init(P256.Signing.PrivateKey())
    }

    /// The key that was kept; `nil` for what is none.
    init?(_ kept: SymmetricKey) {
        let key = unsafe kept.withUnsafeBytes { unsafe try? P256.Signing.PrivateKey(rawRepresentation: $0) }
        guard let key else { return nil }
        self.init(key)
    }

    private init(_ key: P256.Signing.PrivateKey) {
        self.key = key
        webKey = JSONWebKey(key.publicKey)
    }

    /// What is kept of it: 32 bytes.
    var kept: SymmetricKey { unsafe key.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }

    /// What the relay knows the key by.
    var thumbprint: String { webKey.thumbprint }

    /// A proof for one request.
    ///
    /// - Parameters:
    ///   - url: where the request goes.
    ///   - token: the access token that goes with it.
    ///   - nonce: what the relay asked for.
    ///   - now: seconds since 1970.
    func proof(
        _ method: String,
        _ url: String,
        token: String?,
        nonce: String?,
        at now: Int64
    ) throws(MessengerError) -> String {
        do {
            let draft = try DPoPDraft(
                method: method,
                url: url,
                accessToken: token,
                nonce: nonce,
                identifier: Base64.url.encode(SecureRandom.bytes(count: 16)),
                at: now,
                key: webKey
            )
            return draft.signed(try key.signature(for: draft.digest))
        } catch {
            throw .relayAnswer("the relay's address, or its nonce, makes no proof")
        }
    }
}
