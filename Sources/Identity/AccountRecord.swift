import FoundationEssentials
import MildamCrypto
import MildamWire

/// Which account a handle is: signed by the account's own identity key, so that a relay cannot show one under another's name.
///
/// ```
/// struct {
///     uint8 version;                // 1, or 2 with the last field
///     opaque relay[16];
///     opaque account[16];
///     opaque handle<3..32>;
///     opaque identity_key[32];
///     opaque next_identity[32];     // from version 2 on
/// } AccountRecord;
/// ```
public struct AccountRecord: Signable, Equatable {
    /// "mildam/1 account record".
    public static let label = Label("account record")

    /// The relay it lives on.
    public let relay: RelayID
    /// The account.
    public let account: AccountID
    /// The name it is found by.
    public let handle: Handle
    /// The Ed25519 key that signs this record, the account's device records and its device lists.
    public let identityKey: Curve25519.Signing.PublicKey
    /// What the next identity key is known by, 32 bytes (``IdentitySuccession/commitment(to:)``); `nil` in version 1.
    public let nextIdentity: [UInt8]?

    /// Makes a record: of version 2, where the next identity key is committed to.
    ///
    /// - Precondition: a commitment has 32 bytes.
    public init(
        relay: RelayID,
        account: AccountID,
        handle: Handle,
        identityKey: Curve25519.Signing.PublicKey,
        nextIdentity: [UInt8]? = nil
    ) {
        precondition(nextIdentity.map { $0.count == IdentitySuccession.commitmentSize } ?? true, "a commitment")
        self.relay = relay
        self.account = account
        self.handle = handle
        self.identityKey = identityKey
        self.nextIdentity = nextIdentity
    }

    /// What people compare.
    public var fingerprint: Fingerprint { Fingerprint(account: account, key: identityKey) }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(nextIdentity == nil ? 1 : 2))
        relay.encode(into: &writer)
        account.encode(into: &writer)
        handle.encode(into: &writer)
        writer.fixed(identityKey.rawRepresentation)
        if let nextIdentity { writer.fixed(nextIdentity) }
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        let version = try reader.version(in: 1...2)
        relay = try RelayID(from: &reader)
        account = try AccountID(from: &reader)
        handle = try Handle(from: &reader)
        identityKey = try reader.signingKey()
        nextIdentity = try version == 2 ? reader.fixed(IdentitySuccession.commitmentSize) : nil
    }
}

extension WireReader {
    /// A version byte that must be `expected`.
    @_lifetime(self: copy self)
    package mutating func version(_ expected: UInt8) throws(WireError) {
        guard try integer(UInt8.self) == expected else { throw .invalidValue(field: "version") }
    }

    /// A version byte that must be one of these.
    @_lifetime(self: copy self)
    mutating func version(in range: ClosedRange<UInt8>) throws(WireError) -> UInt8 {
        let version = try integer(UInt8.self)
        guard range.contains(version) else { throw .invalidValue(field: "version") }
        return version
    }

    /// An Ed25519 public key, 32 bytes.
    @_lifetime(self: copy self)
    package mutating func signingKey() throws(WireError) -> Curve25519.Signing.PublicKey {
        let bytes = try fixed(32)
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
            throw .invalidValue(field: "signature key")
        }
        return key
    }

    /// An X25519 public key, 32 bytes.
    @_lifetime(self: copy self)
    mutating func agreementKey() throws(WireError) -> Curve25519.KeyAgreement.PublicKey {
        let bytes = try fixed(32)
        guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes) else {
            throw .invalidValue(field: "agreement key")
        }
        return key
    }
}
