import CMagic
import MildamSystem

/// What bytes are by their signature, as libmagic knows signatures.
public enum ContentType {
    /// How many of the first bytes to look at: enough for every signature that is common.
    public static let signatureSize = 8192
    /// What nobody knows better of.
    public static let unknown = "application/octet-stream"

    /// The media type (RFC 6838) of content that begins so.
    ///
    /// - Parameter beginning: the first `signatureSize` bytes, or all of less.
    public static func of(_ beginning: [UInt8]) -> String {
        // One is used by one thread at a time; as many are made as threads ask at once.
        let database = unused.withLock { $0.popLast() } ?? Database()
        defer { unused.withLock { $0.append(database) } }
        return database.type(of: beginning) ?? unknown
    }

    private static let unused = Lock<[Database]>([])

    /// libmagic's signatures.
    @safe
    private final class Database: @unchecked Sendable {  // who has taken it is its only user
        private let cookie: OpaquePointer?

        init() {
            guard let new = unsafe magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS) else {
                unsafe cookie = nil
                return
            }
            if unsafe magic_load(new, nil) == 0 {
                unsafe cookie = new
            } else {
                unsafe magic_close(new)
                unsafe cookie = nil
            }
        }

        deinit {
            if let cookie = unsafe cookie { unsafe magic_close(cookie) }
        }

        func type(of bytes: [UInt8]) -> String? {
            guard let cookie = unsafe cookie else { return nil }
            let text = unsafe bytes.withUnsafeBytes { unsafe magic_buffer(cookie, $0.baseAddress, $0.count) }
            return unsafe text.map { unsafe String(cString: $0) }
        }
    }
}
