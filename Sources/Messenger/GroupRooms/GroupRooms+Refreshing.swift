import MildamClientCore
import MildamIdentity
import MildamRelayAPI

/// Taking in what the relay has by now of all rooms, for who is about to look at them; and forgetting one.
extension GroupRooms {
    /// How long passes between two looks at what is waited for.
    private static var look: Duration { .milliseconds(20) }

    /// Connects at once where there is no connection, takes invitations over, reads what the relay has of the rooms, and learns
    /// what their members are called. At first it has others be able to bring this device into rooms. A room that cannot be read on
    /// is not waited for.
    public func refresh() async throws(RoomFault) {
        switch await reach() {
        case .connected: break
        case .waiting(let fault, _), .stopped(let fault): throw fault
        case .idle: throw Self.isBehind
        }
        let numbers: [RoomID: UInt64]
        do throws(MessengerError) {
            try await readMail()
            numbers = try await readRooms()
        } catch {
            throw RoomFault(error)
        }
        while lacksAny(of: numbers) {
            guard link != nil else { throw obstacle ?? RoomFault("unreachable") }
            do { try await Task.sleep(for: Self.look) } catch { throw Self.isBehind }
        }
        for _ in 0..<Self.looksForStock where link != nil && !stored.core.hasKeyPackagesAtRelay {
            do { try await Task.sleep(for: Self.look) } catch { break }
        }
        // What keeps names from being learnt keeps nobody from reading.
        try? await readLists()
    }

    /// How often it is looked whether others can bring this device into rooms: for three seconds.
    private static var looksForStock: Int { 150 }

    /// Not all that the relay has was read in the time that there was.
    private static var isBehind: RoomFault { RoomFault("behind") }

    /// Whether there is a room of which the relay has more than was read.
    private func lacksAny(of numbers: [RoomID: UInt64]) -> Bool {
        numbers.contains { id, number in
            guard let room = present[id], room.trouble == nil else { return false }
            switch room.standing {
            case .invited, .member: return room.history.number < number
            case .beginning, .requested, .seated, .left, .removed: return false
            }
        }
    }

    /// Learns a moment later what accounts are called that came into rooms.
    func getToKnow() {
        guard link != nil, !isGettingToKnow else { return }
        isGettingToKnow = true
        Task { [weak self] in
            try? await Task.sleep(for: .milliseconds(50))
            await self?.learnNames()
        }
    }

    private func learnNames() async {
        isGettingToKnow = false
        try? await readLists()
    }

    /// Drops everything that is here of a room that the account is not in any more.
    public func forget(_ room: RoomID) async throws(RoomFault) {
        guard let known = present[room] else { throw .noSuchRoom(room) }
        guard known.standing == .left || known.standing == .removed else {
            throw RoomFault("wrong-standing", ["standing": RoomOverview.Standing(known.standing).rawValue])
        }
        try take([.forget(room)])
        titles.forget(room)
        asleep[room] = nil
        link?.followed.remove(room)
    }
}
