import FoundationEssentials
import MildamCrypto
import MildamJOSE
import MildamWire

/// The keys that access tokens are signed with: the newest signs, one that it replaced verifies until its tokens ran out.
struct TokenKeys: Sendable {
    /// One key pair.
    struct Entry: Sendable {
        /// The `kid` header: the first 16 characters of the base32 of SHA-256 over the public key.
        let id: String
        /// From when it signs, in seconds since 1970.
        let from: Int64
        let key: Curve25519.Signing.PrivateKey

        init(from: Int64, key: Curve25519.Signing.PrivateKey) {
            id = String(Base32.encode(SHA256.hash(data: key.publicKey.rawRepresentation)).prefix(16))
            self.from = from
            self.key = key
        }
    }

    /// How old a key may be, in seconds, for the relay's next start to go on signing with it: 90 days.
    static let term: Int64 = 90 * 86_400

    private let older: [Entry]
    /// The key that signs.
    let newest: Entry

    /// Keys in the order in which they were made.
    init(older: [Entry] = [], newest: Entry) {
        self.older = older
        self.newest = newest
    }

    /// All of them, oldest first.
    var all: [Entry] { older + [newest] }

    /// The public key of a `kid`, while tokens that it signed may still live.
    func publicKey(_ id: String, at now: Int64) -> Curve25519.Signing.PublicKey? {
        if id == newest.id { return newest.key.publicKey }
        let keys = all
        for (key, successor) in zip(keys, keys.dropFirst()) where key.id == id {
            return now < successor.from + AccessToken.lifetime ? key.key.publicKey : nil
        }
        return nil
    }

    /// The keys with a new one that signs from now on, without those whose tokens have all run out.
    func rotated(at now: Int64) -> TokenKeys {
        let kept = all.filter { publicKey($0.id, at: now) != nil }
        return TokenKeys(older: kept, newest: Entry(from: now, key: Curve25519.Signing.PrivateKey()))
    }
}
