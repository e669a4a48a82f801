import Foundation
import HouseSupport
import TestSupport
import Testing

/// Older copies of what is on the disk, put back while the relay is down.
extension House {
    /// Copies folders beside themselves: the relay's without its `mark`, as `backup.md` says.
    func copy(_ folders: String...) async throws {
        try await kill()
        for folder in folders {
            try #require(try await Program.result(of: "cp", ["-a", folder, folder + ".older"]).status == 0)
            try? FileManager.default.removeItem(atPath: folder + ".older/mark")
        }
        try await restart()
    }

    /// Copies the relay's folder beside itself while it runs, as `backup.md` says: first the database, then the files, then
    /// the keys.
    func copyWhileItRuns() async throws {
        let copy = data + ".older"
        try FileManager.default.createDirectory(
            atPath: copy,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        let database = try await Program.result(of: "sqlite3", [data + "/relay.db", "VACUUM INTO '\(copy)/relay.db'"])
        try #require(database.status == 0, "\(database)")
        for name in ["blobs", "secrets"] where FileManager.default.fileExists(atPath: data + "/" + name) {
            try #require(try await Program.result(of: "cp", ["-a", data + "/" + name, copy]).status == 0)
        }
    }

    /// Puts the copies in the place of the folders.
    func putBack(_ folders: String...) async throws {
        try await kill()
        for folder in folders {
            try FileManager.default.removeItem(atPath: folder)
            try FileManager.default.moveItem(atPath: folder + ".older", toPath: folder)
        }
        try await restart()
    }
}

extension Person {
    /// Has a client with fresh tokens, so that they are not renewed after a copy.
    func begin(reading room: String) async throws {
        try await letAccessEnd()
        try await done("read", room)
    }
}
