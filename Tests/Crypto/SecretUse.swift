import Foundation
import MildamCrypto
import TestSupport
import Testing

/// A way in which secrets are used, and what it must leave nothing of.
enum SecretUse: String, CaseIterable {
    case sealAES, openAES, sealChaCha, openChaCha, keepAES, keepChaCha
    case chain, count
    case authenticate, authenticateAPart, keepAuthenticator
    case derive, deriveByX963, hashPassword, hashByBcrypt
    case agree25519, sign25519, agreeP256, signP256, agreeP384, signP384, agreeP521, signP521
    case agree448, sign448
    case sealAndOpenECIES, refuseECIES
    case hpkeX25519, hpkeX448, hpkeP256, hpkeP521, hpkeSequence
    case gather

    /// Uses secrets, lets go of them, and returns them masked.
    func run() throws -> [MaskedSecret] {
        switch self {
        case .sealAES: try SecretUse.sealAES()
        case .openAES: try SecretUse.openAES()
        case .sealChaCha: try SecretUse.sealChaCha()
        case .openChaCha: try SecretUse.openChaCha()
        case .keepAES: try SecretUse.keepAES()
        case .keepChaCha: try SecretUse.keepChaCha()
        case .chain: try SecretUse.chain()
        case .count: try SecretUse.count()
        case .authenticate: SecretUse.authenticate()
        case .authenticateAPart: SecretUse.authenticateAPart()
        case .keepAuthenticator: SecretUse.keepAuthenticator()
        case .derive: SecretUse.derive()
        case .deriveByX963: try SecretUse.deriveByX963()
        case .hashPassword: try SecretUse.hashPassword()
        case .hashByBcrypt: try SecretUse.hashByBcrypt()
        case .agree25519: try SecretUse.agree25519()
        case .sign25519: SecretUse.sign25519()
        case .agreeP256: try SecretUse.agree(P256.self)
        case .signP256: try SecretUse.sign(P256.self)
        case .agreeP384: try SecretUse.agree(P384.self)
        case .signP384: try SecretUse.sign(P384.self)
        case .agreeP521: try SecretUse.agree(P521.self)
        case .signP521: try SecretUse.sign(P521.self)
        case .agree448: try SecretUse.agree448()
        case .sign448: SecretUse.sign448()
        case .sealAndOpenECIES: try SecretUse.ecies(P384.self, isRefused: false)
        case .refuseECIES: try SecretUse.ecies(P521.self, isRefused: true)
        case .hpkeX25519: try HPKESecretUse.single(.Curve25519_HKDF_SHA256)
        case .hpkeX448: try HPKESecretUse.single(.Curve448_HKDF_SHA512)
        case .hpkeP256: try HPKESecretUse.single(.P256_HKDF_SHA256)
        case .hpkeP521: try HPKESecretUse.single(.P521_HKDF_SHA512)
        case .hpkeSequence: try HPKESecretUse.sequence()
        case .gather: SecretUse.gather()
        }
    }

    private static let message = Data("a message".utf8)

    private static func masked(_ key: SymmetricKey) -> MaskedSecret {
        unsafe key.withUnsafeBytes { unsafe MaskedSecret($0) }
    }

    private static func sealAES() throws -> [MaskedSecret] {
        let key = SymmetricKey(size: .bits256)
        _ = try AES.GCM.seal(message, using: key)
        return [masked(key)]
    }

