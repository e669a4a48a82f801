import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// Key packages that were claimed of an account's devices.
public struct ClaimReply: Hashable, Sendable {
    /// One of each device that has one, as MLSMessages.
    public let keyPackages: [[UInt8]]
    /// The newest list of the account's devices: a `Signed<DeviceList>`.
    private let list: [UInt8]

    /// Key packages.
    public init(keyPackages: [[UInt8]], list: Signed<DeviceList>) {
        self.init(keyPackages: keyPackages, encoded: list.wireBytes)
    }

    private init(keyPackages: [[UInt8]], encoded list: [UInt8]) {
        self.keyPackages = keyPackages
        self.list = list
    }

    /// The list alone: the account's devices come in from outside.
    var withoutKeyPackages: ClaimReply { ClaimReply(keyPackages: [], encoded: list) }

    /// The list, to be shown as evidence.
    var signedList: Signed<DeviceList>? { try? Signed(wireBytes: list) }

    /// Those that are of an account's devices, of which the identity is known; of each device one.
    func usable(by account: AccountID, _ identity: RoomIdentity) -> [KeyPackage] {
        var devices: Set<[UInt8]> = []
        return keyPackages.compactMap { (bytes) -> KeyPackage? in
            guard case .keyPackage(let keyPackage)? = try? MLSMessage(wireBytes: bytes),
                let leaf = try? RoomLeaf(
                    keyPackage.leafNode.credential,
                    signatureKey: keyPackage.leafNode.signatureKey
                ),
                leaf.account == account, leaf.identity == identity, devices.insert(leaf.client).inserted
            else { return nil }
            return keyPackage
        }
    }
}

/// A claim's answer, as it is stored.
extension ClaimReply {
    /// Reads key packages, and the list.
    init(stored reader: inout WireReader) throws(WireError) {
        let keyPackages = try reader.list { (reader) throws(WireError) in try reader.vector() }
        self.init(keyPackages: keyPackages, encoded: try reader.vector())
    }

    /// Appends key packages, and the list.
    func store(into writer: inout WireWriter) {
        writer.list(keyPackages) { $0.vector($1) }
        writer.vector(list)
    }
}
