import FoundationEssentials
import MildamCrypto

/// What each primitive costs beside `openssl speed` of the libcrypto that this program is linked to.
enum Primitives {
    private static let rounds = 3

    static func figures() async throws -> [Figure] {
        try await large() + small() + hashes() + curves() + encapsulations()
    }

    // MARK: 64 KiB

    private static func large() async throws -> [Figure] {
        let size = 65_536
        let key = SymmetricKey(size: .bits256)
        let gcmNonce = AES.GCM.Nonce()
        let chaNonce = ChaChaPoly.Nonce()
        var sealed = [UInt8](repeating: 7, count: size)
        var whole: [UInt8] = []
        var figures: [Figure] = []

        func add(_ what: String, _ peer: [String], _ ours: @escaping () throws -> Double) async throws {
            let medians = try await alternating(
                rounds,
                [
                    { Double(size) * 1_000_000_000 / (try ours()) },
                    { try OpenSSLPeer.bytesPerSecond(peer, size: size) },
                ]
            )
            figures.append(
                Figure(
                    what: what,
                    value: medians[0],
                    unit: .megabytesPerSecond,
                    peer: ("openssl speed", medians[1]),
                    goal: .ratio(atLeast: 0.95)
                )
            )
        }

        try await add("AES-256-GCM Sealer, 64 KiB", ["-evp", "aes-256-gcm"]) {
            var sealer = try AES.GCM.Sealer(key: key)
            return try cost { try seal(&sealer, &sealed, gcmNonce) }
        }
        try await add("AES-256-GCM Opener, 64 KiB", ["-decrypt", "-evp", "aes-256-gcm"]) {
            var sealer = try AES.GCM.Sealer(key: key)
            var opener = try AES.GCM.Opener(key: key)
            let box = try boxed(size) { bytes throws(CryptoKitError) in
                try sealer.seal(inPlace: &bytes, nonce: gcmNonce)
            }
            return try cost(after: { refill(&whole, from: box) }) { try opener.open(inPlace: &whole, nonce: gcmNonce) }
        }
        try await add("ChaCha20-Poly1305 Sealer, 64 KiB", ["-evp", "chacha20-poly1305"]) {
            var sealer = try ChaChaPoly.Sealer(key: key)
            return try cost { try seal(&sealer, &sealed, chaNonce) }
        }
        try await add("ChaCha20-Poly1305 Opener, 64 KiB", ["-decrypt", "-evp", "chacha20-poly1305"]) {
            var sealer = try ChaChaPoly.Sealer(key: key)
            var opener = try ChaChaPoly.Opener(key: key)
            let box = try boxed(size) { bytes throws(CryptoKitError) in
                try sealer.seal(inPlace: &bytes, nonce: chaNonce)
            }
            return try cost(after: { refill(&whole, from: box) }) { try opener.open(inPlace: &whole, nonce: chaNonce) }
        }
        return figures
    }

    // MARK: 64 bytes

    private static func small() async throws -> [Figure] {
        let size = 64
        let key = SymmetricKey(size: .bits256)
        let gcmNonce = AES.GCM.Nonce()
        let chaNonce = ChaChaPoly.Nonce()
        let message = Data(repeating: 7, count: size)
        // With -aead, speed sets a nonce, authenticates 13 bytes and takes the tag each time, as a seal does; for
        // ChaCha20-Poly1305 that costs it no more than the cipher alone, so there it is only a floor.
        let medians = try await alternating(
            rounds,
            [
                {
                    var bytes = [UInt8](repeating: 7, count: size)
                    var sealer = try AES.GCM.Sealer(key: key)
                    return try cost { try seal(&sealer, &bytes, gcmNonce) }
                },
                {
                    var bytes = [UInt8](repeating: 7, count: size)
                    var sealer = try ChaChaPoly.Sealer(key: key)
                    return try cost { try seal(&sealer, &bytes, chaNonce) }
                },
                { try cost { _ = try AES.GCM.seal(message, using: key) } },
                { try cost { _ = try ChaChaPoly.seal(message, using: key) } },
                { try OpenSSLPeer.cost(["-aead", "-evp", "aes-256-gcm"], size: size) },
                { try OpenSSLPeer.cost(["-evp", "chacha20-poly1305"], size: size) },
            ]
        )
        func figure(_ what: String, _ index: Int, most: Double, note: String = "") -> Figure {
            let isGCM = index % 2 == 0
            return Figure(
                what: what,
                value: medians[index],
                unit: .nanoseconds,
                peer: isGCM ? ("openssl speed -aead", medians[4]) : ("cipher alone", medians[5]),
                goal: .value(atMost: most),
                note: note
            )
        }
        let stateless = "sets the key, draws a nonce, wipes the key"
        return [
            figure("AES-256-GCM Sealer, 64 B", 0, most: 350),
            figure("ChaCha20-Poly1305 Sealer, 64 B", 1, most: 850),
            figure("AES.GCM.seal(_:using:), 64 B", 2, most: 1800, note: stateless),
            figure("ChaChaPoly.seal(_:using:), 64 B", 3, most: 2200, note: stateless),
        ]
    }

