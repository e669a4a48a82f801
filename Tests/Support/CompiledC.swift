import Foundation

/// A C file of the tests, compiled where a test needs it.
enum CompiledC {
    struct Failure: Error, CustomStringConvertible {
        let reason: String
        var description: String { "compiling: \(reason)" }
    }

    /// Compiles the file; the product stays in `.build` until the source changes.
    ///
    /// - Parameters:
    ///   - name: the product's.
    ///   - source: its path in the package.
    static func product(_ name: String, of source: String, _ arguments: [String]) throws -> String {
        let source = Vectors.packageFolder + "/" + source
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in try Data(contentsOf: URL(fileURLWithPath: source)) {
            digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        let stem = URL(fileURLWithPath: source).deletingPathExtension().lastPathComponent
        let folder = Vectors.packageFolder + "/.build/\(stem)-" + String(digest, radix: 16)
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
}
