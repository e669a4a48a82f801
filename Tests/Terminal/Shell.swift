import Foundation

/// Runs installed programs.
enum Shell {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Where a program lies, if it is installed.
    static func find(_ program: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return folders.split(separator: ":").map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program in `folder` and waits for it.
    static func run(_ program: String, _ arguments: [String], in folder: String? = nil) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: find(program) ?? program)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8", "TERM": "dumb"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        // Files, not pipes: two pipes would have to be read at the same time.
        return try withFolder { capture in
            let names = ["output", "errors"].map { "\(capture)/\($0)" }
            for name in names { try Data().write(to: URL(fileURLWithPath: name)) }
            process.standardOutput = FileHandle(forWritingAtPath: names[0])
            process.standardError = FileHandle(forWritingAtPath: names[1])
            try process.run()
            process.waitUntilExit()
            let texts = try names.map { try String(contentsOfFile: $0, encoding: .utf8) }
            return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
        }
    }

    /// Lends a new, empty folder and removes it afterwards.
    static func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mildam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path)
    }
}
