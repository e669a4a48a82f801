import MildamClientCore
import MildamIdentity
import MildamRelayAPI

extension RecordKind {
    /// The rooms that were accepted, of which the relay is to be told; one, under an empty name.
    static var untoldRooms: RecordKind<Set<RoomID>> { RecordKind<Set<RoomID>>(text: "untold rooms") }
}

/// Telling the relay which rooms are the account's own: whoever is in one of them is no stranger to its mailbox from then on. What is
/// to be told is in the profile before the person is in the room, and goes when the relay has heard it.
extension GroupRooms {
    /// A room is about to be accepted.
    ///
    /// - Throws: `not-stored`.
    func note(untold room: RoomID) async throws(RoomFault) {
        untold.insert(room)
        do throws(MessengerError) { try await messenger.keep(untold: untold) } catch { throw .notStored(error) }
    }

    /// Tells the relay of the rooms that the person has come into. What keeps it from hearing that keeps nobody from reading.
    func tellAccepted() async throws(MessengerError) {
        for room in untold.sorted() {
            switch present[room]?.standing {
            case .beginning, .requested, .seated, .invited: continue
            case .member: guard try await isTold(room) else { continue }
            case .left, .removed, nil: break
            }
            untold.remove(room)
            try await messenger.keep(untold: untold)
        }
    }

    /// - Returns: whether the relay has heard it, or will never hear it.
    private func isTold(_ room: RoomID) async throws(MessengerError) -> Bool {
        do throws(MessengerError) {
            try await relay.door.ask { (relay, access) throws(MessengerError) in
                try await relay.acceptRoom(room, access)
            }
            return true
        } catch {
            guard case .refused(let refusal) = error, let meaning = RelayRefusal(refusal) else { throw error }
            return !meaning.mayPass
        }
    }
}

extension Messenger {
    /// The rooms that were accepted, of which the relay is to be told.
    func untoldRooms() async throws(MessengerError) -> Set<RoomID> {
        try await alone { (_, store) throws(MessengerError) in try store.record(.untoldRooms, []) ?? [] }
    }

    fileprivate func keep(untold rooms: Set<RoomID>) async throws(MessengerError) {
        try await alone { (_, store) throws(MessengerError) in try store.put(rooms, as: .untoldRooms, []) }
    }
}
