/// That a message is given back: the number that it had, and when it was stored.
struct GivenBack: Equatable, Sendable {
    let number: UInt64
    /// Milliseconds since 1970.
    let stored: Int64
}
