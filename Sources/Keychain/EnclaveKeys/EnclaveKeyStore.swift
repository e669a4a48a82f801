import FoundationEssentials
import MildamEnclave

/// Keys of an enclave in a keychain, by name: items of the class `key`, of the form in which `SecKeyCreateRandomKey`
/// keeps its own, so that each finds the other's. A key's name is its application tag.
public struct EnclaveKeyStore: Sendable {
    private let keychain: any Keychain

    /// The keys of a keychain.
    public init(_ keychain: any Keychain) {
        self.keychain = keychain
    }

    /// Every key, by name.
    ///
    /// - Parameter group: of this access group only.
    /// - Throws: `keychain`.
    public func all(group: String? = nil) throws(EnclaveKeyError) -> [EnclaveKey] {
        try matches(group, returningSecrets: true).sorted { ($0.name, $0.accessGroup) < ($1.name, $1.accessGroup) }
    }

    /// The key of a name.
    ///
    /// - Throws: `noKey`, `ambiguous`, `keychain`.
    public func find(_ name: String, group: String? = nil) throws(EnclaveKeyError) -> EnclaveKey {
        let found = try all(group: group).filter { $0.name == name }
        guard let key = found.first else { throw .noKey(name: name) }
        guard found.count == 1 else { throw .ambiguous(name: name, groups: found.map(\.accessGroup)) }
        return key
    }

    /// Throws when a key cannot be kept under this name: before an enclave makes one in vain.
    ///
    /// - Parameter group: the access group; `nil` for every one.
    /// - Throws: `nameTaken`, `invalidName`, `keychain`.
    public func check(_ name: String, group: String? = nil) throws(EnclaveKeyError) {
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isPlain, (1...255).contains(name.utf8.count) else { throw .invalidName }
        guard try numbers(name, group).isEmpty else { throw .nameTaken(name: name) }
    }

    /// Keeps a key under a name that no other has.
    ///
    /// A chip's key stays on this machine, since it is of no use elsewhere.
    ///
    /// - Parameter group: the access group; `nil` for this program's own.
    /// - Throws: as `check(_:group:)` does; nothing is kept then.
    public func keep(_ blob: EnclaveKeyBlob, as name: String, group: String? = nil) throws(EnclaveKeyError) {
        try check(name, group: group)
        var item = NewItem(
            .key,
            ItemAttributes(
                ellipticCurveKey: blob.publicKey.x963Representation,
                sizeInBits: 256,
                uses: blob.purpose == .keyAgreement ? .agreeing : .signing,
                token: ItemAttributes.secureEnclave
            ),
            secret: SecretValue(copying: blob.bytes)
        )
        item.attributes[.applicationTag] = .data(Array(name.utf8))
        item.attributes[.label] = .text(name)
        item.accessGroup = group
        if blob.kind == .tpm { item.accessibility = .whenUnlockedThisDeviceOnly }
        let new = item
        let reference = try asking { () throws(KeychainError) in try keychain.add(new) }
        // Two keys are two items even under one name. Of two programs that keep at the same time, the first stays.
        guard try numbers(name, group).min() == reference.number else {
            try remove(reference)
            throw .nameTaken(name: name)
        }
    }

    /// Removes a key for good.
    ///
    /// - Throws: `keychain`.
    public func remove(_ key: EnclaveKey) throws(EnclaveKeyError) { try remove(key.reference) }

    private func remove(_ reference: ItemReference) throws(EnclaveKeyError) {
        _ = try asking { () throws(KeychainError) in try keychain.delete(KeychainQuery(reference)) }
    }

    private func numbers(_ name: String, _ group: String?) throws(EnclaveKeyError) -> [Int64] {
        try matches(group, returningSecrets: false).filter { $0.name == name }.map(\.reference.number)
    }

    private func matches(_ group: String?, returningSecrets: Bool) throws(EnclaveKeyError) -> [EnclaveKey] {
        var query = KeychainQuery(.key, [.keyClass: 1, .tokenID: .text(ItemAttributes.secureEnclave)])
        query.accessGroup = group
        query.synchronizable = .any
        do throws(KeychainError) {
            return try keychain.copyMatching(query, limit: .all, returningSecrets: returningSecrets).map(
                EnclaveKey.init
            )
        } catch .itemNotFound {
            return []
        } catch {
            throw .keychain(error)
        }
    }

    private func asking<Value>(_ body: () throws(KeychainError) -> Value) throws(EnclaveKeyError) -> Value {
        do throws(KeychainError) { return try body() } catch { throw .keychain(error) }
    }
}
