import MildamCrypto
import MildamKeychain
import MildamWire

/// What the keychain holds of one sign-in, in TLS presentation language (RFC 8446, section 3):
///
///     struct {
///         opaque magic[4] = "MTOK";
///         uint8 version = 1;
///         uint64 number;                     // higher with each change, from 1
///         opaque server<1..2048>;            // the token endpoint: its tokens are sent nowhere else
///         uint64 asked_server, asked_wall, asked_since_boot;   // milliseconds, each below 2^62
///         opaque boot[16];
///         enum { ended(0), bearer(1), dpop(2) } scheme;
///         select (scheme) {
///             case ended: struct {};
///             default: struct {
///                 uint32 lifetime;           // seconds; 2^32 - 1 where it is not known
///                 opaque access_token<1..16384>;
///                 opaque refresh_token<0..16384>;
///                 opaque scope<0..8192>;
///             };
///         };
///     } TokenRecord;
///
/// Lengths are of two bytes.
public struct TokenRecord: Sendable, CustomStringConvertible, CustomReflectable {
    /// The most bytes of a record: 64 KiB.
    public static let maximumSize = 64 << 10

    /// Which state of the sign-in this is: each change has a higher number.
    public let number: UInt64
    /// The token endpoint that the tokens are for.
    public let server: String
    /// When the access token was asked for.
    public let asked: TimeAnchor
    /// For how many seconds from then on it lives; `nil` where the server did not say.
    public let lifetime: Int64?
    /// The tokens; `nil` when the server has ended the sign-in.
    public let tokens: TokenSet?

    /// A state of a sign-in.
    init(number: UInt64, server: String, asked: TimeAnchor, lifetime: Int64?, tokens: TokenSet?) {
        self.number = number
        self.server = server
        self.asked = asked
        self.lifetime = lifetime
        self.tokens = tokens
    }

    /// What a server answered, as the state after `number`.
    ///
    /// - Parameter before: the tokens that these take the place of: without a refresh token of its own an answer leaves
    ///   the old one in force (RFC 6749, section 6), and without a scope the old scope.
    init(_ response: TokenResponse, number: UInt64, server: String, asked: TimeAnchor, before: TokenSet?) {
        self.init(
            number: number,
            server: server,
            asked: asked,
            lifetime: response.lifetime,
            tokens: TokenSet(
                accessToken: response.accessToken,
                scheme: response.scheme,
                expires: response.lifetime.map { asked.server + $0 * 1000 },
                refreshToken: response.refreshToken ?? before?.refreshToken,
                scope: response.scope ?? before?.scope ?? ""
            )
        )
    }

    /// The same under another number.
    func renumbered(_ number: UInt64) -> TokenRecord {
        TokenRecord(number: number, server: server, asked: asked, lifetime: lifetime, tokens: tokens)
    }

    /// Which one, and nothing of it.
    public var description: String { "record \(number): \(tokens?.description ?? "signed out by the server")" }

    /// Empty: a dump shows nothing of the tokens.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TokenRecord {
    private static let magic = Array("MTOK".utf8)
    private static let version: UInt8 = 1
    private static let unknownLifetime = UInt32.max
    private static let latest: UInt64 = 1 << 62

    /// The record as it is kept.
    public var bytes: SecretValue {
        var builder = SecretBuilder(capacity: 512)
        for byte in TokenRecord.magic { builder.append(byte) }
        builder.append(TokenRecord.version)
        builder.append(number)
        builder.append(vector: server)
        for time in [asked.server, asked.wall, asked.sinceBoot] { builder.append(UInt64(max(time, 0))) }
        builder.append(asked.boot.span)
        builder.append(tokens?.scheme.rawValue ?? 0)
        if let tokens {
            let lifetime = lifetime.map { UInt32(clamping: $0) } ?? TokenRecord.unknownLifetime
            for shift in [24, 16, 8, 0] { builder.append(UInt8(truncatingIfNeeded: lifetime >> UInt32(shift))) }
            tokens.accessToken.withSpan { builder.append(vector: $0) }
            if let token = tokens.refreshToken {
                token.withSpan { builder.append(vector: $0) }
            } else {
                builder.append(vector: "")
            }
            builder.append(vector: tokens.scope)
        }
        return SecretValue(builder.finish())
    }