    private static func openAES() throws -> [MaskedSecret] {
        let (key, secret) = (SymmetricKey(size: .bits256), SymmetricKey(size: .bits256))
        let box = try unsafe secret.withUnsafeBytes { try unsafe AES.GCM.seal($0, using: key) }
        #expect(throws: CryptoKitError.authenticationFailure) {
            try AES.GCM.open(box, using: key, authenticating: message)
        }
        return [masked(key), masked(secret)]
    }

    private static func sealChaCha() throws -> [MaskedSecret] {
        let key = SymmetricKey(size: .bits256)
        _ = try ChaChaPoly.seal(message, using: key)
        return [masked(key)]
    }

    private static func openChaCha() throws -> [MaskedSecret] {
        let (key, secret) = (SymmetricKey(size: .bits256), SymmetricKey(size: .bits256))
        let box = try unsafe secret.withUnsafeBytes { try unsafe ChaChaPoly.seal($0, using: key) }
        #expect(throws: CryptoKitError.authenticationFailure) {
            try ChaChaPoly.open(box, using: key, authenticating: message)
        }
        return [masked(key), masked(secret)]
    }

    private static func keepAES() throws -> [MaskedSecret] {
        let key = SymmetricKey(size: .bits256)
        var sealer = try AES.GCM.Sealer(key: key)
        var opener = try AES.GCM.Opener(key: key)
        let nonce = AES.GCM.Nonce()
        var bytes = Array(message)
        try sealer.seal(inPlace: &bytes, nonce: nonce)
        try opener.open(inPlace: &bytes, nonce: nonce)
        #expect(Data(bytes) == message)
        return [masked(key)]
    }

    private static func keepChaCha() throws -> [MaskedSecret] {
        let key = SymmetricKey(size: .bits256)
        var sealer = try ChaChaPoly.Sealer(key: key)
        var opener = try ChaChaPoly.Opener(key: key)
        let nonce = ChaChaPoly.Nonce()
        var bytes = Array(message)
        try sealer.seal(inPlace: &bytes, nonce: nonce)
        try opener.open(inPlace: &bytes, nonce: nonce)
        #expect(Data(bytes) == message)
        return [masked(key)]
    }

    private static func chain() throws -> [MaskedSecret] {
        let key = SymmetricKey(size: .bits256)
        let ciphertext = try Insecure.AES.CBC.encrypt(message, using: key, iv: Insecure.AES.IV())
        #expect(throws: CryptoKitError.incorrectParameterSize) {
            try Insecure.AES.CBC.decrypt(ciphertext.dropLast(), using: key, iv: Insecure.AES.IV())
        }
        return [masked(key)]
    }

    private static func count() throws -> [MaskedSecret] {
        let key = SymmetricKey(size: .bits256)
        var cipher = try Insecure.AES.CTR(key: key, iv: Insecure.AES.IV())
        // Of zeros, the key stream is the ciphertext; a piece of it must not stay, either.
        var stream = [UInt8](repeating: 0, count: 32)
        var span = stream.mutableSpan
        cipher.update(inPlace: &span)
        defer { stream.wipe() }
        return unsafe [masked(key), stream.withUnsafeBytes { unsafe MaskedSecret($0) }]
    }

    private static func authenticate() -> [MaskedSecret] {
        let key = SymmetricKey(size: .bits256)
        _ = HMAC<SHA256>.authenticationCode(for: message, using: key)
        return [masked(key)]
    }

    private static func authenticateAPart() -> [MaskedSecret] {
        let key = SymmetricKey(size: .bits256)
        var one = HMAC<SHA256>(key: key)
        let other = one
        one.update(data: message)
        #expect(one.finalize() != other.finalize())
        return [masked(key)]
    }

    private static func keepAuthenticator() -> [MaskedSecret] {
        let key = SymmetricKey(size: .bits256)
        var authenticator = HMAC<SHA256>.Authenticator(key: key)
        _ = authenticator.authenticationCode(for: message)
        return [masked(key)]
    }

    /// Of a fixed key, so that the pseudorandom key between is known: HMAC-SHA256 of 40…5f under 80…8f, inverted.
    private static func derive() -> [MaskedSecret] {
        let pseudoRandomKey: [UInt8] = [
            0x48, 0x62, 0xf8, 0x80, 0x8b, 0xe6, 0xda, 0xea, 0x39, 0x7d, 0x6e, 0x7c, 0x60, 0x5a, 0xcd, 0xb2,
            0xad, 0x0d, 0x59, 0xce, 0xc9, 0x06, 0x92, 0xd3, 0x9d, 0x47, 0x6a, 0x00, 0x3b, 0xa9, 0x97, 0x9c,
        ]
        let input = SymmetricKey(data: Array(UInt8(0x40)...0x5f))
        let salt = Array(UInt8(0x80)...0x8f)
        let other = SymmetricKey(size: .bits256)
        let outputs = [
            HKDF<SHA256>.deriveKey(inputKeyMaterial: input, salt: salt, info: message, outputByteCount: 42),
            HKDF<SHA512>.deriveKey(inputKeyMaterial: other, outputByteCount: 128),
        ]
        return [MaskedSecret(masked: pseudoRandomKey), masked(other)] + outputs.map(masked)
    }

    private static func deriveByX963() throws -> [MaskedSecret] {
        let (own, other) = (Curve25519.KeyAgreement.PrivateKey(), Curve25519.KeyAgreement.PrivateKey())
        let shared = try own.sharedSecretFromKeyAgreement(with: other.publicKey)
        let key = shared.x963DerivedSymmetricKey(using: SHA256.self, sharedInfo: message, outputByteCount: 64)
        return unsafe [shared.withUnsafeBytes { unsafe MaskedSecret($0) }, masked(key)]
    }

    private static func hashByBcrypt() throws -> [MaskedSecret] {
        let password = SecretBytes.random(count: 32)
        let key = try KDF.BcryptPBKDF.deriveBytes(
            from: password.span,
            salt: [1, 2, 3],
            outputByteCount: 48,
            rounds: 2
        )
        return unsafe [
            password.withUnsafeBytes { unsafe MaskedSecret($0) }, key.withUnsafeBytes { unsafe MaskedSecret($0) },
        ]
    }

    private static func hashPassword() throws -> [MaskedSecret] {
        let password = SymmetricKey(size: .bits256)
        let salt = Data(count: 16)
        let keys = try unsafe password.withUnsafeBytes { password in
            try unsafe [
                KDF.PBKDF2.deriveKey(from: password, salt: salt, using: .sha256, outputByteCount: 64, rounds: 2),
                KDF.Scrypt.deriveKey(
                    from: password,
                    salt: salt,
                    outputByteCount: 64,
                    rounds: 16,
                    blockSize: 8,
                    parallelism: 1
                ),
                KDF.Argon2id.deriveKey(from: password, salt: salt, outputByteCount: 64, memoryKiB: 64, passes: 1),
            ]
        }
        return [masked(password)] + keys.map(masked)
    }

    private static func agree25519() throws -> [MaskedSecret] {
        let (own, other) = (Curve25519.KeyAgreement.PrivateKey(), Curve25519.KeyAgreement.PrivateKey())
        let shared = try own.sharedSecretFromKeyAgreement(with: other.publicKey)
        let key = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: message,
            sharedInfo: message,
            outputByteCount: 32
        )
        return unsafe [
            own.withUnsafeBytes { unsafe MaskedSecret($0) },
            shared.withUnsafeBytes { unsafe MaskedSecret($0) },
            masked(key),
        ]
    }

    private static func sign25519() -> [MaskedSecret] {
        let key = Curve25519.Signing.PrivateKey()
        #expect(key.publicKey.isValidSignature(key.signature(for: message), for: message))
        return unsafe [key.withUnsafeBytes { unsafe MaskedSecret($0) }]
    }

    private static func agree448() throws -> [MaskedSecret] {
        let (own, other) = (Curve448.KeyAgreement.PrivateKey(), Curve448.KeyAgreement.PrivateKey())
        let shared = try own.sharedSecretFromKeyAgreement(with: other.publicKey)
        unsafe kept.append(own.publicKey)
        return unsafe [
            own.withUnsafeBytes { unsafe MaskedSecret($0) },
            shared.withUnsafeBytes { unsafe MaskedSecret($0) },
        ]
    }

    private static func sign448() -> [MaskedSecret] {
        let key = Curve448.Signing.PrivateKey()
        #expect(key.publicKey.isValidSignature(key.signature(for: message), for: message))
        unsafe kept.append(key.publicKey)
        return unsafe [key.withUnsafeBytes { unsafe MaskedSecret($0) }]
    }

    /// The public key stays; nothing of the private one may stay with it.
    nonisolated(unsafe) private static var kept: [any Sendable] = []

    private static func agree<Curve: NISTCurve>(_: Curve.Type) throws -> [MaskedSecret] {
        let (own, other) = (ECDH<Curve>.PrivateKey(), ECDH<Curve>.PrivateKey())
        let shared = try own.sharedSecretFromKeyAgreement(with: other.publicKey)
        unsafe kept.append(own.publicKey)
        return unsafe [
            own.withUnsafeBytes { unsafe MaskedSecret($0) },
            shared.withUnsafeBytes { unsafe MaskedSecret($0) },
        ]
    }

    private static func sign<Curve: NISTCurve>(_: Curve.Type) throws -> [MaskedSecret] {
        let key = ECDSA<Curve>.PrivateKey()
        #expect(key.publicKey.isValidSignature(try key.signature(for: message), for: message))
        unsafe kept.append(key.publicKey)
        return unsafe [key.withUnsafeBytes { unsafe MaskedSecret($0) }]
    }

    /// The recipient's key, what was agreed on, what was derived from it, and the message.
    private static func ecies<Curve: NISTCurve>(_: Curve.Type, isRefused: Bool) throws -> [MaskedSecret] {
        let recipient = ECDH<Curve>.PrivateKey()
        let secret = SymmetricKey(size: .bits256)
        let parameters = ECIES.Parameters(hash: .sha256, iv: .derived)
        let packet = try unsafe secret.withUnsafeBytes { secret in
            try unsafe ECIES.seal(secret, to: recipient.publicKey, parameters: parameters)
        }
        unsafe kept.append(packet)
        if isRefused {
            var damaged = packet.combined
            damaged[damaged.count - 1] ^= 1
            let changed = try ECIES.Packet<Curve>(combined: damaged)
            #expect(throws: ECIESError.authenticationFailure) {
                try ECIES.open(changed, with: recipient, parameters: parameters).count
            }
        } else {
            #expect(try ECIES.open(packet, with: recipient, parameters: parameters).count == 32)
        }
        let shared = try recipient.sharedSecretFromKeyAgreement(with: packet.ephemeralPublicKey)
        let derived = shared.x963DerivedSymmetricKey(
            using: SHA256.self,
            sharedInfo: packet.ephemeralPublicKey.x963Representation,
            outputByteCount: 48
        )
        return unsafe [
            recipient.withUnsafeBytes { unsafe MaskedSecret($0) },
            shared.withUnsafeBytes { unsafe MaskedSecret($0) },
            masked(derived), masked(secret),
        ]
    }

    /// Data in two pieces is gathered for the C library; only that copy has the bytes across the seam.
    private static func gather() -> [MaskedSecret] {
        let secret = SecretBytes.random(count: 1000)
        return unsafe secret.withUnsafeBytes { bytes in
            var pieces = unsafe DispatchData(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<522]))
            unsafe pieces.append(DispatchData(bytes: UnsafeRawBufferPointer(rebasing: bytes[522...])))
            _ = SHA256.hash(data: pieces)
            return unsafe [MaskedSecret(UnsafeRawBufferPointer(rebasing: bytes[500...]))]
        }
    }
}
