/// Waits between attempts: from a quarter of a second, doubling to a minute or less, each with a random part.
struct Backoff {
    private let longest: Double
    private var seconds = 0.25
    private var isScattered = false

    /// - Parameter longest: in seconds.
    init(longest: Double = 60) { self.longest = longest }

    /// Between two attempts to connect for the rooms: who writes in one waits less than ten seconds for a relay that is back.
    static var ofRooms: Backoff { Backoff(longest: 8) }

    mutating func next() -> Double {
        defer {
            seconds = min(seconds * 2, longest)
            isScattered = false
        }
        return isScattered ? Double.random(in: 0.25...3) : seconds * Double.random(in: 0.5...1)
    }

    mutating func reset() { seconds = 0.25 }

    /// The relay said that it goes away, to everyone: the next attempt comes at any moment of some seconds, so that not
    /// all come at once.
    mutating func scatter() { isScattered = true }
}
