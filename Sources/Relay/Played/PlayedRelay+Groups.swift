import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamStorage

/// A room as a relay that is played has it.
package struct PlayedRoom: Sendable {
    /// The generation of its group.
    package let generation: UInt32
    /// The epoch of its group.
    package let epoch: UInt64
    /// The last number; 0 for none.
    package let last: UInt64
    /// Who is in it, by the group.
    package let members: RoomMembers
    /// The leaves whose SelfRemoves wait.
    package let leaving: Set<LeafIndex>
}

/// Rooms that are MLS groups.
extension PlayedRelay {
    /// Makes a room.
    package func create(
        _ request: CreateGroupRequest,
        as room: RoomID,
        by device: PlayedDevice
    ) -> Result<RoomState, APIError> {
        let sender = device.sender
        let checked = look { book throws(GroupBookError) in try book.check(request, as: room, by: sender) }
        switch checked {
        case .failure(let refusal): return .failure(refusal)
        case .success(let group):
            let result = perform(CreateGroup(id: room, sender: sender, group: group, policy: .open))
            restoration.begin(room, with: result)
            return result
        }
    }

    /// Takes a message, a proposal or a commit.
    package func send(
        _ request: GroupSendRequest,
        to room: RoomID,
        by device: PlayedDevice
    ) -> Result<SendReceipt, APIError> {
        let result = take(request, to: room, by: device.sender)
        if result == .failure(.membersAreAwaited) { goOnTakingBack(in: room, by: device) }
        restoration.goOn(in: room, with: result)
        return result
    }

    private func take(
        _ request: GroupSendRequest,
        to room: RoomID,
        by sender: Sender
    ) -> Result<SendReceipt, APIError> {
        guard request.kind != .application else { return say(request, in: room, sender) }
        let checked = look { book throws(GroupBookError) in
            try book.check(request, for: room, by: sender, overtaken, at: time)
        }
        switch checked {
        case .failure(let refusal): return perform(AnswerRepeated(request, to: room, by: sender, refusal: refusal))
        case .success(let content):
            return perform(SendToGroup(request, content, to: room, by: sender, in: restoration.room(room)))
        }
    }

    private func say(_ request: GroupSendRequest, in room: RoomID, _ sender: Sender) -> Result<SendReceipt, APIError> {
        do throws(APIError) {
            try RelayService.checkApplication(request)
        } catch {
            return .failure(error)
        }
        let result = perform(SendToGroup(request, .application, to: room, by: sender, in: restoration.room(room)))
        if limitsRates { overtaken.note(result, of: request, by: sender, in: room, at: time.steady) }
        return result
    }

    /// Begins a room's next generation.
    package func renew(
        _ request: GenerationRequest,
        in room: RoomID,
        by device: PlayedDevice
    ) -> Result<SendReceipt, APIError> {
        let sender = device.sender
        let checked = look { book throws(GroupBookError) in
            try book.check(request, for: room, by: sender, overtaken, at: time)
        }
        switch checked {
        case .failure(let refusal): return perform(AnswerRepeated(request, of: room, by: sender, refusal: refusal))
        case .success(let group):
            let result = perform(RenewRoom(request, group, of: room, by: sender, in: restoration.room(room)))
            restoration.goOn(in: room, with: result)
            return result
        }
    }

    /// Keeps another GroupInfo of the present epoch.
    package func put(
        _ request: GroupInfoRequest,
        in room: RoomID,
        by device: PlayedDevice
    ) -> Result<Void, APIError> {
        let sender = device.sender
        let checked = look { book throws(GroupBookError) in try book.check(request, for: room, by: sender) }
        switch checked {
        case .failure(let refusal): return .failure(refusal)
        case .success(let info): return perform(PutGroupInfo(room: room, sender: sender, info: info))
        }
    }

    /// The present group.
    package func group(of room: RoomID, by device: PlayedDevice) -> Result<RoomGroupState, APIError> {
        read { (reads) throws(StorageError) -> Result<RoomGroupState, APIError> in
            switch try reads.groupState(of: room, for: device.account).result {
            case .failure(let refusal): return .failure(refusal)
            case .success(nil): return .failure(.noGroup)
            case .success(let state?) where state.groupInfos.isEmpty: return .failure(.noGroupInfo)
            case .success(let state?): return .success(state)
            }
        }
    }

    /// The tree of the group in an epoch.
    package func tree(
        of room: RoomID,
        generation: UInt32,
        epoch: UInt64,
        by device: PlayedDevice
    ) -> Result<[UInt8], APIError> {
        look { book throws(GroupBookError) in
            let stored = try book.present(room, for: device.account)
            return try book.group(room, generation: generation, epoch: epoch, stored).ratchetTree
        }
    }

    // MARK: What somebody who sees everything knows

    /// A room with the members of its group; `nil` for none, and for one that everybody has left.
    package func room(_ id: RoomID) -> PlayedRoom? {
        guard let room = known(id), let member = room.members.keys.min() else { return nil }
        let followed = look { book throws(GroupBookError) in try book.follow(id, try book.present(id, for: member)) }
        guard case .success(let group) = followed else { return nil }
        return PlayedRoom(
            generation: room.generation,
            epoch: room.epoch,
            last: room.next - 1,
            members: group.members,
            leaving: group.waiting
        )
    }

    /// The last number of a room; 0 for none.
    package func last(of room: RoomID) -> UInt64 { known(room).map { $0.next - 1 } ?? 0 }

    /// A message that the log has.
    package func message(_ number: UInt64, in room: RoomID) -> RoomMessage? {
        let found: Result<RoomMessage?, APIError> = read { reads throws(StorageError) in
            .success(try reads.message(number, in: room))
        }
        return try? found.get()
    }

    /// The numbers that were given up, ascending.
    package func lost(in room: RoomID) -> [ClosedRange<UInt64>] {
        let found: Result<[ClosedRange<UInt64>], APIError> = read { reads throws(StorageError) in
            .success(try reads.lost(of: room).map { $0.first...$0.last })
        }
        return (try? found.get()) ?? []
    }

    private func known(_ id: RoomID) -> Room? {
        let found: Result<Room?, APIError> = read { reads throws(StorageError) in .success(try reads.room(id)) }
        return try? found.get()
    }
}
