import Foundation

/// A disk whose cache is lost: what a folder would hold had the power failed at the moment its programs were killed.
///
/// Programs that are started with `environment` have the files below `root` followed by `Tests/PowerCut/powercut.c`;
/// kill them with SIGKILL, then look at `restored()`. What is in `root` when the first of them starts counts as
/// synced.
public final class PowerCut: Sendable {
    /// The folder that is followed.
    public let root: String
    private let image: TemporaryFolder
    private let library: String
    private let tool: String

    /// Follows a folder that exists.
    public init(following root: String) throws {
        self.root = root
        image = try TemporaryFolder()
        library = try Self.built("powercut.so", ["-shared", "-fPIC"])
        tool = try Self.built("powercut", ["-DPOWERCUT_TOOL"])
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

    /// Compiles the C file; the product stays in `.build` until the source changes.
    private static func built(_ name: String, _ arguments: [String]) throws -> String {
        let source = Vectors.packageFolder + "/Tests/PowerCut/powercut.c"
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in try Data(contentsOf: URL(fileURLWithPath: source)) {
            digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        let folder = Vectors.packageFolder + "/.build/powercut-" + String(digest, radix: 16)
        let product = folder + "/" + name
        if FileManager.default.fileExists(atPath: product) { return product }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Several test processes may build at once: each under a name of its own.
        let temporary = product + ".\(ProcessInfo.processInfo.processIdentifier).\(UInt32.random(in: 0 ... .max))"
        // Swift brings its own C compiler; a machine without one of Debian's is enough.
        let flags = ["-Wall", "-Wextra", "-Werror", "-O2", "-o", temporary, source]
        let result = try Program.run("clang", arguments + flags)
        guard result.status == 0 else { throw Failure(reason: result.description) }
        guard unsafe rename(temporary, product) == 0 else { throw Failure(reason: "cannot rename \(temporary)") }
        return product
    }

    struct Failure: Error, CustomStringConvertible {
        let reason: String
        var description: String { "power cut: \(reason)" }
    }
}
