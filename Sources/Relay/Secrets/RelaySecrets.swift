import FoundationEssentials
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
///     uint8 token_key_count;      // 1..255
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

    /// Reads the file; makes it, with new secrets, when it is not there; and replaces a token key that is past its term.
    static func load(_ path: String, at now: Int64) throws(RelayError) -> RelaySecrets {
        do throws(SystemError) {
            guard WholeFile.exists(path) else {
                let secrets = RelaySecrets(at: now)
                try secrets.save(path)
                return secrets
            }
            let bytes = try WholeFile.read(path, limit: maximumSize)
            guard var secrets = try? RelaySecrets(wireBytes: bytes) else { throw RelayError.damaged(path) }
            if now - secrets.tokenKeys.newest.from > TokenKeys.term {
                secrets.tokenKeys = secrets.tokenKeys.rotated(at: now)
                try secrets.save(path)
            }
            return secrets
        } catch let error as SystemError {
            throw .system(error)
        }
    }

    /// Writes the file whole, synced.
    func save(_ path: String) throws(SystemError) {
        try WholeFile.write(wireBytes.span, to: path)
    }
}
