import Glibc
import MildamSystem

/// Writes of one size to a file that does not grow, each synced: what a commit costs at least.
struct SyncedWrites: ~Copyable {
    private let file: Descriptor
    private let bytes: [UInt8]
    private let length: Int
    private var place = 0

    /// - Parameter length: how long the file is; behind its end the writing goes on at its start.
    init(at path: String, size: Int, length: Int) throws {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_EXCL)
        try file.write([UInt8](repeating: 0, count: length).span)
        guard fsync(file.number) == 0 else { throw SystemError.last("sync", path) }
        self.file = file
        self.length = length
        bytes = [UInt8](repeating: 0xA5, count: size)
    }

    /// Writes and syncs.
    mutating func next() throws {
        if place + bytes.count > length { place = 0 }
        try file.write(bytes.span, at: place)
        place += bytes.count
        guard fdatasync(file.number) == 0 else { throw SystemError.last("sync a file") }
    }
}
