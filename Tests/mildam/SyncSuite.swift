import Foundation
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// Tests of `mildam vault sync`: somebody with a vault, and a folder that is kept in step with it.
protocol SyncSuite {
    var scene: VaultScene { get }
    var someone: Person { get }
    /// The folder, which is there.
    var folder: String { get }
}

extension SyncSuite {
    func write(_ text: String, _ name: String) throws {
        let path = "\(folder)/\(name)"
        try Folder.create(Folder.parent(of: path))
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    func read(_ name: String) -> String? {
        (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Every file and link below the folder.
    var there: Set<String> {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return Set(paths.filter { !Folder.isFolder("\(folder)/\($0)") })
    }

    func sync(_ options: String..., to status: Int32 = 0) async throws -> String {
        let result = try await Program.result(
            of: "mildam",
            ["vault", "sync", folder] + options,
            environment: someone.variables
        )
        expect(result, status)
        return result.output
    }

    func content(of name: String) async throws -> String { try await someone.done("vault", "get", name) }
}
