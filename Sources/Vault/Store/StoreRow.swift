import FoundationEssentials
import MildamWire

/// A file of a store: where it is, and what its key is derived from.
///
/// A store is a folder of files in AES-256-CBC, each under a key of its own, PBKDF2-HMAC-SHA256 of one password and a
/// salt with 10,000 rounds, and a table that keeps of each its id, path, salt and IV. Nothing in it is authenticated.
struct StoreRow: Equatable, Sendable {
    static let columns: [StaticString] = ["id", "file_path", "salt", "iv"]
    static let saltSizes = 1...1024
    /// The salt's size in new rows, in bytes.
    static let newSaltSize = 20
    static let ivSize = 16
    static let rounds = 10_000

    let id: String
    let path: String
    let salt: [UInt8]
    let iv: [UInt8]

    /// A row of which everything is known.
    init(id: String, path: String, salt: [UInt8], iv: [UInt8]) {
        self.id = id
        self.path = path
        self.salt = salt
        self.iv = iv
    }

    /// Reads texts: salt and IV in hexadecimal or base64.
    ///
    /// - Throws: what is wrong with the row.
    init(id: String?, path: String?, salt: String?, iv: String?) throws(StoreRowDefect) {
        guard let id, !id.isEmpty else { throw .noID }
        guard let path, !path.isEmpty else { throw .noPath }
        guard let salt = salt.flatMap(Self.bytes), Self.saltSizes.contains(salt.count) else { throw .noSalt }
        guard let iv = iv.flatMap(Self.bytes), iv.count == Self.ivSize else { throw .noIV }
        self.init(id: id, path: path, salt: salt, iv: iv)
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        (try? Hex.decode(text)) ?? Data(base64Encoded: text).map { Array($0) }
    }
}

/// Why a row of a store's table says of no file how to open it.
enum StoreRowDefect: String, Error, Equatable, Sendable {
    case noID = "it has no id"
    case noPath = "it has no file_path"
    case outside = "its file_path leads out of the folder"
    case noSalt = "its salt is missing, or neither hexadecimal nor base64 of 1 to 1,024 bytes"
    case noIV = "its iv is missing, or neither hexadecimal nor base64 of 16 bytes"
}
