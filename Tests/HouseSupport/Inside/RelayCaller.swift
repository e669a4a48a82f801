import Foundation
import MildamClientAPI
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamMessenger

/// A device of a real account that speaks to the relay directly, over connections of its own that are kept open.
package struct RelayCaller: Sendable {
    package let account: AccountID
    package let device: DeviceID
    private let relay: RelayClient
    private let access: RelayAccess

    /// Takes the account and its session from a profile.
    package init(_ person: Person, at address: String? = nil) async throws {
        let (state, access) = try await Messenger(profile: person.profile).work {
            (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            return (account, try await messenger.access(account, store))
        }
        account = state.account
        device = state.device
        relay = try RelayClient(address: address ?? person.relay, authorityFile: nil, clock: .system)
        self.access = access
    }

    /// Says what looks like a text of an epoch to the relay, which cannot open it.
    ///
    /// - Parameters:
    ///   - sample: a text of that epoch, as the relay has it.
    ///   - end: the last bytes, in the place of the sample's.
    /// - Returns: its number.
    package func say(
        like sample: RoomMessage,
        ending end: [UInt8],
        as id: MessageID = .random(),
        in room: RoomID
    ) async throws(MessengerError) -> UInt64 {
        let request = GroupSendRequest(
            id: id,
            generation: sample.generation,
            epoch: sample.epoch,
            seen: sample.number,
            content: .application(sample.body(ending: end))
        )
        return try await send(request, in: room)
    }

    /// Sends something to a room's group, as it is.
    ///
    /// - Returns: its number.
    package func send(_ request: GroupSendRequest, in room: RoomID) async throws(MessengerError) -> UInt64 {
        guard case .taken(let number) = try await relay.sendToGroup(request, in: room, access) else {
            throw .tooFast(room: "\(room)")
        }
        return number
    }

    /// Makes the room of a group.
    package func create(_ request: CreateGroupRequest, as room: RoomID) async throws(MessengerError) {
        _ = try await relay.createGroup(request, as: room, access)
    }

    /// Claims key packages of somebody's devices, one of each.
    package func keyPackages(of handle: Handle, for room: RoomID) async throws(MessengerError) -> [[UInt8]] {
        let request = ClaimRequest(id: .random(), room: room)
        return try await relay.claimKeyPackages(of: handle, request, access).entries.map(\.keyPackage)
    }

    /// The last text of a room.
    package func lastText(of room: RoomID) async throws -> RoomMessage {
        try #require(try await messages(of: room).last { $0.kind == .application }, "nothing was said")
    }

    /// Everything that a room holds, number by number.
    package func messages(of room: RoomID, from first: UInt64 = 1) async throws -> [RoomMessage] {
        var all: [RoomMessage] = []
        while true {
            let page = try await relay.messages(of: room, from: first + UInt64(all.count), access)
            all += page.messages
            if first + UInt64(all.count) >= page.next { return all }
            try #require(!page.messages.isEmpty, "an empty page before the end")
        }
    }

    /// Uploads the next piece of a blob.
    package func put(
        _ piece: [UInt8],
        of blob: BlobID,
        size: Int,
        offset: Int,
        in room: RoomID
    ) async throws(MessengerError) -> Int {
        try await relay.putPiece(piece, of: blob, size: size, offset: offset, in: room, access).received
    }

    /// How far a blob is.
    package func received(of blob: BlobID, in room: RoomID) async throws(MessengerError) -> Int {
        try await relay.blob(blob, of: room, access).received
    }

    /// A blob's bytes.
    package func content(of blob: BlobID, in room: RoomID, count: Int) async throws(MessengerError) -> [UInt8] {
        try await relay.blobContent(blob, of: room, offset: 0, count: count, access)
    }

    /// An account's records.
    package func bundle(of handle: Handle) async throws(MessengerError) -> AccountBundle {
        try await relay.account(handle, access)
    }
}

extension Person {
    /// The room's id.
    package func room(_ name: String) async throws -> RoomID {
        let link = try await clientLink()
        guard case .rooms(let rows, _) = try await link.ask(.rooms()) else { throw ClientLinkError.ended }
        return try #require(rows.first { $0.name == name }).room
    }
}

extension RoomMessage {
    /// Its bytes, with others at their end.
    package func body(ending end: [UInt8]) -> [UInt8] { Array(body.dropLast(end.count)) + end }
}
