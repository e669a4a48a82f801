import Foundation

/// A disk whose cache is lost: what a folder would hold had the power failed at the moment its programs were killed.
///
/// Programs that are started with `environment` have the files below `root` followed by `Tests/PowerCut/powercut.c`;
/// kill them with SIGKILL, then look at `restored()`. What is in `root` when the first of them starts counts as
/// synced.
public final class PowerCut: Sendable {
    /// The folder that is followed.
    public let root: String
    private static let source = "Tests/PowerCut/powercut.c"
    private let image: TemporaryFolder
    private let library: String
    private let tool: String

    /// Follows a folder that exists.
    public init(following root: String) throws {
        self.root = root
        image = try TemporaryFolder()
        library = try CompiledC.product("powercut.so", of: Self.source, ["-shared", "-fPIC"])
        tool = try CompiledC.product("powercut", of: Self.source, ["-DPOWERCUT_TOOL"])
        try FileManager.default.createDirectory(atPath: image.file("image"), withIntermediateDirectories: false)
    }

    /// What the programs are to be started with.
    public var environment: [String: String] {
        ["LD_PRELOAD": library, "POWERCUT_ROOT": root, "POWERCUT_IMAGE": image.file("image")]
    }

    /// Waits until a program runs that is followed: what is killed before has changed nothing, and left nothing to restore.
    public func awaitBegin() throws {
        for _ in 0..<2000 {
            if FileManager.default.fileExists(atPath: image.file("image/root")) { return }
            usleep(10_000)
        }
        throw Failure(reason: "nothing has begun")
    }

    /// The folder as the disk has it. Call it when every program has been killed.
    public func restored() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let result = try Program.run(tool, [image.file("image"), folder.path])
        guard result.status == 0 else { throw Failure(reason: result.description) }
        return folder
    }

    struct Failure: Error, CustomStringConvertible {
        let reason: String
        var description: String { "power cut: \(reason)" }
    }
}
