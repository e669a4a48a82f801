/// When a step is made, by clocks that the core is told of and does not read.
public struct Moment: Hashable, Sendable {
    /// Milliseconds of a clock that does not go back, not over a restart either.
    public let steady: UInt64
    /// Milliseconds since 1970, by the clock that people set.
    public let wall: UInt64

    /// A moment.
    public init(steady: UInt64, wall: UInt64) {
        self.steady = steady
        self.wall = wall
    }

    /// Seconds of the clock that does not go back.
    var steadySeconds: UInt64 { steady / 1000 }
    /// Seconds since 1970.
    var wallSeconds: UInt64 { wall / 1000 }
}
