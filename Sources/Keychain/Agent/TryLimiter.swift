/// How often a wrong passphrase may be tried: three times at once, then after a pause that doubles, up to a minute.
struct TryLimiter: Sendable {
    private static let free = 3
    private static let longest = 60
    private var wrong = 0
    private var next: ContinuousClock.Instant?

    /// How many seconds are to be waited; zero when a try is free.
    func pause(at now: ContinuousClock.Instant) -> Int {
        guard let next, next > now else { return 0 }
        return Int(((next - now) / .seconds(1)).rounded(.up))
    }

    /// Counts a try before its outcome is known: many at once are many.
    mutating func begin(at now: ContinuousClock.Instant) {
        wrong += 1
        guard wrong >= Self.free else { return }
        next = now + .seconds(min(1 << min(wrong - Self.free, 10), Self.longest))
    }

    /// What was begun last turned out to be no try.
    mutating func takeBack() {
        wrong = max(wrong - 1, 0)
        if wrong < Self.free { next = nil }
    }

    /// A right one came.
    mutating func succeed() { self = TryLimiter() }
}
