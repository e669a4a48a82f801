import Foundation
import Glibc
import MildamFiles
import MildamSystem
import TestSupport
import Testing

/// However much goes through a pipe, the programs at it hold no more of it.
@Suite("Files, the memory of streams")
struct StreamMemoryTests {
    private static let limit = 48 << 20
    private static let size = Count.of(few: 192, full: 2048) << 20

    @Test(
        .disabled(if: Sanitizer.isOn, "a sanitizer needs memory of its own, in proportion"),
        .timeLimit(.minutes(3))
    )
    func isBounded() async throws {
        let folder = try TemporaryFolder()
        let identity = AgeX25519Identity()
        try identity.secretText.write(toFile: folder.file("key"), atomically: true, encoding: .utf8)
        for name in ["plain", "sealed"] {
            try #require(unsafe mkfifo(folder.file(name), 0o600) == 0)
        }
        let mildam = try Program.find("mildam")
        func start(_ arguments: String, from input: String, to output: String) throws -> Program {
            let command = "exec '\(mildam)' file \(arguments) <'\(folder.file(input))' >'\(output)'"
            return try Program("/bin/sh", ["-c", command], environment: ["MILDAM_HOME": folder.path])
        }
        let encrypting = try start("encrypt -r \(identity.recipient)", from: "plain", to: folder.file("sealed"))
        let decrypting = try start("decrypt -i \(folder.file("key"))", from: "sealed", to: "/dev/null")
        let peaks = try await Blocking.run {
            let content = try Descriptor.open(folder.file("plain"), O_WRONLY)
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            for _ in 0..<Self.size >> 20 { try content.write(piece.span) }
            // All but a pipe's length has been taken, and none of them knows that this was all.
            return [try encrypting.peakBytes(), try decrypting.peakBytes()]
        }
        for program in [encrypting, decrypting] {
            let result = try await program.end()
            #expect(result.status == 0, "\(result)")
        }
        for peak in peaks { #expect(peak < Self.limit, "\(peak >> 20) MiB") }
    }
}
