import Foundation
import TestSupport

/// `mildam-scan`, run with a file as its input.
enum ScanProgram {
    static let uri = "otpauth://totp/Example:alice@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Example"

    static func read(_ image: [UInt8], _ options: [String] = []) throws -> Program.Result {
        let folder = try TemporaryFolder()
        try Data(image).write(to: URL(fileURLWithPath: folder.file("image")))
        return try read(file: folder.file("image"), options)
    }

    static func read(file: String, _ options: [String] = []) throws -> Program.Result {
        let program = try Program.find("mildam-scan")
        return try Program.run("/bin/sh", ["-c", "exec \"$@\" <\"$0\"", file, program, "read"] + options)
    }

    /// The file that another program makes of a picture, which it reads from standard input.
    static func made(by program: [String], of picture: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try Data(picture).write(to: URL(fileURLWithPath: folder.file("in")))
        let line = "\"$@\" <\"$0/in\" >\"$0/out\""
        let result = try Program.run("/bin/sh", ["-c", line, folder.path] + program)
        guard result.status == 0 else { throw Failure(result: result) }
        return Array(try Data(contentsOf: URL(fileURLWithPath: folder.file("out"))))
    }

    struct Failure: Error {
        let result: Program.Result
    }
}
