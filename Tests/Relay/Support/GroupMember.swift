import Foundation
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamSystem
import MildamTransport
import MildamWire
import Testing

@testable import MildamRelay

/// Somebody whose device is in groups of MLS.
struct GroupMember: Sendable {
    var person: Person
    let credential: Credential
    /// The device list that names it.
    let list: Signed<DeviceList>

    init(_ name: String, on relay: TestRelay) async throws {
        person = try await Person(name, on: relay)
        let next = Curve25519.Signing.PrivateKey().publicKey
        let record = DeviceRecord(
            relay: relay.server.relay,
            account: person.account,
            device: person.device,
            signatureKey: person.keys.signing.publicKey,
            agreementKey: person.keys.agreement.publicKey,
            notAfter: 4_000_000_000,
            succession: IdentitySuccession(since: 1, nextIdentity: IdentitySuccession.commitment(to: next))
        )
        let own = DeviceCredential(
            identityKey: person.identity.publicKey,
            record: Signed(record, by: person.identity)
        )
        credential = own.mls
        list = Signed(
            DeviceList(relay: relay.server.relay, account: person.account, number: 1, records: [record]),
            by: person.identity
        )
    }

    var environment: GroupEnvironment {
        GroupEnvironment(
            authentication: RoomAuthentication(),
            policy: RoomPolicy(),
            now: { UInt64(clamping: WallClock.system.seconds) }
        )
    }

    /// A key package, with its private keys.
    func bundle(isLastResort: Bool = false) throws -> KeyPackageBundle {
        let now = UInt64(clamping: WallClock.system.seconds)
        return try KeyPackageBundle(
            credential,
            signer: SignatureKeyPair(.x25519ChaChaPoly, rawRepresentation: person.keys.signing.rawRepresentation),
            capabilities: Capabilities(extensions: [RoomExtension.extensionType]),
            lifetime: Lifetime(notBefore: now - 3_600, notAfter: now + 29 * 86_400),
            extensions: Extensions(isLastResort ? [Extension(type: .lastResort, data: [])] : [])
        )
    }

    /// A group of this device alone, which begins a room.
    func group(_ room: RoomID) throws -> Group {
        let own = RoomExtension(room: room, roles: [person.account: .owner])
        return try Group(
            with: bundle(),
            extensions: Extensions([RoomExtension.requirements, own.mls]),
            environment: environment
        )
    }

    /// Makes the room of a group that begins.
    func create(_ room: RoomID, _ group: Group) async throws -> HTTPResponse {
        let info = MLSMessage.groupInfo(try group.groupInfo(sendsTree: false)).wireBytes
        let request = CreateGroupRequest(groupInfo: info, ratchetTree: group.ratchetTree)
        return try await person.ask(.put, Routes.createGroup.at(room).text, body: request.wireBytes)
    }

    /// Publishes key packages.
    func publish(_ bundles: [KeyPackageBundle]) async throws -> HTTPResponse {
        let upload = KeyPackageUpload(bundles.map { MLSMessage.keyPackage($0.keyPackage).wireBytes })
        return try await person.ask(.put, Routes.putKeyPackages.path, body: upload.wireBytes)
    }

    /// Commits, with these coming in; it counts once it was ordered.
    func commit(
        _ group: inout Group,
        adding keyPackages: [KeyPackage] = [],
        removing leaves: [LeafIndex] = [],
        because reason: CommitReason = CommitReason()
    ) throws -> GroupSendRequest.Content {
        var options = CommitOptions()
        options.proposals = keyPackages.map(Proposal.add) + leaves.map(Proposal.remove)
        options.framing = .publicMessage
        options.authenticatedData = reason.wireBytes
        options.sendsTree = false
        options.sendsGroupInfo = true
        let made = try group.commit(options)
        return .commit(
            made.commit.wireBytes,
            groupInfo: made.groupInfo?.wireBytes ?? [],
            welcome: made.welcome?.wireBytes ?? []
        )
    }

    /// Brings somebody into a room.
    func add(
        _ other: GroupMember,
        to room: RoomID,
        _ group: inout Group,
        showing links: [ShownLink] = []
    ) async throws -> HTTPResponse {
        let epoch = group.publicGroup.context.epoch
        let added = try commit(&group, adding: [other.bundle().keyPackage])
        let answer = try await send(added, to: room, epoch: epoch, showing: links)
        try group.mergeStagedCommit()
        return answer
    }

