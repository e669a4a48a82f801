import FoundationEssentials
import MildamCrypto

/// What a `SecKeyAlgorithm` means, where it is done here.
enum KeyOperation {
    /// How a signature is written.
    enum SignatureForm {
        case der
        case raw
    }

    case encryption(ECIES.Parameters)
    case signature(KeyHash, ofDigest: Bool, SignatureForm)
    case keyExchange(KeyHash?)

    /// - Throws: `errSecParam` for another algorithm: RSA's, and what hashes with SHA-1.
    init(_ algorithm: SecKeyAlgorithm) throws(Refusal) {
        let parts = algorithm.rawValue.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let operation = KeyOperation(parts) else { throw .parameter("\(algorithm.rawValue) is not done here") }
        self = operation
    }

    private init?(_ parts: [String]) {
        // The cofactor of these curves is 1: ECDHC is ECDH.
        let agreements = ["ECDH", "ECDHC"]
        guard parts.count > 2, parts[0] == "algid" else { return nil }
        switch (parts[1], parts.count) {
        case ("encrypt", 7):
            guard parts[2] == "ECIES", agreements.contains(parts[3]), parts[4] == "KDFX963",
                let hash = KeyHash(rawValue: parts[5])
            else { return nil }
            switch parts[6] {
            case "AESGCM": self = .encryption(ECIES.Parameters(hash: hash.ecies, iv: .zero))
            case "AESGCM-KDFIV": self = .encryption(ECIES.Parameters(hash: hash.ecies, iv: .derived))
            default: return nil
            }
        case ("sign", 5):
            guard parts[2] == "ECDSA", let hash = KeyHash(rawValue: parts[4]) else { return nil }
            switch parts[3] {
            case "message-X962": self = .signature(hash, ofDigest: false, .der)
            case "digest-X962": self = .signature(hash, ofDigest: true, .der)
            case "message-RFC4754": self = .signature(hash, ofDigest: false, .raw)
            case "digest-RFC4754": self = .signature(hash, ofDigest: true, .raw)
            default: return nil
            }
        case ("keyexchange", 3) where agreements.contains(parts[2]): self = .keyExchange(nil)
        case ("keyexchange", 5) where agreements.contains(parts[2]) && parts[3] == "KDFX963":
            guard let hash = KeyHash(rawValue: parts[4]) else { return nil }
            self = .keyExchange(hash)
        default: return nil
        }
    }
}

/// A hash function by Apple's name.
enum KeyHash: String {
    case sha224 = "SHA224"
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"

    var ecies: ECIES.Hash {
        switch self {
        case .sha224: .sha224
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }

    /// The digest of a message.
    func digest(of message: Data) -> any Digest {
        switch self {
        case .sha224: SHA224.hash(data: message)
        case .sha256: SHA256.hash(data: message)
        case .sha384: SHA384.hash(data: message)
        case .sha512: SHA512.hash(data: message)
        }
    }

    /// A digest that the caller made.
    ///
    /// - Throws: `errSecParam` for another size.
    func digest(bytes: Data) throws(Refusal) -> any Digest {
        let digest: (any Digest)? =
            switch self {
            case .sha224: SHA224Digest(bytes: bytes)
            case .sha256: SHA256Digest(bytes: bytes)
            case .sha384: SHA384Digest(bytes: bytes)
            case .sha512: SHA512Digest(bytes: bytes)
            }
        guard let digest else { throw .parameter("\(bytes.count) bytes are no digest of \(rawValue)") }
        return digest
    }

    /// A key by the KDF of X9.63.
    func derive(_ secret: SharedSecret, _ sharedInfo: Data, count: Int) -> SymmetricKey {
        switch self {
        case .sha224: derive(SHA224.self, secret, sharedInfo, count)
        case .sha256: derive(SHA256.self, secret, sharedInfo, count)
        case .sha384: derive(SHA384.self, secret, sharedInfo, count)
        case .sha512: derive(SHA512.self, secret, sharedInfo, count)
        }
    }

    private func derive<H: HashFunction>(
        _ hash: H.Type,
        _ secret: SharedSecret,
        _ sharedInfo: Data,
        _ count: Int
    ) -> SymmetricKey {
        secret.x963DerivedSymmetricKey(using: hash, sharedInfo: sharedInfo, outputByteCount: count)
    }
}
