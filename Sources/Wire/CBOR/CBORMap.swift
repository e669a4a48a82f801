/// Pairs of keys and values, in the order of the keys' encodings (RFC 8949, section 4.2.1).
public struct CBORMap: Hashable, Sendable {
    /// A key and its value.
    public struct Entry: Hashable, Sendable {
        /// What the value is found by.
        public let key: CBORValue
        /// What is found.
        public let value: CBORValue

        /// A pair.
        public init(_ key: CBORValue, _ value: CBORValue) {
            self.key = key
            self.value = value
        }
    }

    /// The pairs, ascending by the keys' encodings.
    public let entries: [Entry]

    /// A map of these pairs.
    ///
    /// - Precondition: no key is there twice; callers name each once.
    public init(_ entries: [Entry] = []) {
        let ordered = entries.map { (encoding: $0.key.encoded, entry: $0) }
            .sorted { $0.encoding.lexicographicallyPrecedes($1.encoding) }
        let isDistinct = zip(ordered, ordered.dropFirst()).allSatisfy { $0.encoding != $1.encoding }
        precondition(isDistinct, "a map has each key once")
        self.entries = ordered.map(\.entry)
    }

    /// What a reader found in order.
    init(ordered entries: [Entry]) {
        self.entries = entries
    }

    /// The value of this integer; `nil` where there is none.
    public subscript(key: Int64) -> CBORValue? {
        let wanted = CBORValue.integer(key)
        return entries.first { $0.key == wanted }?.value
    }
}
