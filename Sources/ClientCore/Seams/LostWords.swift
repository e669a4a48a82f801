/// What this device had said under numbers that are lost, as far as a store was looked through for it: few at once.
public struct LostWords: Hashable, Sendable {
    /// How many messages it has at most.
    public static let most = 32
    /// How many bytes these have together at most, one alone apart.
    public static let mostBytes = 256 * 1024

    /// The numbers that were looked through.
    public private(set) var numbers: [ClosedRange<UInt64>] = []
    /// The entries of what is kept under them.
    public var entries: [ShownEntry] = []
    /// The messages that are kept under them, ascending.
    public private(set) var messages: [NumberedMessage] = []
    private var bytes = 0

    /// Nothing was looked through.
    public init() {}

    /// Takes the next message that is kept, unless there are enough.
    ///
    /// - Parameter range: the numbers that are looked through.
    /// - Returns: whether it was taken: otherwise the numbers from its own on were not looked through.
    public mutating func take(_ message: NumberedMessage, in range: ClosedRange<UInt64>) -> Bool {
        guard messages.count < LostWords.most, messages.isEmpty || bytes + message.body.count <= LostWords.mostBytes
        else {
            if message.number > range.lowerBound { numbers.append(range.lowerBound...message.number - 1) }
            return false
        }
        bytes += message.body.count
        messages.append(message)
        return true
    }

    /// These numbers were looked through to their end.
    public mutating func end(_ range: ClosedRange<UInt64>) { numbers.append(range) }
}
