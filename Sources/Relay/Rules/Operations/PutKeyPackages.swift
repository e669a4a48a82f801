import MildamIdentity
import MildamRelayAPI

/// Keeps key packages of a device, for others to claim; a retry changes nothing.
struct PutKeyPackages: StoreOperation {
    let address: MailboxAddress
    /// Whether those that are there go.
    let replaces: Bool
    let keyPackages: [CheckedKeyPackage]

    /// Key packages of a device that are kept at most, beside the one of last resort.
    static let maximum = 200

    var weight: Int { keyPackages.reduce(0) { $0 + $1.bytes.count } }
    var rows: Int { 1 + keyPackages.count }
    var prefetch: [FactKey] { [.device(address), .stock(address), .usage(address.account)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<KeyPackageCount, APIError> {
        guard let device = try facts.device(address) else {
            return .failure(APIError(.unauthorized, "there is no such device"))
        }
        guard keyPackages.allSatisfy({ $0.signatureKey == device.key }) else {
            return .failure(APIError(.badIdentity, "a key package is of another key than the device's"))
        }
        let known = try facts.stock(of: address)
        let kept = replaces ? [] : known.filter { $0.notAfter >= now / 1000 }
        let keptReferences = Set(kept.map(\.reference))
        let new = keyPackages.filter { !keptReferences.contains($0.entry.reference) }
        let hasNewLastResort = new.contains { $0.entry.isLastResort }
        let left = kept.filter { !($0.isLastResort && hasNewLastResort) }
        guard left.count + new.count <= Self.maximum + 1, new.count(where: \.entry.isLastResort) <= 1 else {
            return .failure(APIError(.quotaExceeded, "a device has \(Self.maximum) key packages at most"))
        }
        let needed = new.reduce(0) { $0 + DiskUsage.row + $1.bytes.count }
        if let refusal = try facts.refusal(of: needed, by: address.account) { return .failure(refusal) }
        for entry in known where !left.contains(entry) { try facts.remove(entry, of: address) }
        for keyPackage in new { try facts.put(keyPackage.bytes, keyPackage.entry, of: address) }
        return .success(KeyPackageCount(of: try facts.stock(of: address), at: now))
    }
}

/// A key package that was found to be a device's own.
struct CheckedKeyPackage: Sendable {
    let entry: KeyPackageEntry
    /// The key that the device signs with, 32 bytes.
    let signatureKey: [UInt8]
    let bytes: [UInt8]
}

extension KeyPackageCount {
    /// What of it can be claimed.
    ///
    /// - Parameter now: milliseconds since 1970.
    init(of entries: [KeyPackageEntry], at now: Int64) {
        let fresh = entries.filter { $0.notAfter >= now / 1000 }
        self.init(left: fresh.count { !$0.isLastResort }, hasLastResort: fresh.contains(where: \.isLastResort))
    }
}
