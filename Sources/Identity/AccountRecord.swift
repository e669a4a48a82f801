import FoundationEssentials
import MildamCrypto
import MildamWire

/// Which account a handle is: signed by the account's own identity key, so that a relay cannot show one under another's name.
///
/// ```
/// struct {
///     uint8 version = 1;
///     opaque relay[16];
///     opaque account[16];
///     opaque handle<3..32>;
///     opaque identity_key[32];
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

    /// Makes a record.
    public init(relay: RelayID, account: AccountID, handle: Handle, identityKey: Curve25519.Signing.PublicKey) {
        self.relay = relay
        self.account = account
        self.handle = handle
        self.identityKey = identityKey
    }

    /// What people compare.
    public var fingerprint: Fingerprint { Fingerprint(account: account, key: identityKey) }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        relay.encode(into: &writer)
        account.encode(into: &writer)
        handle.encode(into: &writer)
        writer.fixed(identityKey.rawRepresentation)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        relay = try RelayID(from: &reader)
        account = try AccountID(from: &reader)
        handle = try Handle(from: &reader)
        identityKey = try reader.signingKey()
    }
}

extension WireReader {
    /// A version byte that must be `expected`.
    @_lifetime(self: copy self)
    mutating func version(_ expected: UInt8) throws(WireError) {
        guard try integer(UInt8.self) == expected else { throw .invalidValue(field: "version") }
    }

    /// An Ed25519 public key, 32 bytes.
    @_lifetime(self: copy self)
    mutating func signingKey() throws(WireError) -> Curve25519.Signing.PublicKey {
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
