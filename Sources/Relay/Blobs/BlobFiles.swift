import Glibc
import MildamIdentity
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

    /// Removes a blob's file, if it is there.
    func remove(_ blob: BlobID, in room: RoomID) {
        unsafe unlink(path(of: blob, in: room))
    }

    private func path(of blob: BlobID, in room: RoomID) -> String {
        let name = blob.description
        return "\(folder)/\(name.prefix(2))/\(room)-\(name)"
    }
}
