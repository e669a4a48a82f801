/// Lines of what waits, one for each key, taken from in turns: one piece of each after the other. Pure.
struct FairLines<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private struct Piece: Sendable {
        let number: UInt64
        let element: Element
    }

    /// A key with a line stands in the round once, even when all of its line was taken back.
    private var lines: [Key: [Piece]] = [:]
    private var round = Rota<Key>()
    /// How many pieces wait.
    private(set) var count = 0

    /// How many pieces of a key wait.
    func count(of key: Key) -> Int { lines[key]?.count ?? 0 }

    /// One of the keys with the most pieces, and how many these are.
    var longest: (key: Key, count: Int)? {
        lines.max { $0.value.count < $1.value.count }.map { ($0.key, $0.value.count) }
    }

    /// Adds a piece behind those of its key.
    ///
    /// - Parameter number: another one for each piece.
    mutating func put(_ element: Element, numbered number: UInt64, of key: Key) {
        if lines[key] == nil { round.append(key) }
        lines[key, default: []].append(Piece(number: number, element: element))
        count += 1
    }

    /// Takes the first piece of the key whose turn it is.
    mutating func take() -> Element? {
        while let key = round.take() {
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
    mutating func remove(_ number: UInt64, of key: Key) -> Element? {
        guard let index = lines[key]?.firstIndex(where: { $0.number == number }) else { return nil }
        count -= 1
        return lines[key]?.remove(at: index).element
    }

    /// Takes the last piece of a key back.
    mutating func removeLast(of key: Key) -> Element? {
        guard count(of: key) > 0 else { return nil }
        count -= 1
        return lines[key]?.removeLast().element
    }
}
