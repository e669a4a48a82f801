/// What an account has caused that lies on the relay's disk: the one figure that its quota is held against.
///
/// Each row counts its content and ``row`` bytes more, so that many small ones are not for nothing. A message counts for its
/// sender, a Welcome for whoever sent it, a file for its owner from its first piece on, a room, its members and its group for the
/// room's creator, records for their account. What goes is given back to whom it counted for.
struct DiskUsage: Equatable, Sendable {
    var bytes = 0
    /// Files, begun or whole.
    var blobs = 0
    /// Rooms made.
    var rooms = 0

    /// What a row counts beside its content: its keys, its place in the indexes, and what else is written with it.
    static let row = 256

    /// What an account draws from its network at once, so that the network's row is written once for so many bytes and not
    /// with each send.
    static let piece = 1 << 20

    /// How many pieces so many bytes take.
    static func pieces(_ bytes: Int) -> Int { (max(0, bytes) + piece - 1) / piece }

    /// How many pieces it takes.
    var pieces: Int { Self.pieces(bytes) }

    /// A row with so much content.
    static func row(_ content: Int) -> DiskUsage { DiskUsage(bytes: row + content) }

    /// A file of so many bytes.
    static func blob(_ size: Int) -> DiskUsage { DiskUsage(bytes: row + size, blobs: 1) }

    /// A room that is new, without its members.
    static let room = DiskUsage(bytes: row, rooms: 1)

    static func += (left: inout DiskUsage, right: DiskUsage) {
        left.bytes += right.bytes
        left.blobs += right.blobs
        left.rooms += right.rooms
    }

    static prefix func - (usage: DiskUsage) -> DiskUsage {
        DiskUsage(bytes: -usage.bytes, blobs: -usage.blobs, rooms: -usage.rooms)
    }
}