    // MARK: Hashes

    private static func hashes() async throws -> [Figure] {
        let size = 1024
        let key = SymmetricKey(size: .bits256)
        let message = Data(repeating: 7, count: size)
        let salt = Data(repeating: 1, count: 32)
        var authenticator = HMAC<SHA256>.Authenticator(key: key)
        let medians = try await alternating(
            rounds,
            [
                { cost { _ = authenticator.authenticationCode(for: message) } },
                { cost { _ = HMAC<SHA256>.authenticationCode(for: message, using: key) } },
                { try OpenSSLPeer.cost(["-hmac", "sha256"], size: size) },
                {
                    cost {
                        _ = HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: salt, info: salt, outputByteCount: 32)
                    }
                },
            ]
        )
        let peer = ("openssl speed -hmac", medians[2])
        return [
            Figure(what: "HMAC-SHA256 Authenticator, 1 KiB", value: medians[0], unit: .nanoseconds, peer: peer),
            Figure(
                what: "HMAC-SHA256, 1 KiB",
                value: medians[1],
                unit: .nanoseconds,
                peer: peer,
                note: "sets the key each time"
            ),
            Figure(
                what: "HKDF-SHA256, 32 bytes",
                value: medians[3],
                unit: .nanoseconds,
                note: "openssl speed has no HKDF"
            ),
        ]
    }

    // MARK: Curves

    private static func curves() async throws -> [Figure] {
        let signer = Curve25519.Signing.PrivateKey()
        let message = Data(repeating: 7, count: 64)
        let signature = signer.signature(for: message)
        let own = Curve25519.KeyAgreement.PrivateKey()
        let other = Curve25519.KeyAgreement.PrivateKey().publicKey
        let publicKey = signer.publicKey
        var verifyRates: [Double] = []
        let medians = try await alternating(
            rounds,
            [
                { cost { _ = signer.signature(for: message) } },
                { cost { _ = publicKey.isValidSignature(signature, for: message) } },
                { try cost { _ = try own.sharedSecretFromKeyAgreement(with: other) } },
                {
                    let (sign, verify) = try OpenSSLPeer.ed25519()
                    verifyRates.append(verify)
                    return sign
                },
                { try OpenSSLPeer.x25519() },
            ]
        )
        let name = "openssl speed"
        return [
            Figure(what: "Ed25519 sign", value: medians[0], unit: .microseconds, peer: (name, medians[3])),
            Figure(what: "Ed25519 verify", value: medians[1], unit: .microseconds, peer: (name, verifyRates.median)),
            Figure(what: "X25519 agree", value: medians[2], unit: .microseconds, peer: (name, medians[4])),
        ]
    }

    // MARK: Parts

    @inline(__always)
    private static func seal(
        _ sealer: inout AES.GCM.Sealer,
        _ bytes: inout [UInt8],
        _ nonce: AES.GCM.Nonce
    ) throws(CryptoKitError) {
        var tag: InlineArray<16, UInt8> = InlineArray(repeating: 0)
        var message = bytes.mutableSpan
        var tagBytes = tag.mutableSpan
        try sealer.seal(inPlace: &message, nonce: nonce, tag: &tagBytes)
    }

    @inline(__always)
    private static func seal(
        _ sealer: inout ChaChaPoly.Sealer,
        _ bytes: inout [UInt8],
        _ nonce: ChaChaPoly.Nonce
    ) throws(CryptoKitError) {
        var tag: InlineArray<16, UInt8> = InlineArray(repeating: 0)
        var message = bytes.mutableSpan
        var tagBytes = tag.mutableSpan
        try sealer.seal(inPlace: &message, nonce: nonce, tag: &tagBytes)
    }

    private static func boxed(
        _ size: Int,
        _ seal: (inout [UInt8]) throws(CryptoKitError) -> Void
    ) throws(CryptoKitError) -> [UInt8] {
        var bytes = [UInt8](repeating: 7, count: size)
        try seal(&bytes)
        return bytes
    }

    /// The same memory again and again, as `openssl speed` has it.
    private static func refill(_ bytes: inout [UInt8], from box: [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: box)
    }
}
