/// Something behind a descriptor that the loop watches. Lives on the loop's thread only.
protocol Channel: AnyObject {
    /// The descriptor can be read or written.
    func ready(_ readiness: Readiness)

    /// The deadline given to the reactor has passed; it is no longer set.
    func deadlinePassed()

    /// The loop ends: closes at once, and tells who waits.
    func abort()
}

/// A registration: the descriptor, and how often its number has been used before, so that an event that was
/// already fetched for a closed descriptor never reaches the next owner of the number.
struct ChannelID: Hashable {
    let descriptor: Int32
    let generation: UInt32
}

/// What a channel waits for.
struct Interest: OptionSet {
    let rawValue: UInt8

    static let read = Interest(rawValue: 1)
    static let write = Interest(rawValue: 2)
}

/// What the kernel reports.
struct Readiness: OptionSet {
    let rawValue: UInt8

    static let read = Readiness(rawValue: 1)
    static let write = Readiness(rawValue: 2)
    /// Both directions are finished, or the connection broke. Reported whatever the interest.
    static let hangup = Readiness(rawValue: 4)
}
