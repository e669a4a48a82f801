import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules

/// Who the client is: a device of an account, what it signs with, and the list that names it.
public struct OwnDevice: Sendable {
    /// The suite of every room.
    public static let cipherSuite = CipherSuite.x25519ChaChaPoly

    /// What its leaves say of it.
    public let credential: DeviceCredential
    /// What it signs with.
    public let signing: Curve25519.Signing.PrivateKey
    /// The newest list of the account's devices, which names it.
    public let list: Signed<DeviceList>

    /// A device.
    public init(
        credential: DeviceCredential,
        signing: Curve25519.Signing.PrivateKey,
        list: Signed<DeviceList>
    ) {
        self.credential = credential
        self.signing = signing
        self.list = list
    }

    /// The account.
    public var account: AccountID { credential.record.claimed.account }
    /// The device.
    public var device: DeviceID { credential.record.claimed.device }
    /// The relay that the account lives on.
    public var relay: RelayID { credential.record.claimed.relay }
    /// The list, and how new it is.
    var knownList: KnownDeviceList {
        KnownDeviceList(list, rotation: credential.record.claimed.succession?.rotation ?? 0)
    }
    /// What MLS knows it by: account ‖ device, 32 bytes.
    var client: [UInt8] { account.bytes + device.bytes }

    /// What MLS signs with.
    ///
    /// - Throws: an `MLSError`.
    func signer() throws(MLSError) -> SignatureKeyPair {
        var seed = signing.rawRepresentation
        defer { seed.wipe() }
        return try SignatureKeyPair(OwnDevice.cipherSuite, rawRepresentation: seed)
    }

    /// A new key package.
    ///
    /// - Parameters:
    ///   - lifetime: when it can be used.
    ///   - isLastResort: whether it may be used more than once.
    /// - Throws: an `MLSError`.
    func keyPackage(
        lifetime: Lifetime,
        isLastResort: Bool,
        _ randomness: Randomness
    ) throws(MLSError) -> KeyPackageBundle {
        try KeyPackageBundle(
            credential.mls,
            signer: signer(),
            capabilities: Capabilities(
                cipherSuites: [OwnDevice.cipherSuite],
                extensions: [RoomExtension.extensionType],
                credentials: [.basic]
            ),
            lifetime: lifetime,
            extensions: Extensions(isLastResort ? [Extension(type: .lastResort, data: [])] : []),
            randomness: randomness
        )
    }
}
