import FoundationEssentials
import MildamClientCore
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamSystem

/// Somebody with one device: as a relay registers them, and as groups have them.
package struct RoomMember: Sendable {
    /// What members of a room's group go by, where no client's core looks after them.
    package static let environment = GroupEnvironment(
        authentication: RoomAuthentication(),
        policy: RoomPolicy(),
        now: { UInt64(clamping: WallClock.system.seconds) }
    )

    /// The handle.
    package let handle: Handle
    /// The account's identity key.
    package let identity: Curve25519.Signing.PrivateKey
    /// The device's keys.
    package let keys: DeviceKeys
    /// What the relay is told of the account.
    package let bundle: AccountBundle
    /// The device, as a client's core has it.
    package let device: OwnDevice
    /// Who the account is in a room.
    package let roomIdentity: RoomIdentity

    /// The account.
    package var account: AccountID { device.account }

    /// Somebody new.
    package init(_ name: String, on relay: RelayID) throws {
        let (identity, keys, account) = (Curve25519.Signing.PrivateKey(), DeviceKeys(), AccountID.random())
        let next = IdentitySuccession.commitment(to: Curve25519.Signing.PrivateKey().publicKey)
        let record = keys.record(
            relay: relay,
            account: account,
            notAfter: 4_000_000_000,
            succession: IdentitySuccession(since: 1, nextIdentity: next)
        )
        let list = Signed(
            DeviceList(relay: relay, account: account, number: 1, records: [record]),
            by: identity
        )
        let signed = Signed(record, by: identity)
        let handle = try Handle(name)
        self.handle = handle
        self.identity = identity
        self.keys = keys
        bundle = AccountBundle(
            account: Signed(
                AccountRecord(
                    relay: relay,
                    account: account,
                    handle: handle,
                    identityKey: identity.publicKey,
                    nextIdentity: next
                ),
                by: identity
            ),
            list: list,
            devices: [signed]
        )
        device = OwnDevice(
            credential: DeviceCredential(identityKey: identity.publicKey, record: signed),
            signing: keys.signing,
            list: list
        )
        roomIdentity = RoomIdentity(key: identity.publicKey, rotation: 0, nextIdentity: next)
    }

    /// A key package, with its private keys.
    package func keyPackage() throws -> KeyPackageBundle {
        let now = UInt64(clamping: WallClock.system.seconds)
        return try KeyPackageBundle(
            device.credential.mls,
            signer: SignatureKeyPair(OwnDevice.cipherSuite, rawRepresentation: keys.signing.rawRepresentation),
            capabilities: Capabilities(
                cipherSuites: [OwnDevice.cipherSuite],
                extensions: [RoomExtension.extensionType],
                credentials: [.basic]
            ),
            lifetime: Lifetime(notBefore: now - 3_600, notAfter: now + 29 * 86_400)
        )
    }

    /// A group of this device alone, which begins a room that it owns; members may invite, and set its timer.
    package func group(_ room: RoomID) throws -> Group {
        let binding = RoomExtension(
            room: room,
            roles: [account: .owner],
            policy: [.membersInvite, .membersDescribe]
        )
        return try Group(
            with: keyPackage(),
            extensions: Extensions([RoomExtension.requirements, binding.mls]),
            environment: Self.environment
        )
    }
}
