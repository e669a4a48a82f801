import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamWire

/// Whether key packages are a device's own, and can be handed out.
enum KeyPackageCheck {
    /// The key packages of an upload.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `bad_identity` for one that is not the device's, is malformed, or whose time is over.
    static func check(
        _ upload: KeyPackageUpload,
        of address: MailboxAddress,
        at now: Int64
    ) throws(APIError) -> [CheckedKeyPackage] {
        let time = UInt64(clamping: now)
        let environment = GroupEnvironment(authentication: RoomAuthentication(), policy: RoomPolicy(), now: { time })
        var checked: [CheckedKeyPackage] = []
        for bytes in upload.keyPackages { checked.append(try check(bytes, of: address, environment, at: now)) }
        guard Set(checked.map(\.entry.reference)).count == checked.count else {
            throw APIError(.badIdentity, "a key package stands twice")
        }
        return checked
    }

    private static func check(
        _ bytes: [UInt8],
        of address: MailboxAddress,
        _ environment: GroupEnvironment,
        at now: Int64
    ) throws(APIError) -> CheckedKeyPackage {
        guard case .keyPackage(let keyPackage)? = try? MLSMessage(wireBytes: bytes) else {
            throw APIError(.badIdentity, "a key package cannot be read")
        }
        let reference: KeyPackageRef
        do throws(MLSError) {
            try keyPackage.check(environment)
            reference = try keyPackage.reference()
        } catch {
            throw APIError(.badIdentity, "a key package does not count: \(error)")
        }
        guard let leaf = try? RoomLeaf(inTree: keyPackage.leafNode), leaf.account == address.account,
            leaf.device == address.device
        else { throw APIError(.badIdentity, "a key package is not this device's") }
        guard case .keyPackage(let lifetime) = keyPackage.leafNode.source, lifetime.notAfter >= UInt64(clamping: now)
        else {
            throw APIError(.badIdentity, "a key package's time is over")
        }
        return CheckedKeyPackage(
            entry: KeyPackageEntry(
                reference: reference.bytes,
                isLastResort: keyPackage.isLastResort,
                notAfter: Int64(clamping: lifetime.notAfter),
                bytes: bytes.count
            ),
            signatureKey: keyPackage.leafNode.signatureKey.bytes,
            bytes: bytes
        )
    }
}