    /// Sends something to a group.
    func send(
        _ content: GroupSendRequest.Content,
        to room: RoomID,
        epoch: UInt64,
        seen: UInt64 = 0,
        generation: UInt32 = 0,
        id: MessageID = .random(),
        blobs: [BlobID] = [],
        showing links: [ShownLink] = []
    ) async throws -> HTTPResponse {
        let request = GroupSendRequest(
            id: id,
            generation: generation,
            epoch: epoch,
            seen: seen,
            content: content,
            blobs: blobs,
            links: links
        )
        return try await person.ask(.post, Routes.sendToGroup.at(room).text, body: request.wireBytes)
    }

    /// Says something.
    func say(_ text: String, in group: inout Group, _ room: RoomID, epoch: UInt64) async throws -> HTTPResponse {
        let message = try group.protect(Array(text.utf8))
        return try await send(.application(message.wireBytes), to: room, epoch: epoch)
    }

    /// The room's log from a number on.
    func page(of room: RoomID, from number: UInt64) async throws -> MessagePage {
        try await person.ask(.get, Routes.messages.at(room, query: number).text).value()
    }

    /// Gives messages back.
    func giveBack(_ messages: [RefilledMessage], showing shown: UInt64, in room: RoomID) async throws -> HTTPResponse {
        let request = RefillRequest(shown: shown, messages: messages)
        return try await person.ask(.post, Routes.refill.at(room).text, body: request.wireBytes)
    }

    /// The last message of the room's log.
    func last(of room: RoomID, from number: UInt64) async throws -> MLSMessage? {
        let page: MessagePage = try await person.ask(.get, Routes.messages.at(room, query: number).text).value()
        return try page.messages.last.map { try MLSMessage(wireBytes: [UInt8]($0.body)) }
    }

    /// The room's group as the relay has it.
    func state(of room: RoomID) async throws -> RoomGroupState {
        let answer = try await person.ask(.get, Routes.group.at(room).text)
        return try RoomGroupState(wireBytes: answer.body)
    }
}

extension GroupMember {
    /// Comes into a room by the Welcome in its mailbox.
    func join(_ room: RoomID, with bundle: KeyPackageBundle) async throws -> Group {
        let mail: MailboxPage = try await person.ask(.get, Routes.mailbox.at(query: 1).text).value()
        let item = try #require(mail.items.last { $0.room == room })
        let welcome = try WelcomeItem(wireBytes: [UInt8](item.body))
        let target = Routes.groupTree.at(room, query: (Int(welcome.generation), Int(welcome.epoch))).text
        let tree = try await person.ask(.get, target).body
        guard case .welcome(let own) = try MLSMessage(wireBytes: welcome.welcome) else { throw CancellationError() }
        return try Group(
            joining: own,
            with: bundle,
            ratchetTree: tree,
            environment: environment,
            isKnown: { _ in false }
        )
    }

    /// Puts up a GroupInfo of an epoch.
    func put(_ info: GroupInfo, of room: RoomID, epoch: UInt64) async throws -> HTTPResponse {
        let encoded = MLSMessage.groupInfo(info).wireBytes
        let request = GroupInfoRequest(generation: 0, epoch: epoch, groupInfo: encoded)
        return try await person.ask(.put, Routes.putGroupInfo.at(room).text, body: request.wireBytes)
    }

    /// A group that is to follow another one in its room, with seats for all other members.
    func group(after last: Group, changing change: (inout RoomExtension) -> Void = { _ in }) throws -> Group {
        let members = try RoomMembers(of: last.publicGroup)
        let others = members.accounts.subtracting([person.account])
        var binding = RoomExtension(
            room: members.room.room,
            generation: members.room.generation + 1,
            previous: PreviousGroup(endingWith: last.publicGroup.context),
            roles: members.room.roles,
            seats: others.compactMap { account in
                members.identity(of: account).map { Seat(account: account, identity: $0) }
            },
            policy: members.room.policy
        )
        change(&binding)
        return try Group(
            with: bundle(),
            extensions: Extensions([RoomExtension.requirements, binding.mls]),
            environment: environment
        )
    }

    /// Begins a room's next generation.
    func renew(
        _ room: RoomID,
        by next: Group,
        epoch: UInt64,
        seen: UInt64 = 0,
        id: MessageID = .random()
    ) async throws -> HTTPResponse {
        let info = MLSMessage.groupInfo(try next.groupInfo()).wireBytes
        return try await renew(room, by: info, epoch: epoch, seen: seen, id: id)
    }

    /// The same with any bytes.
    func renew(
        _ room: RoomID,
        by info: [UInt8],
        epoch: UInt64,
        seen: UInt64 = 0,
        id: MessageID = .random()
    ) async throws -> HTTPResponse {
        let request = GenerationRequest(id: id, generation: 0, epoch: epoch, seen: seen, groupInfo: info)
        return try await person.ask(.post, Routes.renewRoom.at(room).text, body: request.wireBytes)
    }
}
