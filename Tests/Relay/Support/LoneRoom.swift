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

/// A room that is an MLS group of one device, as far as a relay can look into it: what is said there nobody could open.
struct LoneRoom: Sendable {
    let id: RoomID
    /// What makes it.
    let creation: CreateGroupRequest
    private let group: [UInt8]

    /// A room that the relay is yet to be told of.
    ///
    /// - Parameter strangers: of how many who are not in it its context says something.
    init(
        of account: AccountID,
        _ keys: DeviceKeys,
        _ identity: Curve25519.Signing.PrivateKey,
        at relay: RelayID,
        as id: RoomID = .random(),
        strangers: Int = 0
    ) throws {
        let now = UInt64(clamping: WallClock.system.seconds)
        let next = IdentitySuccession.commitment(to: Curve25519.Signing.PrivateKey().publicKey)
        let record = keys.record(
            relay: relay,
            account: account,
            notAfter: 4_000_000_000,
            succession: IdentitySuccession(since: 1, nextIdentity: next)
        )
        let credential = DeviceCredential(identityKey: identity.publicKey, record: Signed(record, by: identity))
        let bundle = try KeyPackageBundle(
            credential.mls,
            signer: SignatureKeyPair(.x25519ChaChaPoly, rawRepresentation: keys.signing.rawRepresentation),
            capabilities: Capabilities(extensions: [RoomExtension.extensionType]),
            lifetime: Lifetime(notBefore: now - 3_600, notAfter: now + 29 * 86_400)
        )
        var roles: [AccountID: RoomRole] = [account: .owner]
        for _ in 0..<strangers { roles[.random()] = .admin }
        let binding = RoomExtension(room: id, roles: roles)
        let group = try Group(
            with: bundle,
            extensions: Extensions([RoomExtension.requirements, binding.mls]),
            environment: GroupEnvironment(
                authentication: RoomAuthentication(),
                policy: RoomPolicy(),
                now: { now }
            )
        )
        let info = MLSMessage.groupInfo(try group.groupInfo(sendsTree: false)).wireBytes
        self.id = id
        creation = CreateGroupRequest(groupInfo: info, ratchetTree: group.ratchetTree)
        self.group = group.publicGroup.context.groupID.bytes
    }

    /// A room of somebody's that the relay is yet to be told of.
    init(of person: Person, as id: RoomID = .random()) throws {
        try self.init(of: person.account, person.keys, person.identity, at: person.relay.server.relay, as: id)
    }

    /// A message with this in the place of what members alone could open.
    func message(_ content: [UInt8], epoch: UInt64 = 0) -> [UInt8] {
        var writer = WireWriter(capacity: content.count + 96)
        writer.integer(UInt16(1))  // mls10
        writer.integer(UInt16(2))  // mls_private_message
        writer.vector(group)
        writer.integer(epoch)
        writer.integer(UInt8(1))  // application
        writer.vector([UInt8]())  // authenticated_data
        writer.vector([UInt8](repeating: 0, count: 28))  // encrypted_sender_data
        writer.vector(content)
        return writer.bytes
    }

    /// Something said.
    func saying(
        _ content: [UInt8],
        as id: MessageID = .random(),
        blobs: [BlobID] = []
    ) -> GroupSendRequest {
        GroupSendRequest(
            id: id,
            generation: 0,
            epoch: 0,
            seen: 0,
            content: .application(message(content)),
            blobs: blobs
        )
    }
}

extension Person {
    /// Makes a room of one's own that is an MLS group.
    func makeRoom() async throws -> LoneRoom {
        let room = try LoneRoom(of: self)
        let answer = try await make(room)
        try #require(answer.status == 201, "\(answer.status)")
        return room
    }

    /// Asks for a room to be made.
    func make(_ room: LoneRoom) async throws -> HTTPResponse {
        try await ask(.put, Routes.createGroup.at(room.id).text, body: room.creation.wireBytes)
    }

    /// Says something there, which may tell of blobs.
    func say(_ text: String, in room: LoneRoom, blobs: [BlobID] = []) async throws -> HTTPResponse {
        let request = room.saying(Array(text.utf8), blobs: blobs)
        return try await ask(.post, Routes.sendToGroup.at(room.id).text, body: request.wireBytes)
    }
}

/// Somebody at a relay in a process of its own, with a room of their own.
struct RoomOwner: Sendable {
    let relay: OutsideRelay
    let token: String
    let room: LoneRoom

    /// Registers somebody and makes their room.
    init(_ name: String, at relay: OutsideRelay) async throws {
        let request = try Person.registration(name, relay: relay.id)
        let registered = try await relay.ask(Routes.register.at(), nil, request.body)
        let token = try registered.value(SessionTokens.self).access
        let room = try LoneRoom(of: request.account, request.keys, request.identity, at: relay.id)
        let place = Routes.createGroup.at(room.id).text
        let answer = try await relay.ask(.put, place, token, bytes: room.creation.wireBytes)
        try #require(answer.status == 201, "\(answer.status)")
        self.relay = relay
        self.token = token
        self.room = room
    }

    /// Says something there.
    func say(_ content: [UInt8]) async throws -> HTTPResponse {
        let place = Routes.sendToGroup.at(room.id).text
        return try await relay.ask(.post, place, token, bytes: room.saying(content).wireBytes)
    }
}
