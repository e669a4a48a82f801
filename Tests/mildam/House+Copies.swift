import Foundation
import HouseSupport
import TestSupport
import Testing

/// Older copies of what is on the disk, made and put back while the relay is down.
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
