/// Waits between attempts: from a quarter of a second, doubling to a minute, each with a random part.
struct Backoff {
    private var seconds = 0.25

    mutating func next() -> Double {
        defer { seconds = min(seconds * 2, 60) }
        return seconds * Double.random(in: 0.5...1)
    }

    mutating func reset() { seconds = 0.25 }
}
