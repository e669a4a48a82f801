import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import MildamWire

/// What came of something that was sent to a group.
enum GroupSendAnswer: Sendable {
    /// It is in the log, under this number.
    case taken(number: UInt64)
    /// Others were first, or somebody leaves whom the commit does not name; and what the sender has not seen.
    case overtaken(APIError, missed: MessagePage?)
}

/// Rooms that are MLS groups.
extension RelayClient {
    func createGroup(
        _ request: CreateGroupRequest,
        as room: RoomID,
        _ access: RelayAccess
    ) async throws(MessengerError) -> RoomState {
        try await ask(Routes.createGroup.at(room), request, showing: access)
    }

    func group(_ room: RoomID, _ access: RelayAccess) async throws(MessengerError) -> RoomGroupState {
        try await ask(Routes.group.at(room), showing: access)
    }

    func groupTree(
        of room: RoomID,
        generation: UInt32,
        epoch: UInt64,
        _ access: RelayAccess
    ) async throws(MessengerError) -> [UInt8] {
        guard epoch <= UInt64(Limits.epoch) else { throw .outOfBounds }
        return try await ask(Routes.groupTree.at(room, query: (Int(generation), Int(epoch))), showing: access)
    }

    func sendToGroup(
        _ request: GroupSendRequest,
        in room: RoomID,
        _ access: RelayAccess
    ) async throws(MessengerError) -> GroupSendAnswer {
        let target = Routes.sendToGroup.at(room)
        let response = try await exchange(
            target,
            showing: access,
            body: request.wireBytes,
            passing: [.staleEpoch, .proposalsDue]
        )
        guard (200..<300).contains(response.status) else {
            guard let body = try? JSONDecoder().decode(APIErrorBody.self, from: Data(response.body)),
                body.isWithinBounds
            else { throw .outOfBounds }
            return .overtaken(body.error, missed: body.missed)
        }
        return .taken(number: try decode(response, from: target).number)
    }

    func keyPackages(_ access: RelayAccess) async throws(MessengerError) -> KeyPackageCount {
        try await ask(Routes.keyPackages.at(), showing: access)
    }

    func putKeyPackages(
        _ upload: KeyPackageUpload,
        _ access: RelayAccess
    ) async throws(MessengerError) -> KeyPackageCount {
        try await ask(Routes.putKeyPackages.at(), upload, showing: access)
    }

    func claimKeyPackages(
        of handle: Handle,
        _ request: ClaimRequest,
        _ access: RelayAccess
    ) async throws(MessengerError) -> ClaimedKeyPackages {
        try await ask(Routes.claimKeyPackages.at(handle), request, showing: access)
    }

    /// Rooms of the account, those behind one.
    func rooms(after room: RoomID?, _ access: RelayAccess) async throws(MessengerError) -> RoomList {
        try await ask(Routes.rooms.at(query: room), showing: access)
    }
}
