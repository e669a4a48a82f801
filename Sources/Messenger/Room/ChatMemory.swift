import MildamIdentity

/// What the person in a conversation has been shown and told, so that each thing is said once, whoever brings it: the
/// live connection and what is fetched beside it bring the same messages, each in order and without a gap.
public struct ChatMemory: Sendable {
    /// The number of the last message of the room that was shown; 0 before the first.
    public private(set) var shown: UInt64
    /// Whether the live connection stands; `nil` before the first attempt.
    public private(set) var isConnected: Bool?
    /// Whether the person knows that what they write is kept.
    private var isKeepingKnown = false
    /// The other room that was mentioned last, when nothing has been shown since.
    private var mentioned: RoomID?

    /// - Parameter number: that of the last message on the screen; 0 for none.
    public init(shown number: UInt64) {
        shown = number
    }

    /// A message of the room has come.
    ///
    /// - Returns: whether to show it.
    public mutating func shows(_ number: UInt64) -> Bool {
        guard number > shown else { return false }
        shown = number
        mentioned = nil
        return true
    }

    /// Somebody was heard in another room.
    ///
    /// - Returns: whether to mention it: one line, however much is said there.
    public mutating func mentions(_ room: RoomID) -> Bool {
        defer { mentioned = room }
        return mentioned != room
    }

    /// Something else was shown.
    public mutating func interrupted() {
        mentioned = nil
    }

    /// The live connection stands.
    ///
    /// - Returns: whether that is new.
    public mutating func connects() -> Bool {
        defer { (isConnected, isKeepingKnown) = (true, false) }
        return isConnected != true
    }

    /// The live connection is gone, or could not be made.
    ///
    /// - Returns: whether that is new: it is told once, however often the relay is tried.
    public mutating func disconnects() -> Bool {
        defer { isConnected = false }
        return isConnected != false
    }

    /// A text was kept for later.
    ///
    /// - Returns: whether to say so: once while the relay is away.
    public mutating func keeps() -> Bool {
        defer { isKeepingKnown = true }
        return !isKeepingKnown
    }
}
