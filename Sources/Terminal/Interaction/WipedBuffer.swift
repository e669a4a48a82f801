import Glibc

/// Room for a secret of limited size: never moved or copied by growing, and overwritten when its owner goes.
@safe
struct WipedBuffer: ~Copyable {
    private let start: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private(set) var count = 0

    /// Room for `capacity` bytes.
    init(capacity: Int) {
        self.capacity = capacity
        unsafe start = .allocate(capacity: capacity)
        unsafe start.initialize(repeating: 0, count: capacity)
        // Keeps the secret out of the swap where the system allows it.
        unsafe mlock(start, capacity)
    }

    deinit {
        unsafe explicit_bzero(start, capacity)
        unsafe munlock(start, capacity)
        unsafe start.deallocate()
    }

    /// How many bytes fit in still.
    var room: Int { capacity - count }

    /// Appends what one `read(2)` of at most `limit` bytes gives.
    ///
    /// - Returns: what the call returned: the number of bytes, 0 at the end, -1 with `errno` set.
    mutating func read(from descriptor: Int32, limit: Int) -> Int {
        guard limit > 0, room > 0 else { return 0 }
        let got = unsafe Glibc.read(descriptor, start + count, min(limit, room))
        count += max(got, 0)
        return got
    }

    /// Whether the last byte is a newline.
    var endsLine: Bool {
        unsafe count > 0 && start[count - 1] == UInt8(ascii: "\n")
    }

    /// Takes the last byte away.
    mutating func dropLast() {
        guard count > 0 else { return }
        count -= 1
        unsafe start[count] = 0
    }

    /// Overwrites what is there and starts anew.
    mutating func clear() {
        unsafe explicit_bzero(start, capacity)
        count = 0
    }

    /// Lends the bytes.
    func withBytes<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
        unsafe body(UnsafeBufferPointer(start: start, count: count).span)
    }
}
