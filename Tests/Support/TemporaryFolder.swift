import Foundation

/// A private folder that is gone when its owner is.
public final class TemporaryFolder: Sendable {
    /// Its path.
    public let path: String

    /// Makes the folder, permissions 0700.
    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/mildam-test-\(UUID().uuidString.lowercased())"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a name in the folder.
    public func file(_ name: String) -> String { path + "/" + name }

    /// The names of the files in it, and of those in its folders.
    public func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
            let type = try FileManager.default.attributesOfItem(atPath: file(name))[.type] as? FileAttributeType
            return type == .typeRegular
        }
    }
}