    /// Reads what ``bytes`` gave.
    ///
    /// - Throws: `WireError` for anything else.
    public init(bytes: Span<UInt8>) throws(WireError) {
        guard bytes.count <= TokenRecord.maximumSize else { throw .lengthOutOfRange(bytes.count) }
        var reader = WireReader(bytes)
        self = try TokenRecord(reading: &reader)
        try reader.finish()
    }

    @_lifetime(reader: copy reader)
    private init(reading reader: inout WireReader) throws(WireError) {
        guard try reader.fixed(4) == TokenRecord.magic else { throw .invalidValue(field: "magic") }
        guard try reader.integer(UInt8.self) == TokenRecord.version else { throw .invalidValue(field: "version") }
        number = try reader.integer()
        guard number > 0 else { throw .invalidValue(field: "number") }
        server = try reader.text(UInt16.self, in: 1...ServerURL.maximumSize)
        guard ServerURL(server) != nil else { throw .invalidValue(field: "server") }
        let times = (try TokenRecord.time(&reader), try TokenRecord.time(&reader), try TokenRecord.time(&reader))
        asked = TimeAnchor(server: times.0, wall: times.1, sinceBoot: times.2, boot: try reader.fixed(16))
        let code = try reader.integer(UInt8.self)
        guard code != 0 else {
            lifetime = nil
            tokens = nil
            return
        }
        guard let scheme = TokenScheme(rawValue: code) else { throw .invalidValue(field: "scheme") }
        let seconds = try reader.integer(UInt32.self)
        let lifetime = seconds == TokenRecord.unknownLifetime ? nil : Int64(seconds)
        guard lifetime ?? 0 <= TokenResponse.maximumLifetime else { throw .invalidValue(field: "lifetime") }
        let access = try TokenRecord.token(&reader, "access_token")
        guard let access else { throw .lengthOutOfRange(0) }
        let refresh = try TokenRecord.token(&reader, "refresh_token")
        let scope = try reader.text(UInt16.self, in: 0...TokenResponse.maximumScopeSize)
        guard TokenSet.isScope(scope) else { throw .invalidValue(field: "scope") }
        self.lifetime = lifetime
        tokens = TokenSet(
            accessToken: access,
            scheme: scheme,
            expires: lifetime.map { times.0 + $0 * 1000 },
            refreshToken: refresh,
            scope: scope
        )
    }

    @_lifetime(reader: copy reader)
    private static func time(_ reader: inout WireReader) throws(WireError) -> Int64 {
        let time = try reader.integer(UInt64.self)
        guard time < latest else { throw .invalidValue(field: "time") }
        return Int64(time)
    }

    /// A token, or `nil` for none; what was read of it outside of secret memory is wiped.
    @_lifetime(reader: copy reader)
    private static func token(_ reader: inout WireReader, _ field: String) throws(WireError) -> SecretValue? {
        var bytes = try reader.vector(UInt16.self, in: 0...TokenResponse.maximumTokenSize)
        defer { bytes.wipe() }
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .invalidValue(field: field) }
        return bytes.isEmpty ? nil : SecretValue(copying: bytes.span)
    }
}

extension SecretBuilder {
    fileprivate mutating func append(_ number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    /// Appends bytes with their length, of two bytes, before them.
    fileprivate mutating func append(vector text: String) {
        let bytes = Array(text.utf8)
        append(vector: bytes.span)
    }

    fileprivate mutating func append(vector bytes: Span<UInt8>) {
        precondition(bytes.count <= Int(UInt16.max), "a vector longer than its length field")
        append(UInt8(truncatingIfNeeded: bytes.count >> 8))
        append(UInt8(truncatingIfNeeded: bytes.count))
        append(bytes)
    }
}
