import Foundation

/// The published test vectors: `MILDAM_VECTORS`, or the folder `shared/vectors` beside the package.
public enum Vectors {
    /// The folder, when it is there.
    public static let folder: String? = {
        let named = ProcessInfo.processInfo.environment["MILDAM_VECTORS"]
        let candidates = [named, packageFolder + "/../shared/vectors", packageFolder + "/.build/vectors"]
        return candidates.compactMap { $0 }.first { FileManager.default.fileExists(atPath: $0) }
    }()

    /// Whether suites that need vectors run. Under `CI` they always do, so that missing vectors fail.
    public static let areExpected: Bool = {
        let run = folder != nil || ProcessInfo.processInfo.environment["CI"] != nil
        if !run { print("skipped: the suites over published vectors; `make vectors` fetches them") }
        return run
    }()

    /// The content of one vector file.
    public static func data(_ path: String) throws -> Data {
        guard let folder else { throw MissingVectors(path: path) }
        // Some are fetched only.
        let places = [folder, packageFolder + "/.build/vectors"].map { $0 + "/" + path }
        let place = places.first { FileManager.default.fileExists(atPath: $0) } ?? places[0]
        return try Data(contentsOf: URL(fileURLWithPath: place))
    }

    /// The names in one folder of vectors, sorted. An empty folder is an error.
    public static func names(in path: String) throws -> [String] {
        guard let folder else { throw MissingVectors(path: path) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/" + path).sorted()
        guard !names.isEmpty else { throw MissingVectors(path: path) }
        return names
    }

    /// The folder that holds Package.swift.
    public static let packageFolder: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        return parts.joined(separator: "/")
    }()
}

/// Vectors that should be there and are not.
public struct MissingVectors: Error, CustomStringConvertible {
    let path: String

    /// What is missing, and how to get it.
    public var description: String { "no vectors at \(path): `make vectors` fetches them" }
}
