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
        try await send(request.wireBytes, to: Routes.sendToGroup.at(room), access)
    }

    private func send<Body>(
        _ body: [UInt8],
        to target: RouteTarget<Body, SendReceipt>,
        _ access: RelayAccess
    ) async throws(MessengerError) -> GroupSendAnswer {
        let response = try await exchange(
            target,
            showing: access,
            body: body,
            passing: [.staleEpoch, .proposalsDue]
        )
        guard (200..<300).contains(response.status) else {
            guard let refused = try? JSONDecoder().decode(APIErrorBody.self, from: Data(response.body)),
                refused.isWithinBounds
            else { throw .outOfBounds }
            return .overtaken(refused.error, missed: refused.missed)
        }
        return .taken(number: try decode(response, from: target).number)
    }

    func putGroupInfo(
        _ request: GroupInfoRequest,
        in room: RoomID,
        _ access: RelayAccess
    ) async throws(MessengerError) {
        try await ask(Routes.putGroupInfo.at(room), request, showing: access)
    }

    func renewRoom(
        _ request: GenerationRequest,
        in room: RoomID,
        _ access: RelayAccess
    ) async throws(MessengerError) -> GroupSendAnswer {
        try await send(request.wireBytes, to: Routes.renewRoom.at(room), access)
    }

    func refill(
        _ request: RefillRequest,
        in room: RoomID,
        _ access: RelayAccess
    ) async throws(MessengerError) -> MessagePage {
        try await ask(Routes.refill.at(room), request, showing: access)
    }

    /// Records of accounts by their ids.
    func bundles(_ query: AccountQuery, _ access: RelayAccess) async throws(MessengerError) -> AccountAnswers {
        try await ask(Routes.bundles.at(), query, showing: access)
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
