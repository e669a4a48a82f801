import CMagic
import MildamSystem

/// What bytes are by their signature: a media type (RFC 6838).
public enum ContentType {
    /// How many of the first bytes to look at: enough for every signature that is common.
    public static let signatureSize = 8192
    /// What nobody knows better of.
    public static let unknown = "application/octet-stream"

    /// The type of content that begins so, as far as a look tells that costs nothing beside encrypting: the signatures
    /// of some thirty common formats, and whether it is text.
    ///
    /// - Parameter beginning: the first `signatureSize` bytes, or all of less.
    public static func glimpsed(in beginning: [UInt8]) -> String {
        Signature.type(of: beginning) ?? (isText(beginning) ? "text/plain" : unknown)
    }

    /// The type of content that begins so, by everything that libmagic knows, which takes it half a millisecond.
    ///
    /// - Parameter beginning: the first `signatureSize` bytes, or all of less.
    public static func of(_ beginning: [UInt8]) -> String {
        // One is used by one thread at a time; as many are made as threads ask at once.
        let database = unused.withLock { $0.popLast() } ?? Database()
        defer { unused.withLock { $0.append(database) } }
        return database.type(of: beginning) ?? unknown
    }

    /// Whether it is UTF-8 without control characters but those that move the cursor or begin a colour. Where there is
    /// more of it, its last character may be cut.
    private static func isText(_ beginning: [UInt8]) -> Bool {
        let isCut = beginning.count == signatureSize
        guard !beginning.isEmpty,
            beginning.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || (0x08...0x0D).contains($0) || $0 == 0x1B })
        else { return false }
        return (0...(isCut ? 3 : 0)).contains { cut in
            let whole = beginning.span.extracting(droppingLast: cut)
            return (try? UTF8Span(validating: whole)) != nil
        }
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
