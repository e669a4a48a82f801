import Foundation
import HouseSupport
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamMessenger
import MildamRelayAPI
import MildamRoomRules
import MildamSystem
import MildamWire
import Testing

/// Somebody with an account at a real relay, whose groups are made and changed here with the library alone: what comes to the relay
/// is whatever a test makes of it.
struct RawMember: Sendable {
    /// A commit that the group has taken, and what belongs to it.
    struct Change: Sendable {
        /// The epoch that it was made in.
        let epoch: UInt64
        let commit: [UInt8]
        let groupInfo: [UInt8]
        /// For those whom it brings in.
        let welcome: Welcome?
    }

    private let caller: RelayCaller
    private let credential: Credential
    private let signing: Curve25519.Signing.PrivateKey

    /// Takes account, keys and session from a profile, and ends its client.
    init(_ person: Person) async throws {
        let caller = try await RelayCaller(person)
        let (bundle, _, keys) = try await person.secrets()
        let record = try #require(bundle.devices.first { $0.claimed.device == caller.device })
        self.caller = caller
        credential = DeviceCredential(identityKey: bundle.account.claimed.identityKey, record: record).mls
        signing = keys.signing
    }

    /// A group of this device alone, for a room. The relay does not know of it.
    func group(for room: RoomID) throws -> Group {
        let now = UInt64(clamping: WallClock.system.seconds)
        let bundle = try KeyPackageBundle(
            credential,
            signer: SignatureKeyPair(.x25519ChaChaPoly, rawRepresentation: signing.rawRepresentation),
            capabilities: Capabilities(extensions: [RoomExtension.extensionType]),
            lifetime: Lifetime(notBefore: now - 3_600, notAfter: now + 29 * 86_400)
        )
        let binding = RoomExtension(room: room, roles: [caller.account: .owner])
        return try Group(
            with: bundle,
            extensions: Extensions([RoomExtension.requirements, binding.mls]),
            environment: GroupEnvironment(
                authentication: RoomAuthentication(),
                policy: RoomPolicy(),
                now: { UInt64(clamping: WallClock.system.seconds) }
            )
        )
    }

    /// Makes a room of a group that begins.
    func create(_ room: RoomID, _ group: Group) async throws {
        let info = MLSMessage.groupInfo(try group.groupInfo(sendsTree: false)).wireBytes
        try await caller.create(CreateGroupRequest(groupInfo: info, ratchetTree: group.ratchetTree), as: room)
    }

    /// Claims a key package of somebody's device.
    func keyPackage(of person: Person, for room: RoomID) async throws -> KeyPackage {
        let claimed = try await caller.keyPackages(of: Handle(person.name), for: room)
        let bytes = try #require(claimed.first)
        guard case .keyPackage(let keyPackage) = try MLSMessage(wireBytes: bytes) else { throw CancellationError() }
        return keyPackage
    }

    /// Commits.
    ///
    /// - Parameters:
    ///   - extensions: what stands besides in the GroupInfo of the Welcome.
    ///   - sendsTree: whether the group's own tree does.
    func change(
        _ group: inout Group,
        _ proposals: [Proposal],
        telling extensions: [Extension] = [],
        sendsTree: Bool = false
    ) throws -> Change {
        let epoch = group.publicGroup.context.epoch
        var options = CommitOptions()
        options.proposals = proposals
        options.framing = .publicMessage
        options.authenticatedData = CommitReason().wireBytes
        options.sendsTree = sendsTree
        options.sendsGroupInfo = true
        options.groupInfoExtensions = Extensions(extensions)
        let made = try group.commit(options)
        try group.mergeStagedCommit()
        var own: Welcome?
        if case .welcome(let welcome)? = made.welcome { own = welcome }
        return Change(
            epoch: epoch,
            commit: made.commit.wireBytes,
            groupInfo: made.groupInfo?.wireBytes ?? [],
            welcome: own
        )
    }

    /// Has the relay take a commit, with this Welcome; empty for none.
    func send(_ change: Change, _ welcome: [UInt8], to room: RoomID) async throws(MessengerError) {
        let content = GroupSendRequest.Content.commit(change.commit, groupInfo: change.groupInfo, welcome: welcome)
        let request = GroupSendRequest(id: .random(), generation: 0, epoch: change.epoch, seen: 0, content: content)
        _ = try await caller.send(request, in: room)
    }

    /// Why the relay does not take a commit with this Welcome; `nil` where it does.
    func refusal(of change: Change, _ welcome: [UInt8], to room: RoomID) async throws -> APIErrorCode? {
        do throws(MessengerError) {
            try await send(change, welcome, to: room)
            return nil
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            return refusal.code
        }
    }
}
