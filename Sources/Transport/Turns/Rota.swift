/// Keys in the order of their turns.
struct Rota<Key: Sendable>: Sendable {
    private var keys: [Key] = []
    /// The first whose turn is not over.
    private var next = 0

    /// Puts a key behind the others.
    mutating func append(_ key: Key) {
        keys.append(key)
    }

    /// Takes the key whose turn it is.
    mutating func take() -> Key? {
        guard next < keys.count else { return nil }
        defer { dropPastTurns() }
        next += 1
        return keys[next - 1]
    }

    /// Half of it at least goes each time, so that a turn costs the same however many there are.
    private mutating func dropPastTurns() {
        guard next * 2 >= keys.count else { return }
        keys.removeFirst(next)
        next = 0
    }
}
