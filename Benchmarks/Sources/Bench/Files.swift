import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem

/// One age file of 256 MiB beside the program `age`, both from memory to memory.
enum Files {
    private static let size = 256 << 20
    private static let rounds = 3

    /// - Parameter folder: on a file system in memory.
    static func figures(in folder: String) async throws -> [Figure] {
        let (plain, sealed, opened) = (folder + "/plain", folder + "/sealed", folder + "/opened")
        let identity = AgeX25519Identity()
        let identityFile = folder + "/identity"
        try WholeFile.write(Array((identity.secretText + "\n").utf8).span, to: identityFile)
        try writePlain(plain)

        func rate(_ target: String, _ body: () throws -> Void) throws -> Double {
            unsafe unlink(target)
            let start = nanoseconds()
            try body()
            return Double(size) * 1_000_000_000 / Double(nanoseconds() - start)
        }
        let medians = try await alternating(
            rounds,
            [
                { try rate(sealed) { try AgeFile.encrypt(plain, to: sealed, recipients: [identity.recipient]) } },
                { try rate(opened) { try AgeFile.decrypt(sealed, to: opened, identities: [identity]) } },
                {
                    try rate(sealed) {
                        _ = try Child.output(of: ["age", "-r", "\(identity.recipient)", "-o", sealed, plain])
                    }
                },
                {
                    try rate(opened) {
                        _ = try Child.output(of: ["age", "-d", "-i", identityFile, "-o", opened, sealed])
                    }
                },
            ]
        )
        for path in [plain, sealed, opened, identityFile] { unsafe unlink(path) }
        return [
            Figure(
                what: "age file, encrypt 256 MiB",
                value: medians[0],
                unit: .megabytesPerSecond,
                peer: ("age", medians[2])
            ),
            Figure(
                what: "age file, decrypt 256 MiB",
                value: medians[1],
                unit: .megabytesPerSecond,
                peer: ("age", medians[3])
            ),
        ]
    }

    private static func writePlain(_ path: String) throws {
        let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC)
        let piece = SecureRandom.bytes(count: 1 << 20)
        for _ in 0..<size >> 20 { try file.write(piece.span) }
    }
}
