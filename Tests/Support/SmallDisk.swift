import Foundation
import Glibc

/// A file system of its own in memory, small enough to be filled; only root can have one.
public final class SmallDisk: Sendable {
    /// Whether this machine lets us have one.
    public static let isPossible: Bool = {
        guard getuid() == 0, let disk = try? SmallDisk(kilobytes: 64) else { return false }
        withExtendedLifetime(disk) {}
        return true
    }()

    private let folder: TemporaryFolder
    /// Where it is mounted.
    public let path: String

    /// Mounts one.
    ///
    /// - Parameter place: the folder to mount it on; one of its own unless given.
    public init(kilobytes: Int, on place: String? = nil) throws {
        folder = try TemporaryFolder()
        path = place ?? folder.path
        let result = try Program.run("mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path])
        guard result.status == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    /// Fills what is left, but for so many bytes.
    public func fill(leaving bytes: UInt64 = 0) {
        guard FileManager.default.createFile(atPath: path + "/filler", contents: nil),
            let file = FileHandle(forWritingAtPath: path + "/filler")
        else { return }
        var size = 65_536
        while size > 0 {
            if (try? file.write(contentsOf: Data(repeating: 1, count: size))) == nil { size /= 2 }
        }
        guard bytes > 0, let end = try? file.offset(), end > bytes else { return }
        try? file.truncate(atOffset: end - bytes)
    }

    /// Makes room again.
    public func clear() throws { try FileManager.default.removeItem(atPath: path + "/filler") }

    /// Nothing can be written any more.
    public func protect() throws {
        let result = try Program.run("mount", ["-o", "remount,ro", path])
        guard result.status == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    /// It can be written to again.
    public func unprotect() throws {
        let result = try Program.run("mount", ["-o", "remount,rw", path])
        guard result.status == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    deinit {
        _ = try? Program.run("umount", [path])
    }
}
