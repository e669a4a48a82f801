import MildamIdentity

/// What strangers ask for, before a person has looked at any of it. What it came with is kept elsewhere, under its number.
///
/// Bounded for each sender, for those who claim to be known, and in all: of too much, the oldest of the sender who has most
/// gives way, and never a known person's for a stranger's.
struct RequestBook: Codable, Sendable {
    /// One item that waits.
    struct Item: Codable, Sendable, Equatable {
        /// Its number, which is given once.
        var number: Int64
        /// The account that it claims to be from.
        var account: AccountID
        /// The handle that it claims to be from.
        var handle: Handle
        /// The room it is for.
        var room: RoomID
        /// Its size, in bytes.
        var size: Int
        /// When it was taken from the mailbox, in milliseconds since 1970.
        var received: Int64
        /// Whether the account that it claims to be from is a known one.
        var isKnown: Bool
    }

    /// What became of an item.
    enum Outcome: Equatable {
        /// It has this number; those with these ones gave way.
        case kept(Int64, dropped: [Int64])
        /// There is no place for it.
        case full
    }

    /// How many items one sender can have here.
    static let itemsOfOne = 8
    /// How many bytes.
    static let bytesOfOne = 512 * 1024
    /// How many items there can be in all.
    static let items = 200
    /// How many bytes.
    static let bytes = 4 * 1024 * 1024
    /// How many of them can claim to be from known accounts: that is said easily, and strangers find a place all the same.
    static let itemsOfKnown = 100
    /// How many bytes.
    static let bytesOfKnown = 2 * 1024 * 1024

    /// All of them, the oldest first.
    private(set) var all: [Item] = []
    private var last: Int64 = 0

    /// The first item of each sender for each room: what a person is asked. What follows it goes with it.
    var asked: [Item] {
        var seen: Set<[String]> = []
        return all.filter { seen.insert([$0.account.description, $0.room.description]).inserted }
    }

    /// Takes an item in.
    ///
    /// - Parameter now: milliseconds since 1970.
    mutating func add(_ arrival: Arrival, isKnown: Bool, at now: Int64) -> Outcome {
        guard arrival.size <= Self.bytesOfOne else { return .full }
        let before = self
        var dropped: [Int64] = []
        while !Self.fits(arrival, into: all.filter { $0.account == arrival.account }, Self.itemsOfOne, Self.bytesOfOne)
        {
            guard let oldest = all.first(where: { $0.account == arrival.account }) else { break }
            dropped += remove([oldest.number])
        }
        while isKnown, !Self.fits(arrival, into: all.filter(\.isKnown), Self.itemsOfKnown, Self.bytesOfKnown),
            let oldest = oldestOfWhoHasMost(known: true)
        {
            dropped += remove([oldest.number])
        }
        while !Self.fits(arrival, into: all, Self.items, Self.bytes) {
            guard let oldest = oldestOfWhoHasMost(known: false) else {
                self = before
                return .full
            }
            dropped += remove([oldest.number])
        }
        last += 1
        all.append(
            Item(
                number: last,
                account: arrival.account,
                handle: arrival.handle,
                room: arrival.room,
                size: arrival.size,
                received: now,
                isKnown: isKnown
            )
        )
        return .kept(last, dropped: dropped)
    }

    /// Removes the items with these numbers.
    ///
    /// - Returns: the numbers of those that were there.
    @discardableResult
    mutating func remove(_ numbers: Set<Int64>) -> [Int64] {
        let gone = all.map(\.number).filter(numbers.contains)
        all.removeAll { numbers.contains($0.number) }
        return gone
    }

    /// Everything of one sender for one room.
    func items(of account: AccountID, for room: RoomID) -> [Item] {
        all.filter { $0.account == account && $0.room == room }
    }

    private static func fits(_ arrival: Arrival, into present: [Item], _ items: Int, _ bytes: Int) -> Bool {
        present.count < items && present.reduce(arrival.size) { $0 + $1.size } <= bytes
    }

    private func oldestOfWhoHasMost(known isKnown: Bool) -> Item? {
        let part = all.filter { $0.isKnown == isKnown }
        var counts: [AccountID: Int] = [:]
        for item in part { counts[item.account, default: 0] += 1 }
        let most = counts.values.max()
        return part.first { counts[$0.account] == most }
    }
}
