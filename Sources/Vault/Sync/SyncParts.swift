import FoundationEssentials
import MildamCrypto

/// What the vault calls the files that it writes to a folder in step, until they take their places: `.mildam-ID.part`. One
/// that was killed leaves such a file, and the next one knows it for the vault's own.
///
/// ID is what a file's name in a vault is, of other bytes: `nonce[8] ‖ tag[8]`, the tag being the beginning of
/// HMAC-SHA256 of the nonce, under HKDF-SHA256(index's key, salt = vault's id, info = "mildam/1 vault sync parts").
struct SyncParts: Sendable {
    private static let prefix = ".mildam-"
    private static let suffix = ".part"
    private static let nonceSize = 8

    private let key: SymmetricKey

    /// Those of a vault.
    init(_ keys: VaultKeys) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: keys.index,
            salt: keys.id,
            info: Array("mildam/1 vault sync parts".utf8),
            outputByteCount: 32
        )
    }

    /// A new name, of 39 bytes.
    func name() -> String { name(SecureRandom.bytes(count: Self.nonceSize)) }

    /// Whether the vault has made a name.
    func haveMade(_ name: some StringProtocol) -> Bool {
        guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix),
            let id = VaultEntryID(String(name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)))
        else { return false }
        return self.name(Array(id.bytes[..<Self.nonceSize])) == String(name)
    }

    private func name(_ nonce: [UInt8]) -> String {
        let tag = Array(HMAC<SHA256>.authenticationCode(for: nonce, using: key))
        guard let id = VaultEntryID(nonce + tag.prefix(VaultEntryID.size - nonce.count)) else {
            preconditionFailure("it has the right size")
        }
        return "\(Self.prefix)\(id)\(Self.suffix)"
    }
}
