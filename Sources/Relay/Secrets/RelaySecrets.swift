import FoundationEssentials
import Glibc
import MildamCrypto
import MildamIdentity
import MildamSystem
import MildamTransport
import MildamWire

/// What the relay keeps outside its database, in one file with permissions 0600: its id and its own keys.
///
/// ```
/// struct { uint64 from; opaque seed[32]; } TokenKey;
/// struct { uint32 id; opaque key[32]; } NumberedKey;
/// struct {
///     uint8 version = 2;
///     opaque relay[16];
///     uint8 token_key_count;      // 1..255; the times they sign from lie in 0..2^40
///     TokenKey token_keys[token_key_count];
///     uint8 refresh_key_count;    // 1..255
///     NumberedKey refresh_keys[refresh_key_count];
///     opaque salt_key[32];
///     uint8 code_key_count;       // 1..255
///     NumberedKey code_keys[code_key_count];
/// } RelaySecrets;
/// ```
///
/// Version 1 ends behind `salt_key`; whoever reads one gives it a code key.
struct RelaySecrets: Sendable {
    /// The relay's id, made once.
    let relay: RelayID
    /// What access tokens are signed with.
    var tokenKeys: TokenKeys
    /// What refresh tokens are derived under.
    var refreshKeys: RefreshKeys
    /// What the login salts are made under.
    let saltKey: SymmetricKey
    /// What the secrets of second factors are sealed under.
    var codeKeys: CodeKeys
    /// Whether the file is of a version that lacks something: what it lacks was made, and is still to be saved.
    private(set) var isAmended = false

    private static let maximumSize = 65_536

    /// New secrets for a new relay.
    init(at now: Int64) {
        relay = .random()
        tokenKeys = TokenKeys(newest: .init(from: now, key: Curve25519.Signing.PrivateKey()))
        refreshKeys = RefreshKeys(newest: .init(id: 1, key: SymmetricKey(size: .bits256)))
        saltKey = SymmetricKey(size: .bits256)
        codeKeys = Self.firstCodeKeys()
    }

    private static func firstCodeKeys() -> CodeKeys {
        CodeKeys(newest: .init(id: 1, key: SymmetricKey(size: .bits256)))
    }

    /// The salt that the login of a handle starts from, 32 bytes: the same for ever, whether the handle exists or not.
    func salt(for handle: Handle) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(handle.text.utf8), using: saltKey))
    }

    /// What stands in a deleted account's row in the handle's place: the same for the same handle, so that nobody takes
    /// it again, and nothing that a copy of the database alone gives the handle away by. No handle has a ":".
    func tombstone(of handle: Handle) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Self.tombstoneLabel + handle.text.utf8, using: saltKey)
        return Self.tombstonePrefix + Base32.encode(Array(code))
    }

    /// What every tombstone begins with, and no handle: what follows are letters and digits.
    static let tombstonePrefix = "gone:"

    /// The network of an address, as accounts that are made from it remember it.
    func network(of address: SocketAddress) -> NetworkID {
        var writer = WireWriter()
        Label("network").encode(into: &writer)
        writer.integer(address.network)
        let code = HMAC<SHA256>.authenticationCode(for: writer.bytes, using: saltKey)
        return NetworkID(bytes: Array(Array(code).prefix(16)))
    }

    /// What nonces for proofs of possession are made under: every relay with these secrets knows them.
    var nonceKey: SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: saltKey,
            info: Array(Label("dpop nonce").text.utf8),
            outputByteCount: 32
        )
    }

    private static let tombstoneLabel: [UInt8] = {
        var writer = WireWriter()
        Label("tombstone").encode(into: &writer)
        return writer.bytes
    }()

    // MARK: The file

    /// Reads the file, and replaces a token key that is past its term.
    static func load(_ path: String, at now: Int64) throws(RelayError) -> RelaySecrets {
        do throws(SystemError) {
            let bytes = try WholeFile.read(path, limit: maximumSize)
            guard var secrets = try? RelaySecrets(wireBytes: bytes) else {
                throw SystemError("read", path, code: EILSEQ)
            }
            let isDue = now - secrets.tokenKeys.newest.from > TokenKeys.term
            if isDue { secrets.tokenKeys = secrets.tokenKeys.rotated(at: now) }
            if isDue || secrets.isAmended { try secrets.save(path) }
            return secrets
        } catch {
            throw error.code == EILSEQ || error.code == EFBIG ? .damaged(path) : .system(error)
        }
    }

    /// Writes the file whole, synced.
    func save(_ path: String) throws(SystemError) {
        try WholeFile.write(wireBytes.span, to: path)
    }
}

extension RelaySecrets: WireEncodable, WireDecodable {
    func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(2))
        relay.encode(into: &writer)
        writer.integer(UInt8(clamping: tokenKeys.all.count))
        for entry in tokenKeys.all.prefix(255) {
            writer.integer(UInt64(bitPattern: entry.from))
            writer.fixed(entry.key.rawRepresentation)
        }
        Self.encode(refreshKeys, into: &writer)
        writer.fixed(unsafe saltKey.withUnsafeBytes { unsafe [UInt8]($0) })
        Self.encode(codeKeys, into: &writer)
    }

    private static func encode(_ keys: NumberedKeys, into writer: inout WireWriter) {
        writer.integer(UInt8(clamping: keys.all.count))
        for entry in keys.all.prefix(255) {
            writer.integer(entry.id)
            writer.fixed(unsafe entry.key.withUnsafeBytes { unsafe [UInt8]($0) })
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        let version = try reader.integer(UInt8.self)
        guard version == 1 || version == 2 else { throw .invalidValue(field: "version") }
        relay = try RelayID(from: &reader)
        var tokenKeys: [TokenKeys.Entry] = []
        for _ in 0..<(try reader.integer(UInt8.self)) {
            guard let from = Int64(exactly: try reader.integer(UInt64.self)), from <= 1 << 40 else {
                throw .invalidValue(field: "from")
            }
            let seed = try reader.fixed(32)
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
                throw .invalidValue(field: "token key")
            }
            tokenKeys.append(.init(from: from, key: key))
        }
        guard let newestToken = tokenKeys.popLast() else { throw .invalidValue(field: "keys") }
        self.tokenKeys = TokenKeys(older: tokenKeys, newest: newestToken)
        refreshKeys = try Self.numberedKeys(from: &reader)
        saltKey = SymmetricKey(data: try reader.fixed(32))
        isAmended = version == 1
        codeKeys = version == 1 ? Self.firstCodeKeys() : try Self.numberedKeys(from: &reader)
    }

    private static func numberedKeys(from reader: inout WireReader) throws(WireError) -> NumberedKeys {
        var keys: [NumberedKeys.Entry] = []
        for _ in 0..<(try reader.integer(UInt8.self)) {
            let id = try reader.integer(UInt32.self)
            keys.append(.init(id: id, key: SymmetricKey(data: try reader.fixed(32))))
        }
        guard let newest = keys.popLast() else { throw .invalidValue(field: "keys") }
        return NumberedKeys(older: keys, newest: newest)
    }
}
