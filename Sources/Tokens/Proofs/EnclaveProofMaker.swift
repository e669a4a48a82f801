import MildamCrypto
import MildamEnclave
import MildamJOSE
import MildamKeychain
import MildamSystem

/// Makes DPoP proofs (RFC 9449) with a key that never leaves an enclave: what is stolen from the disk or from memory proves
/// nothing elsewhere.
///
/// Each proof asks the enclave, which in a hardware TPM takes about a fifth of a second. The key is made with the first
/// proof, and found by its tag from then on.
public struct EnclaveProofMaker: ProofMaker {
    private let key: TaggedEnclaveKey
    private let clock: WallClock

    /// Works with the key of a tag.
    ///
    /// - Parameters:
    ///   - keychain: where the key lies, in a form that only this enclave can use.
    ///   - tag: what the key is called: 1 to 255 bytes, no control characters.
    ///   - pin: what each use asks for; the software enclave must have one.
    ///   - clock: what proofs are dated by.
    public init(
        _ enclave: any Enclave,
        keychain: any Keychain,
        tag: String,
        pin: EnclavePIN? = nil,
        clock: WallClock = .system
    ) {
        key = TaggedEnclaveKey(enclave, .signing, keychain: keychain, tag: tag, pin: pin)
        self.clock = clock
    }

    /// A fresh proof for one request.
    ///
    /// - Throws: `ProofError`: `enclave` when the key is not to be had now, or is one that agrees; `request`.
    public func proof(method: String, url: String, accessToken: String?, nonce: String?) async throws -> String {
        let blob = try await findOrMakeKey()
        guard case .signing(let publicKey) = blob.publicKey else { throw ProofError.enclave(.enclave(.wrongPurpose)) }
        let draft = try ProofError.draft(method, url, accessToken, nonce, at: clock.seconds, publicKey)
        return draft.signed(try await sign(draft.digest, blob))
    }

    /// Removes the key for good: the tokens that are bound to it are of no use any more.
    ///
    /// - Throws: `ProofError.enclave`.
    public func removeKey() throws(ProofError) {
        do throws(EnclaveServiceError) { try key.remove() } catch { throw .enclave(error) }
    }

    private func findOrMakeKey() async throws(ProofError) -> EnclaveKeyBlob {
        do throws(EnclaveServiceError) { return try await key.findOrMake() } catch { throw .enclave(error) }
    }

    private func sign(
        _ digest: SHA256Digest,
        _ blob: EnclaveKeyBlob
    ) async throws(ProofError) -> P256.Signing.ECDSASignature {
        do throws(EnclaveError) {
            return try await key.enclave.signature(for: digest, key: blob, pin: key.pin)
        } catch {
            throw .enclave(.enclave(error))
        }
    }
}
