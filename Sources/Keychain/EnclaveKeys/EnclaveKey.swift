import MildamEnclave
import MildamWire

/// A key of an enclave as a keychain has it.
public struct EnclaveKey: Sendable {
    /// The item.
    public let reference: ItemReference
    /// What it is called: its `kSecAttrApplicationTag` where that is text, otherwise that in hexadecimal, or its
    /// `kSecAttrLabel`.
    public let name: String
    /// Which programs may use it.
    public let accessGroup: String
    private let stored: SecretValue?

    init(_ item: KeychainItem) {
        reference = item.reference
        name = EnclaveKey.name(item.attributes)
        accessGroup = item.accessGroup
        stored = item.secret
    }

    /// What the enclave gave.
    ///
    /// - Throws: `unusable` for what is no key of an enclave that this program knows.
    public func blob() throws(EnclaveKeyError) -> EnclaveKeyBlob {
        do throws(EnclaveError) {
            return try EnclaveKeyBlob(bytes: stored?.bytes ?? [])
        } catch {
            throw .unusable(name: name, error)
        }
    }

    private static func name(_ attributes: ItemAttributes) -> String {
        let tag = attributes.data(.applicationTag) ?? []
        guard tag.isEmpty else { return String(validating: tag, as: UTF8.self) ?? Hex.encode(tag) }
        return attributes.text(.label) ?? ""
    }
}
