import CSealPeer
import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem

/// Files, from memory to memory: age beside the program `age` and beside a loop in C; RNCryptor beside libcrypto; a
/// random place of a large file.
enum Files {
    private static let size = 1 << 30
    private static let rounds = 3

    /// - Parameter folder: on a file system in memory.
    static func figures(in folder: String) async throws -> [Figure] {
        let plain = folder + "/plain"
        try writePlain(plain, size)
        defer { unsafe unlink(plain) }
        return try await age(plain, folder) + rnCryptor(folder) + ArticleTable.figures()
    }

    static func writePlain(_ path: String, _ size: Int) throws {
        let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC)
        let piece = SecureRandom.bytes(count: 1 << 20)
        for _ in 0..<size >> 20 { try file.write(piece.span) }
    }

    /// How many bytes a second `body` takes, into a target that is not there yet.
    ///
    /// A virtual machine gives memory that is free back to its host, and to get it again takes longer than to encrypt what
    /// it holds. So that this falls to nobody's turn, as much is filled and given free first.
    private static func rate(of size: Int, into target: String, _ body: () throws -> Void) throws -> Double {
        unsafe unlink(target)
        try writePlain(target, size + size >> 4)
        unsafe unlink(target)
        let start = nanoseconds()
        try body()
        return Double(size) * 1_000_000_000 / Double(nanoseconds() - start)
    }

    private static func age(_ plain: String, _ folder: String) async throws -> [Figure] {
        let (sealed, opened, peer) = (folder + "/sealed", folder + "/opened", folder + "/peer")
        let identity = AgeX25519Identity()
        let identityFile = folder + "/identity"
        try WholeFile.write(Array((identity.secretText + "\n").utf8).span, to: identityFile)
        defer { for path in [sealed, opened, peer, identityFile] { unsafe unlink(path) } }
        func peerRate(opening: Bool) throws -> Double {
            let (source, target) = opening ? (peer, opened) : (plain, peer)
            return try rate(of: size, into: target) {
                guard seal_peer_file(source, target, opening ? 1 : 0, 2) == 0 else { throw SystemError.last("seal") }
            }
        }
        // Only one target is there at a time: memory is what it lies in.
        let medians = try await alternating(
            rounds,
            [
                {
                    try rate(of: size, into: sealed) {
                        try AgeFile.encrypt(plain, to: sealed, recipients: [identity.recipient])
                    }
                },
                {
                    try rate(of: size, into: opened) {
                        try AgeFile.decrypt(sealed, to: opened, identities: [identity])
                    }
                },
                {
                    unsafe unlink(opened)
                    return try rate(of: size, into: sealed) {
                        _ = try Child.output(of: ["age", "-r", "\(identity.recipient)", "-o", sealed, plain])
                    }
                },
                {
                    try rate(of: size, into: opened) {
                        _ = try Child.output(of: ["age", "-d", "-i", identityFile, "-o", opened, sealed])
                    }
                },
                {
                    for path in [sealed, opened] { unsafe unlink(path) }
                    return try peerRate(opening: false)
                },
                {
                    defer { for path in [peer, opened] { unsafe unlink(path) } }
                    return try peerRate(opening: true)
                },
            ]
        )
        try AgeFile.encrypt(plain, to: sealed, recipients: [identity.recipient])
        return [
            figure("age file, encrypt 1 GiB", medians[0], ("age", medians[2]), 2.5),
            figure("age file, decrypt 1 GiB", medians[1], ("age", medians[3]), 2.5),
            figure("age file, encrypt 1 GiB", medians[0], ("C, 2 threads", medians[4]), 0.8),
            figure("age file, decrypt 1 GiB", medians[1], ("C, 2 threads", medians[5]), 0.8),
            try randomPlaces(of: sealed, identity),
        ]
    }

    private static func figure(_ what: String, _ value: Double, _ peer: (String, Double), _ goal: Double) -> Figure {
        Figure(what: what, value: value, unit: .megabytesPerSecond, peer: peer, goal: .ratio(atLeast: goal))
    }

    private static func randomPlaces(of path: String, _ identity: AgeX25519Identity) throws -> Figure {
        let reader = try AgeReader(path, identities: [identity])
        var generator = SystemRandomNumberGenerator()
        let cost = try cost {
            let start = Int.random(in: 0..<reader.size - 4096, using: &generator)
            _ = try reader.read(start..<start + 4096)
        }
        return Figure(
            what: "age file, 4 KiB at a random place",
            value: cost,
            unit: .microseconds,
            goal: .value(atMost: 100_000)
        )
    }

    private static func rnCryptor(_ folder: String) async throws -> [Figure] {
        let size = 256 << 20
        let (plain, sealed, opened) = (folder + "/rn.plain", folder + "/rn.sealed", folder + "/rn.opened")
        try writePlain(plain, size)
        defer { for path in [plain, sealed, opened] { unsafe unlink(path) } }
        func secret() -> RNCryptorSecret {
            .keys(
                encryption: SymmetricKey(data: [UInt8](repeating: 1, count: 32)),
                hmac: SymmetricKey(data: [UInt8](repeating: 2, count: 32))
            )
        }
        let (key, iv) = (SymmetricKey(data: [UInt8](repeating: 1, count: 32)), [UInt8](repeating: 3, count: 16))
        var piece = SecureRandom.bytes(count: 16 << 20)
        let medians = try await alternating(
            rounds,
            [
                { try rate(of: size, into: sealed) { try RNCryptorFile.encrypt(plain, to: sealed, secret: secret()) } },
                {
                    try rate(of: size, into: opened) { try RNCryptorFile.decrypt(sealed, to: opened, secret: secret()) }
                },
                {
                    var cipher = try Insecure.AES.CBC.Encryptor(key: key, iv: Insecure.AES.IV(data: iv))
                    let cost = cost {
                        var blocks = piece.mutableSpan
                        cipher.update(inPlace: &blocks)
                    }
                    return Double(piece.count) * 1_000_000_000 / cost
                },
                {
                    let cost = cost { _ = SHA256.hash(data: piece) }
                    return Double(piece.count) * 1_000_000_000 / cost
                },
            ]
        )
        let slower = medians[2] < medians[3] ? ("libcrypto's CBC", medians[2]) : ("libcrypto's SHA-256", medians[3])
        return [
            figure("RNCryptor 3, encrypt 256 MiB", medians[0], slower, 0.7),
            Figure(
                what: "RNCryptor 3, decrypt 256 MiB",
                value: medians[1],
                unit: .megabytesPerSecond,
                goal: .rate(atLeast: 900_000_000)
            ),
            Figure(what: "RNCryptor 3, a password's two keys", value: try derivation(), unit: .milliseconds),
        ]
    }

    private static func derivation() throws -> Double {
        let (password, salt) = (Array("correct horse".utf8), [UInt8](repeating: 1, count: 8))
        return 2
            * (try cost {
                _ = try KDF.PBKDF2.deriveKey(
                    from: password,
                    salt: salt,
                    using: .insecureSHA1,
                    outputByteCount: 32,
                    rounds: 10_000
                )
            })
    }
}
