import FoundationEssentials
import Glibc
import MildamCrypto
import MildamIdentity
import MildamSystem
import MildamWire

/// What the relay keeps outside its database, in one file with permissions 0600: its id and its own keys.
///
/// ```
/// struct { uint64 from; opaque seed[32]; } TokenKey;
/// struct { uint32 id; opaque key[32]; } RefreshKey;
/// struct {
///     uint8 version = 1;
///     opaque relay[16];
///     uint8 token_key_count;      // 1..255; the times they sign from lie in 0..2^40
///     TokenKey token_keys[token_key_count];
///     uint8 refresh_key_count;    // 1..255
///     RefreshKey refresh_keys[refresh_key_count];
///     opaque salt_key[32];
/// } RelaySecrets;
/// ```
struct RelaySecrets: Sendable {
    /// The relay's id, made once.
    let relay: RelayID
    /// What access tokens are signed with.
    var tokenKeys: TokenKeys
    /// What refresh tokens are derived under.
    var refreshKeys: RefreshKeys
    /// What the login salts are made under.
    let saltKey: SymmetricKey

    private static let maximumSize = 65_536

    /// New secrets for a new relay.
    init(at now: Int64) {
        relay = .random()
        tokenKeys = TokenKeys(newest: .init(from: now, key: Curve25519.Signing.PrivateKey()))
        refreshKeys = RefreshKeys(newest: .init(id: 1, key: SymmetricKey(size: .bits256)))
        saltKey = SymmetricKey(size: .bits256)
    }

    /// The salt that the login of a handle starts from, 32 bytes: the same for ever, whether the handle exists or not.
    func salt(for handle: Handle) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(handle.text.utf8), using: saltKey))
    }

    // MARK: The file

    /// Reads the file, and replaces a token key that is past its term.
    static func load(_ path: String, at now: Int64) throws(RelayError) -> RelaySecrets {
        do throws(SystemError) {
            let bytes = try WholeFile.read(path, limit: maximumSize)
            guard var secrets = try? RelaySecrets(wireBytes: bytes) else {
                throw SystemError("read", path, code: EILSEQ)
            }
            if now - secrets.tokenKeys.newest.from > TokenKeys.term {
                secrets.tokenKeys = secrets.tokenKeys.rotated(at: now)
                try secrets.save(path)
            }
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
        writer.integer(UInt8(1))
        relay.encode(into: &writer)
        writer.integer(UInt8(clamping: tokenKeys.all.count))
        for entry in tokenKeys.all.prefix(255) {
            writer.integer(UInt64(bitPattern: entry.from))
            writer.fixed(entry.key.rawRepresentation)
        }
        writer.integer(UInt8(clamping: refreshKeys.all.count))
        for entry in refreshKeys.all.prefix(255) {
            writer.integer(entry.id)
            writer.fixed(unsafe entry.key.withUnsafeBytes { unsafe [UInt8]($0) })
        }
        writer.fixed(unsafe saltKey.withUnsafeBytes { unsafe [UInt8]($0) })
    }

    init(from reader: inout WireReader) throws(WireError) {
        guard try reader.integer(UInt8.self) == 1 else { throw .invalidValue(field: "version") }
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
        var refreshKeys: [RefreshKeys.Entry] = []
        for _ in 0..<(try reader.integer(UInt8.self)) {
            let id = try reader.integer(UInt32.self)
            refreshKeys.append(.init(id: id, key: SymmetricKey(data: try reader.fixed(32))))
        }
        guard let newestToken = tokenKeys.popLast(), let newestRefresh = refreshKeys.popLast() else {
            throw .invalidValue(field: "keys")
        }
        self.tokenKeys = TokenKeys(older: tokenKeys, newest: newestToken)
        self.refreshKeys = RefreshKeys(older: refreshKeys, newest: newestRefresh)
        saltKey = SymmetricKey(data: try reader.fixed(32))
    }
}
