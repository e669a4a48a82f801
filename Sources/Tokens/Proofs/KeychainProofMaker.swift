import FoundationEssentials
import MildamCrypto
import MildamJOSE
import MildamKeychain
import MildamSystem

/// Makes DPoP proofs (RFC 9449) with a P-256 key that a keychain keeps.
///
/// The key is made with the first proof and found by its tag from then on, by every program that may use the item. It is
/// read for each proof, and wiped when the proof is signed: between two of them it is in the keychain alone.
public struct KeychainProofMaker: ProofMaker {
    private let keychain: any Keychain
    private let tag: [UInt8]
    private let accessGroup: String?
    private let clock: WallClock

    /// Works with the key of a tag.
    ///
    /// - Parameters:
    ///   - tag: what the key is called (`kSecAttrApplicationTag`).
    ///   - accessGroup: which programs may use it; `nil` for this one alone.
    ///   - clock: what proofs are dated by.
    public init(_ keychain: any Keychain, tag: String, accessGroup: String? = nil, clock: WallClock = .system) {
        self.keychain = keychain
        self.tag = Array(tag.utf8)
        self.accessGroup = accessGroup
        self.clock = clock
    }

    /// A fresh proof for one request.
    ///
    /// - Throws: `ProofError`: `keychain` when the key is not to be had now; `damagedKey`; `request`.
    public func proof(method: String, url: String, accessToken: String?, nonce: String?) async throws -> String {
        let key = try findOrMakeKey()
        let draft = try ProofError.draft(method, url, accessToken, nonce, at: clock.seconds, key.publicKey)
        return draft.signed(try key.signature(for: draft.digest))
    }

    /// The thumbprint of the key (RFC 7638), 43 characters, which bound tokens name; makes the key if there is none.
    ///
    /// - Throws: `ProofError`.
    public func thumbprint() throws(ProofError) -> String { JSONWebKey(try findOrMakeKey().publicKey).thumbprint }

    /// Removes the key for good: the tokens that are bound to it are of no use any more.
    ///
    /// - Throws: `ProofError.keychain`.
    public func removeKey() throws(ProofError) {
        for item in try items() { try remove(item.reference) }
    }

    // MARK: The key

    private func findOrMakeKey() throws(ProofError) -> P256.Signing.PrivateKey {
        if let item = try items().first { return try key(of: item) }
        let reference = try ProofError.asking { () throws(KeychainError) in try keychain.add(newItem()) }
        // Two keys are two items even under one tag. Of two programs that make one at the same time, the first stays.
        let kept = try items()
        guard let first = kept.first else { throw .keychain(.itemNotFound) }
        if first.reference != reference { try remove(reference) }
        return try key(of: first)
    }

    private func remove(_ reference: ItemReference) throws(ProofError) {
        _ = try ProofError.asking { () throws(KeychainError) in
            do throws(KeychainError) { return try keychain.delete(KeychainQuery(reference)) } catch .itemNotFound {
                return 0
            }
        }
    }

    /// The keys of the tag, in the order in which they were made; an enclave's is none of them.
    private func items() throws(ProofError) -> [KeychainItem] {
        var query = KeychainQuery(.key, [.applicationTag: .data(tag), .keyClass: 1])
        query.accessGroup = accessGroup
        let wanted = query
        return try ProofError.asking { () throws(KeychainError) in
            do throws(KeychainError) {
                return try keychain.copyMatching(wanted, limit: .all, returningSecrets: true)
                    .filter { $0.attributes[.tokenID] == nil }
            } catch .itemNotFound {
                return []
            }
        }
    }

    /// A fresh key as it is kept: 0x04 ‖ X ‖ Y ‖ K, as `SecKeyCopyExternalRepresentation` writes it.
    private func newItem() -> NewItem {
        let key = P256.Signing.PrivateKey()
        let point = key.publicKey.x963Representation
        var secret = SecretBuilder(capacity: 97)
        secret.append(Array(point).span)
        unsafe key.withUnsafeBytes { unsafe secret.append(Span(_unsafeBytes: $0)) }
        var item = NewItem(
            .key,
            ItemAttributes(ellipticCurveKey: point, sizeInBits: 256, uses: .signing, token: nil),
            secret: SecretValue(secret.finish())
        )
        item.attributes[.applicationTag] = .data(tag)
        item.accessGroup = accessGroup
        item.accessibility = .afterFirstUnlockThisDeviceOnly
        return item
    }

    private func key(of item: KeychainItem) throws(ProofError) -> P256.Signing.PrivateKey {
        guard let secret = item.secret else { throw .damagedKey }
        let key = unsafe secret.withUnsafeBytes { bytes in
            try? unsafe P256.Signing.PrivateKey(x963Representation: bytes)
        }
        guard let key else { throw .damagedKey }
        return key
    }
}
