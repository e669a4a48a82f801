/// What waits to be worked on, in turns by group, and within a group in turns by key: one piece of each group after the other,
/// however many keys one of them has and however much of one key waits. It is bounded in all and for each key. Pure.
struct FairTurns<Group: Hashable & Sendable, Key: Hashable & Sendable, Element: Sendable>: Sendable {
    /// Where a piece waits, so that it can be taken back.
    struct Place: Sendable {
        fileprivate let group: Group
        fileprivate let key: Key
        fileprivate let number: UInt64
    }

    /// What became of a piece that was put.
    enum Entry: Sendable {
        /// It waits.
        ///
        /// - Parameter displacing: what had to go for it: the last piece of the longest line.
        case taken(Place, displacing: Element?)
        /// Too much waits already.
        case refused
    }

    private let limit: Int
    private let share: Int
    /// A group with lines stands in the round once, even when all of them were taken back.
    private var groups: [Group: FairLines<Key, Element>] = [:]
    private var round = Rota<Group>()
    private var lastNumber: UInt64 = 0
    /// How many pieces wait.
    private(set) var count = 0

    /// - Parameters:
    ///   - limit: how many pieces may wait in all.
    ///   - share: how many of one key.
    init(limit: Int, share: Int) {
        self.limit = limit
        self.share = share
    }

    /// Adds a piece behind those of its key.
    ///
    /// When everything is full, it takes the place of the last piece of the longest line of the largest group, or of its own
    /// group where no other has more: nobody is kept out by how much others have put.
    mutating func put(_ element: Element, of key: Key, in group: Group) -> Entry {
        guard groups[group]?.count(of: key) ?? 0 < share else { return .refused }
        var displaced: Element?
        if count >= limit {
            displaced = makeRoom(for: key, in: group)
            guard displaced != nil else { return .refused }
        }
        if groups[group] == nil { round.append(group) }
        lastNumber += 1
        groups[group, default: FairLines()].put(element, numbered: lastNumber, of: key)
        count += 1
        return .taken(Place(group: group, key: key, number: lastNumber), displacing: displaced)
    }

    /// Takes back the last piece of whoever has more than there would be of this one with another.
    private mutating func makeRoom(for key: Key, in group: Group) -> Element? {
        let own = groups[group]
        var loser = group
        if let largest = groups.max(by: { $0.value.count < $1.value.count }),
            largest.value.count > (own?.count ?? 0) + 1
        {
            loser = largest.key
        }
        guard let longest = groups[loser]?.longest,
            loser != group || longest.count > (own?.count(of: key) ?? 0) + 1,
            let element = groups[loser]?.removeLast(of: longest.key)
        else { return nil }
        count -= 1
        return element
    }

    /// Takes the first piece of the key whose turn it is in the group whose turn it is.
    mutating func take() -> Element? {
        while let group = round.take() {
            let element = groups[group]?.take()
            if groups[group]?.count ?? 0 > 0 { round.append(group) } else { groups[group] = nil }
            guard let element else { continue }
            count -= 1
            return element
        }
        return nil
    }

    /// Takes a piece back.
    ///
    /// - Returns: `nil` when it waits no more.
    mutating func remove(_ place: Place) -> Element? {
        guard let element = groups[place.group]?.remove(place.number, of: place.key) else { return nil }
        count -= 1
        return element
    }
}
