/// What is known of one kind of row, by its key. A key that is missing here is unknown; one whose value is `nil` is known to
/// have no row.
///
/// What an operation writes is kept apart from what the store said until the operation is accepted.
struct Known<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: Value?] = [:]
    /// Keys that the store had no row for.
    private var absent: [Key] = []
    /// What the operation under way has replaced, in order.
    private var replaced: [(key: Key, value: Value??)] = []
    private let weigh: (@Sendable (Value) -> Int)?
    /// What all values that are known weigh together; 0 where they are not weighed.
    private(set) var weight = 0

    /// - Parameter weigh: how much of a bound a value takes; `nil` where that is the same for each.
    init(weighing weigh: (@Sendable (Value) -> Int)? = nil) {
        self.weigh = weigh
    }

    /// What is known; `nil` when nothing is.
    subscript(key: Key) -> Value?? { values[key] }

    /// How many keys are known.
    var count: Int { values.count }

    /// The store says so.
    mutating func learn(_ value: Value?, of key: Key) {
        if value == nil { absent.append(key) }
        write(value, of: key)
    }

    /// An operation changes it.
    mutating func set(_ value: Value?, of key: Key) {
        let before = write(value, of: key)
        replaced.append((key, before))
    }

    /// An operation changes it, where it is known and there.
    mutating func change(_ key: Key, _ body: (inout Value) -> Void) {
        guard case .some(.some(var value)) = values[key] else { return }
        body(&value)
        set(value, of: key)
    }

    /// An operation changes so much that nothing of it is known any more.
    mutating func unlearn() {
        for key in Array(values.keys) {
            let before = write(nil, of: key)
            replaced.append((key, before))
        }
    }

    /// The keys whose rows are such.
    func keys(where isWanted: (Key, Value) -> Bool) -> [Key] {
        values.compactMap { key, value in value.flatMap { isWanted(key, $0) ? key : nil } }
    }

    /// The operation, or the batch, has come to this end.
    mutating func settle(_ end: FactsEnd) {
        switch end {
        case .accepted: accept()
        case .undone: undo()
        case .forgotten: forget()
        }
    }

    private mutating func accept() {
        if !replaced.isEmpty { replaced.removeAll(keepingCapacity: true) }
    }

    private mutating func undo() {
        while let (key, value) = replaced.popLast() {
            write(value, of: key)
        }
    }

    /// - Parameter value: `nil` where nothing is to be known of the key.
    /// - Returns: what was known of it.
    @discardableResult
    private mutating func write(_ value: Value??, of key: Key) -> Value?? {
        let before: Value??
        if let value {
            before = values.updateValue(value, forKey: key)
        } else {
            before = values.removeValue(forKey: key)
        }
        guard let weigh else { return before }
        if case .some(.some(let after)) = value { weight += weigh(after) }
        if case .some(.some(let gone)) = before { weight -= weigh(gone) }
        return before
    }

    private mutating func forget() {
        if !values.isEmpty { values.removeAll(keepingCapacity: values.capacity <= Self.keptCapacity) }
        weight = 0
        forgetAbsent()
        accept()
    }

    /// What has no row is not known any more: names that somebody made up take nobody's place.
    mutating func forgetAbsent() {
        guard !absent.isEmpty else { return }
        for key in absent {
            if case .some(.none) = values[key] { values.removeValue(forKey: key) }
        }
        absent.removeAll()
    }

    /// Memory for so many keys is kept from batch to batch.
    private static var keptCapacity: Int { 8192 }
}

/// What becomes of what is known.
enum FactsEnd {
    /// The operation is accepted: what it wrote is known.
    case accepted
    /// The operation is refused, or looked at again: what it wrote is forgotten.
    case undone
    /// Nothing is known any more.
    case forgotten
}
