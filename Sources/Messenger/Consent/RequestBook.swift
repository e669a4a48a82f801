/// The numbers of what a person is asked, each given once, and how much may wait.
struct RequestBook: Codable, Sendable {
    /// How many items one sender can have.
    static let itemsOfOne = 8
    /// How many bytes.
    static let bytesOfOne = 512 * 1024
    /// How many items there can be in all.
    static let items = 200
    /// How many bytes.
    static let bytes = 4 * 1024 * 1024
    /// How many of them can claim to be from known accounts: that is said easily, and strangers find a place all the same.
    static let itemsOfKnown = 100
    /// How many bytes.
    static let bytesOfKnown = 2 * 1024 * 1024

    private var last: Int64 = 0

    /// The number of something that a person is asked.
    mutating func nextNumber() -> Int64 {
        last += 1
        return last
    }
}
