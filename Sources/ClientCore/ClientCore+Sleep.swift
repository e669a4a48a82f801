import MildamIdentity
import MildamMLS

/// Which rooms have their groups in memory: few, those that were used last.
extension ClientCore {
    /// How many rooms have their groups in memory, unless a client is told otherwise.
    public static let awakeRooms = 32

    /// The rooms that are asleep, and whose groups a step needs; see ``wake(_:with:)``.
    ///
    /// Those that something happens in come first. Of those that have something to do by themselves, as many as there is room for:
    /// the step wants another one at once for the others.
    public func sleepers(neededBy happenings: [Happening], at moment: Moment) -> [RoomID] {
        let named = Set(happenings.compactMap { roomThatNeedsItsGroup(for: $0) })
        let draft = self.draft(at: moment)
        let working = rooms.compactMap { (id, room) -> RoomID? in
            isConnected && !named.contains(id) && room.lacksGroup(draft) ? id : nil
        }
        let free = max(1, mostAwake - rooms.values.count { !$0.isAsleep && $0.group != nil } - named.count)
        return named.sorted() + working.sorted().prefix(free)
    }

    private func roomThatNeedsItsGroup(for happening: Happening) -> RoomID? {
        let id: RoomID? =
            switch happening {
            case .welcome(let welcome): welcome.room
            case .wish(let room, _, id: _), .decline(let room, id: _), .seat(let room, generation: _): room
            case .live(let page): rooms[page.room]?.lacksGroup(toTake: page) ?? false ? page.room : nil
            case .reply(let request, let reply): room(thatTakes: reply, to: request)
            case .groupInfoWanted(let room, _, let epoch):
                rooms[room]?.outline?.epoch == epoch ? room : nil
            case .connected, .disconnected, .tick, .stock, .create, .createAfter, .device, .list, .closing, .pin, .kept,
                .lost, .said, .noMember, .drop, .forget:
                nil
            }
        return id.flatMap { rooms[$0]?.isAsleep ?? false ? $0 : nil }
    }

    private func room(thatTakes reply: RelayReply, to request: RequestID) -> RoomID? {
        guard case .room(let room)? = asked[request] else { return nil }
        return switch reply {
        case .page(let page), .refilled(let page): rooms[room]?.lacksGroup(toTake: page) ?? false ? room : nil
        case .unreachable: nil
        case .accepted, .done, .staleEpoch, .proposalsDue, .refused, .group, .claimed: room
        }
    }

    /// Gives a room its group; `nil` where it is damaged, and the device is to come back.
    public mutating func wake(_ room: RoomID, with group: Group?) {
        guard let asleep = rooms[room], asleep.isAsleep else { return }
        if let group {
            rooms[room] = asleep.awake(with: group)
        } else {
            damaged.insert(room)
        }
    }

    /// Lets rooms sleep that were not used for the longest time and have nothing to do, once the step is stored.
    public mutating func rest(at moment: Moment) {
        let awake = rooms.compactMap { (id, room) -> RoomID? in room.group == nil ? nil : id }
        guard awake.count > mostAwake else { return }
        let draft = self.draft(at: moment)
        var left = awake.count - mostAwake
        let used = Set(lastUsed)
        for room in awake.filter({ !used.contains($0) }).sorted() + lastUsed where left > 0 {
            guard let asleep = rooms[room]?.asleep(draft) else { continue }
            rooms[room] = asleep
            left -= 1
        }
    }
}
