import MildamCrypto
import MildamWire

/// What somebody hands out so that its bearer reaches them past the strangers' part, once, and knows their key.
///
/// As text it is `mildam:` and the structure in base64url.
///
/// ```
/// struct {
///     uint8 version = 1;
///     opaque relay[16];
///     opaque address<1..255>;      // where the relay is: "https://host:port"
///     opaque handle<3..32>;
///     opaque account[16];
///     opaque identity_key[32];
///     opaque secret[32];
///     uint64 expires;              // seconds since 1970
///     opaque checksum[4];          // the first bytes of the SHA-256 of what precedes: against slips, not against forgers
/// } InviteLink;
/// ```
public struct InviteLink: Sendable {
    /// The size of the secret, in bytes.
    public static let secretSize = 32
    private static let scheme = "mildam:"
    private static let checksumSize = 4

    /// The relay that the account lives on.
    public let relay: RelayID
    /// Where that relay is, 1 to 255 bytes: for people, and for who has no account there yet. It proves nothing.
    public let address: String
    /// The handle of who made the link.
    public let handle: Handle
    /// Their account.
    public let account: AccountID
    /// Their identity key.
    public let identityKey: Curve25519.Signing.PublicKey
    /// What the relay knows the link by, 32 bytes: whoever has it can use it up.
    public let secret: SymmetricKey
    /// When it runs out, in seconds since 1970.
    public let expires: Int64

    /// Makes a link.
    ///
    /// - Parameters:
    ///   - account: the records of who makes it.
    ///   - address: where the relay is, 1 to 255 bytes.
    ///   - secret: 32 random bytes.
    ///   - expires: when it runs out, in seconds since 1970; not before 1970.
    /// - Throws: `lengthOutOfRange`, `invalidValue`, when a part is none that would be read back.
    public init(
        to account: AccountRecord,
        at address: String,
        secret: SymmetricKey,
        expires: Int64
    ) throws(WireError) {
        guard (1...255).contains(address.utf8.count) else { throw .lengthOutOfRange(address.utf8.count) }
        guard secret.bitCount == Self.secretSize * 8 else { throw .lengthOutOfRange(secret.bitCount / 8) }
        guard expires >= 0 else { throw .invalidValue(field: "expires") }
        relay = account.relay
        self.address = address
        handle = account.handle
        self.account = account.account
        identityKey = account.identityKey
        self.secret = secret
        self.expires = expires
    }

    /// Reads the text of a link; spaces around it do not count.
    ///
    /// - Throws: any `WireError`, when it is not whole, or is no link.
    public init(text: String) throws(WireError) {
        let line = text.drop { $0.isWhitespace }
        guard line.hasPrefix(Self.scheme) else { throw .invalidText }
        let code = line.dropFirst(Self.scheme.count).prefix { !$0.isWhitespace }
        guard line.dropFirst(Self.scheme.count + code.count).allSatisfy(\.isWhitespace) else { throw .invalidText }
        try self.init(wireBytes: Base64.url.decode(code))
    }

    /// The text, one line: a secret.
    public var text: String { Self.scheme + Base64.url.encode(wireBytes) }

    /// Whether these records are the ones of who made the link.
    public func isOf(_ record: AccountRecord) -> Bool {
        record.relay == relay && record.handle == handle && record.account == account
            && record.identityKey.rawRepresentation == identityKey.rawRepresentation
    }
}

extension InviteLink: WireEncodable, WireDecodable {
    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        var content = WireWriter()
        encodeContent(into: &content)
        let bytes = content.takeBytes()
        writer.fixed(bytes)
        writer.fixed(Self.checksum(bytes))
    }

    private func encodeContent(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        relay.encode(into: &writer)
        writer.text(UInt8.self, address)
        handle.encode(into: &writer)
        account.encode(into: &writer)
        writer.fixed(identityKey.rawRepresentation)
        unsafe secret.withUnsafeBytes { unsafe writer.fixed($0) }
        writer.integer(UInt64(expires))
    }

    /// Reads the structure, and wants it to be as it was written, to the bit.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        relay = try RelayID(from: &reader)
        address = try reader.text(UInt8.self, in: 1...255)
        handle = try Handle(from: &reader)
        account = try AccountID(from: &reader)
        identityKey = try reader.signingKey()
        var bytes = try reader.fixed(Self.secretSize)
        defer { bytes.wipe() }
        secret = SymmetricKey(data: bytes)
        guard let expires = Int64(exactly: try reader.integer(UInt64.self)) else {
            throw .invalidValue(field: "expires")
        }
        self.expires = expires
        let checksum = try reader.fixed(Self.checksumSize)
        var content = WireWriter()
        encodeContent(into: &content)
        guard checksum == Self.checksum(content.takeBytes()) else { throw .invalidValue(field: "checksum") }
    }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: bytes).prefix(checksumSize))
    }
}

extension InviteLink: CustomStringConvertible, CustomReflectable {
    /// Whose it is, without what makes it one.
    public var description: String { "a link of \(handle)" }

    /// The same: nothing that prints what lies in it shows the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
