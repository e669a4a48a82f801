import MildamIdentity

/// The rooms that strangers want this account in, where those are MLS groups, before a person has looked at any: one item each.
/// Numbers are given by ``RequestBook``.
///
/// Bounded for each sender and in all, as that is: of too much, the oldest of the sender who has most gives way, and never a
/// known person's for a stranger's.
struct RoomRequests: Codable, Sendable {
    /// A room that waits.
    struct Item: Codable, Sendable, Equatable {
        /// Its number, which is given once.
        var number: Int64
        /// The account that it is from, by the relay's word.
        var account: AccountID
        /// What that is called, by the relay's word; `nil` until the relay was asked.
        var handle: Handle?
        /// The room.
        let room: RoomID
        /// Which of the room's groups it is.
        var generation: UInt32
        /// The epoch that the Welcome leads to; `nil` where there is none, and the account has a seat.
        var epoch: UInt64?
        /// How many bytes wait.
        var size: Int
        /// When it was taken from the mailbox, in milliseconds since 1970.
        var received: Int64
        /// Whether it is from somebody known, whose Welcome was not what it should be.
        var isKnown: Bool
    }

    /// What became of an item.
    enum Outcome: Equatable {
        /// It has a place; these gave way.
        case kept(dropped: [Item])
        /// There is no place for it, or somebody else has asked for the same room before.
        case full
    }

    /// All of them, the oldest first.
    private(set) var all: [Item] = []

    /// The one for a room.
    func item(for room: RoomID) -> Item? { all.first { $0.room == room } }

    /// Takes an item in. A newer one of the same sender for the same room takes the place of the former, under its number.
    mutating func add(_ item: Item) -> Outcome {
        if let index = all.firstIndex(where: { $0.room == item.room }) {
            guard all[index].account == item.account else { return .full }
            var renewed = item
            (renewed.number, renewed.handle) = (all[index].number, item.handle ?? all[index].handle)
            all[index] = renewed
            return .kept(dropped: [])
        }
        let before = self
        var dropped: [Item] = []
        while all.count(where: { $0.account == item.account }) >= RequestBook.itemsOfOne {
            guard let oldest = all.first(where: { $0.account == item.account }) else { break }
            dropped += remove([oldest.room])
        }
        while item.isKnown, all.count(where: \.isKnown) >= RequestBook.itemsOfKnown {
            guard let oldest = oldestOfWhoHasMost(known: true) else { break }
            dropped += remove([oldest.room])
        }
        while all.count >= RequestBook.items {
            guard let oldest = oldestOfWhoHasMost(known: false) else {
                self = before
                return .full
            }
            dropped += remove([oldest.room])
        }
        all.append(item)
        return .kept(dropped: dropped)
    }

    /// Removes the items for these rooms.
    ///
    /// - Returns: those that were there.
    @discardableResult
    mutating func remove(_ rooms: Set<RoomID>) -> [Item] {
        let gone = all.filter { rooms.contains($0.room) }
        all.removeAll { rooms.contains($0.room) }
        return gone
    }

    /// Notes how many bytes wait for a room. Where that is too much, what is oldest gives way.
    mutating func weigh(_ room: RoomID, _ size: Int) {
        guard let index = all.firstIndex(where: { $0.room == room }) else { return }
        all[index].size = size
        let account = all[index].account
        while bytes({ $0.account == account }) > RequestBook.bytesOfOne,
            let oldest = all.first(where: { $0.account == account })
        {
            remove([oldest.room])
        }
        while bytes({ $0.isKnown }) > RequestBook.bytesOfKnown, let oldest = oldestOfWhoHasMost(known: true) {
            remove([oldest.room])
        }
        while bytes({ _ in true }) > RequestBook.bytes, let oldest = oldestOfWhoHasMost(known: false) {
            remove([oldest.room])
        }
    }

    private func bytes(_ isMeant: (Item) -> Bool) -> Int { all.filter(isMeant).reduce(0) { $0 + $1.size } }

    /// Notes what an account is called.
    mutating func name(_ account: AccountID, _ handle: Handle) {
        for index in all.indices where all[index].account == account { all[index].handle = handle }
    }

    private func oldestOfWhoHasMost(known isKnown: Bool) -> Item? {
        let part = all.filter { $0.isKnown == isKnown }
        var counts: [AccountID: Int] = [:]
        for item in part { counts[item.account, default: 0] += 1 }
        let most = counts.values.max()
        return part.first { counts[$0.account] == most }
    }
}
