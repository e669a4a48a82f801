/// What waits to be worked on, in turns by key: one piece of each key after the other, however much of one key waits. It is
/// bounded in all and for each key. Pure.
struct FairTurns<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    /// Where a piece waits, so that it can be taken back.
    struct Place: Sendable {
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

    private struct Piece: Sendable {
        let number: UInt64
        let element: Element
    }

    private let limit: Int
    private let share: Int
    /// A key with a line stands in the round once, even when all of its line was taken back.
    private var lines: [Key: [Piece]] = [:]
    /// Whose turns come, from `next` on.
    private var round: [Key] = []
    private var next = 0
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
    /// When everything is full, a key with a shorter line takes the place of the last piece of the longest: nobody is kept
    /// out by how much others have put.
    mutating func put(_ element: Element, of key: Key) -> Entry {
        let own = lines[key]?.count ?? 0
        guard own < share else { return .refused }
        var displaced: Element?
        if count >= limit {
            guard let longest = lines.max(by: { $0.value.count < $1.value.count })?.key,
                let length = lines[longest]?.count, length > own + 1
            else { return .refused }
            displaced = lines[longest]?.removeLast().element
            count -= 1
        }
        if lines[key] == nil { round.append(key) }
        lastNumber += 1
        lines[key, default: []].append(Piece(number: lastNumber, element: element))
        count += 1
        return .taken(Place(key: key, number: lastNumber), displacing: displaced)
    }

    /// Takes the first piece of the key whose turn it is.
    mutating func take() -> Element? {
        while next < round.count {
            let key = round[next]
            next += 1
            defer { dropPastTurns() }
            guard let length = lines[key]?.count, length > 0 else {
                lines[key] = nil
                continue
            }
            let piece = lines[key]?.removeFirst()
            count -= 1
            if length > 1 { round.append(key) } else { lines[key] = nil }
            return piece?.element
        }
        return nil
    }

    /// Takes a piece back.
    ///
    /// - Returns: `nil` when it waits no more.
    mutating func remove(_ place: Place) -> Element? {
        guard let index = lines[place.key]?.firstIndex(where: { $0.number == place.number }) else { return nil }
        count -= 1
        return lines[place.key]?.remove(at: index).element
    }

    /// Half of it at least goes each time, so that a turn costs the same however many there are.
    private mutating func dropPastTurns() {
        guard next * 2 >= round.count else { return }
        round.removeFirst(next)
        next = 0
    }
}
