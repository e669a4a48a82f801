import Glibc
import MildamSystem

/// Which folder of which disk an open one is. One that is taken for another would seem to have lost all its files.
struct SyncDisk: Sendable {
    /// Whether a file system (`f_fsid`) says of itself what no other says; its device's number (`st_dev`), or nothing, the
    /// next disk may say as well.
    typealias Rule = @Sendable (_ system: UInt64, _ device: UInt64) -> Bool

    /// FAT, exFAT and XFS say their device's number; FUSE and NFS say nothing.
    static let rule: Rule = { system, device in system != 0 && system != device }

    /// What it is known by from one synchronisation to the next: its ``place`` or, where that is not enough, what the name of
    /// the vault's mark in it says. 0 where nothing tells it from another.
    let number: UInt64
    /// The name of that mark.
    let mark: String?
    /// Where it is, as ``place(of:_:)`` says it.
    let place: UInt64

    init(
        of folder: borrowing Descriptor,
        _ path: String,
        _ parts: SyncParts,
        _ isTold: Rule
    ) throws(SystemError) {
        let (place, system) = try Self.numbers(of: folder, path)
        self.place = place
        let device = UInt64(try folder.status(path: path).st_dev)
        guard !isTold(system, device) else {
            number = place
            mark = nil
            return
        }
        let names = try Folder.entries(of: folder, path: path).map { String(decoding: $0, as: UTF8.self) }
        let marks = names.filter { parts.mark($0) != nil }
        // Of two, one came with files that were copied here.
        let only = marks.count == 1 ? marks.first : nil
        number = only.flatMap { parts.mark($0) } ?? 0
        mark = only
    }

    /// A folder's number in its file system (`st_ino`) with that of the file system: enough for as long as it is mounted.
    static func place(of folder: borrowing Descriptor, _ path: String) throws(SystemError) -> UInt64 {
        try numbers(of: folder, path).place
    }

    private static func numbers(
        of folder: borrowing Descriptor,
        _ path: String
    ) throws(SystemError) -> (place: UInt64, system: UInt64) {
        var system = statvfs()
        guard unsafe fstatvfs(folder.number, &system) == 0 else { throw .last("look at", path) }
        let status = try folder.status(path: path)
        return (UInt64(status.st_ino) ^ UInt64(system.f_fsid), UInt64(system.f_fsid))
    }
}
