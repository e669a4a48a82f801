import MildamCrypto
import MildamJOSE
import MildamKeychain
import MildamWire

/// Why a proof of possession was not made.
public enum ProofError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The keychain did not give the key, or did not take it.
    case keychain(KeychainError)
    /// The enclave's key was not found, kept or used.
    case enclave(EnclaveServiceError)
    /// What the keychain holds under the key's tag is no private key of P-256.
    case damagedKey
    /// There is no proof for such a request.
    case request(JOSEError)

    /// What happened.
    public var description: String {
        switch self {
        case .keychain(let error): error.description
        case .enclave(let error): error.description
        case .damagedKey: "the key for proofs is damaged; sign in again, with a new one"
        case .request(let error): "no proof can be made for this request: \(error)"
        }
    }

    static func asking<Value>(_ body: () throws(KeychainError) -> Value) throws(ProofError) -> Value {
        do throws(KeychainError) { return try body() } catch { throw .keychain(error) }
    }

    /// What is to be signed, under an identifier that no other proof has: 16 random bytes.
    static func draft(
        _ method: String,
        _ url: String,
        _ accessToken: String?,
        _ nonce: String?,
        at seconds: Int64,
        _ key: P256.Signing.PublicKey
    ) throws(ProofError) -> DPoPDraft {
        do throws(JOSEError) {
            return try DPoPDraft(
                method: method,
                url: url,
                accessToken: accessToken,
                nonce: nonce,
                identifier: Base64.url.encode(SecureRandom.bytes(count: 16)),
                at: seconds,
                key: JSONWebKey(key)
            )
        } catch {
            throw .request(error)
        }
    }
}
