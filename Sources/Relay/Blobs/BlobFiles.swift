import FoundationEssentials
import Glibc
import MildamIdentity
import MildamStorage
import MildamSystem

/// The blobs' bytes: one file each, under a folder named for the first two characters of the blob's id.
struct BlobFiles: Sendable {
    let folder: String

    /// Writes a piece and waits until it, and for the first one the file's name, is on the disk.
    func write(_ piece: BlobPiece, _ bytes: [UInt8]) throws(SystemError) {
        let path = path(of: piece.blob, in: piece.room)
        let isFirst = piece.offset == 0
        if isFirst { try Folder.create(Folder.parent(of: path)) }
        // Whatever lies under the name before the first piece is recorded was never acknowledged.
        let file = try Descriptor.open(path, O_WRONLY | (isFirst ? O_CREAT | O_TRUNC : 0))
        try file.write(bytes.span, at: piece.offset, path: path)
        try file.synchronize(path: path)
        if isFirst { try Folder.synchronize(Folder.parent(of: path)) }
    }

    /// Reads a range.
    func read(_ blob: BlobID, in room: RoomID, offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        let path = path(of: blob, in: room)
        return try Descriptor.open(path, O_RDONLY).read(upTo: count, at: offset, path: path)
    }

    /// Removes the files of blobs, as far as they are there.
    func remove(_ blobs: [BlobID], in room: RoomID) {
        remove(blobs.map { path(of: $0, in: room) })
    }

    /// Removes the files that `isRemains` says to.
    func removeAll(
        where isRemains: (BlobID, RoomID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let manager = FileManager.default
        for group in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
            var remains: [String] = []
            for name in (try? manager.contentsOfDirectory(atPath: "\(folder)/\(group)")) ?? [] {
                let parts = name.split(separator: "-")
                // What has another name is none of ours.
                guard parts.count == 2, let room = try? RoomID(parts[0]), let blob = try? BlobID(parts[1]) else {
                    continue
                }
                if try isRemains(blob, room) { remains.append("\(folder)/\(group)/\(name)") }
            }
            remove(remains)
        }
    }

    private func remove(_ paths: [String]) {
        for path in paths { unsafe unlink(path) }
        // A name that comes back with the power is removed by the next start.
        for folder in Set(paths.map(Folder.parent)) { try? Folder.synchronize(folder) }
    }

    private func path(of blob: BlobID, in room: RoomID) -> String {
        let name = blob.description
        return "\(folder)/\(name.prefix(2))/\(room)-\(name)"
    }
}
