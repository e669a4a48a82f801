import Glibc

/// Where time comes from: whole seconds and milliseconds since 1970, passed in so that rules can be tested at any hour.
public struct WallClock: Sendable {
    private let read: @Sendable () -> Int64

    /// A clock that reads milliseconds since 1970 from `read`.
    public init(milliseconds read: @escaping @Sendable () -> Int64) {
        self.read = read
    }

    /// The system's clock.
    public static let system = WallClock {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// Milliseconds since 1970.
    public var milliseconds: Int64 { read() }

    /// Seconds since 1970, rounded down.
    public var seconds: Int64 { read() / 1000 }
}
