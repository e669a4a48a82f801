import FoundationEssentials
import MildamCrypto

/// What the vault calls its own files in a folder in step: `.mildam-ID.part` those that it writes, until they take their
/// places, and `.mildam-ID.folder` the mark by which it knows a folder again. One that was killed leaves a part, and the next
/// one knows it for the vault's own.
///
/// ID is what a file's name in a vault is, of other bytes: `nonce[8] ‖ tag[8]`, the tag being the beginning of
/// HMAC-SHA256 of the nonce and the suffix, under HKDF-SHA256(index's key, salt = vault's id, info = "mildam/1 vault sync
/// parts").
struct SyncParts: Sendable {
    private static let prefix = ".mildam-"
    private static let suffix = ".part"
    private static let markSuffix = ".folder"
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
    func name() -> String { name(SecureRandom.bytes(count: Self.nonceSize), Self.suffix) }

    /// Whether the vault has made a name.
    func haveMade(_ name: some StringProtocol) -> Bool { nonce(of: name, Self.suffix) != nil }

    /// The name of a new mark.
    func newMark() -> String { name(SecureRandom.bytes(count: Self.nonceSize), Self.markSuffix) }

    /// The number that a mark stands for; `nil` for a name that is none of this vault's.
    func mark(_ name: some StringProtocol) -> UInt64? {
        nonce(of: name, Self.markSuffix)?.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether a name is that of a mark, whichever vault has made it: another one, or this one before its index got another
    /// key. It is none of the folder's files.
    static func isMark(_ name: some StringProtocol) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(markSuffix) else { return false }
        return VaultEntryID(String(name.dropFirst(prefix.count).dropLast(markSuffix.count))) != nil
    }

    /// The nonce of a name that the vault has made.
    private func nonce(of name: some StringProtocol, _ suffix: String) -> [UInt8]? {
        guard name.hasPrefix(Self.prefix), name.hasSuffix(suffix),
            let id = VaultEntryID(String(name.dropFirst(Self.prefix.count).dropLast(suffix.count)))
        else { return nil }
        let nonce = Array(id.bytes[..<Self.nonceSize])
        return self.name(nonce, suffix) == String(name) ? nonce : nil
    }

    private func name(_ nonce: [UInt8], _ suffix: String) -> String {
        let tag = Array(HMAC<SHA256>.authenticationCode(for: nonce + Array(suffix.utf8), using: key))
        guard let id = VaultEntryID(nonce + tag.prefix(VaultEntryID.size - nonce.count)) else {
            preconditionFailure("it has the right size")
        }
        return "\(Self.prefix)\(id)\(suffix)"
    }
}
