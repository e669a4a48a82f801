import FoundationEssentials
import MildamCrypto
import MildamSystem

/// A public key that packets are sealed to, of whichever curve its file has.
public enum ECIESPublicKey: Hashable, Sendable {
    /// Of P-256.
    case p256(P256.KeyAgreement.PublicKey)
    /// Of P-384.
    case p384(P384.KeyAgreement.PublicKey)
    /// Of P-521.
    case p521(P521.KeyAgreement.PublicKey)

    /// Reads a key from a file or pipe: see ``ECKeyFile``.
    ///
    /// - Parameter path: where it is, for errors.
    /// - Throws: `ECKeyError`.
    public init(from source: borrowing Descriptor, path: String? = nil) throws(ECKeyError) {
        let bytes = try ECKeyFile.contents(of: source, path: path)
        try self.init(bytes.span)
    }

    /// Reads a key: see ``ECKeyFile``.
    ///
    /// - Throws: `ECKeyError`: `privateKey` for one that should be nowhere near.
    public init(_ bytes: Span<UInt8>) throws(ECKeyError) {
        switch try ECKeyFile.Form(bytes) {
        case .pem:
            let block = try PEMBlock(bytes)
            switch block.label {
            case .publicKey: try self.init(der: block.bytes.span)
            case .privateKey, .ecPrivateKey, .encryptedPrivateKey: throw .privateKey
            case .parameters: throw .unknown
            }
        case .der: try self.init(der: bytes)
        case .x963: try self.init(x963: bytes)
        }
    }

    private init(der: Span<UInt8>) throws(ECKeyError) {
        if let key = try? P256.KeyAgreement.PublicKey(derRepresentation: der) {
            self = .p256(key)
        } else if let key = try? P384.KeyAgreement.PublicKey(derRepresentation: der) {
            self = .p384(key)
        } else if let key = try? P521.KeyAgreement.PublicKey(derRepresentation: der) {
            self = .p521(key)
        } else {
            throw ECIESPrivateKey(ifDER: der) == nil ? .malformed : .privateKey
        }
    }

    private init(x963 point: Span<UInt8>) throws(ECKeyError) {
        let read: ECIESPublicKey? = unsafe point.withUnsafeBytes { point in
            if let key = try? unsafe P256.KeyAgreement.PublicKey(x963Representation: point) { return .p256(key) }
            if let key = try? unsafe P384.KeyAgreement.PublicKey(x963Representation: point) { return .p384(key) }
            if let key = try? unsafe P521.KeyAgreement.PublicKey(x963Representation: point) { return .p521(key) }
            return nil
        }
        guard let read else { throw ECIESPrivateKey(ifX963: point) == nil ? .malformed : .privateKey }
        self = read
    }

    /// Seals a message to the holder of the private key.
    ///
    /// - Returns: the packet, ``ECIES/Packet/combined``.
    /// - Throws: `ECIESError.tooLong`; `cryptography` when libcrypto refuses.
    public func seal(_ message: Span<UInt8>, parameters: ECIES.Parameters) throws(ECIESError) -> Data {
        switch self {
        case .p256(let key): try ECIES.seal(message, to: key, parameters: parameters).combined
        case .p384(let key): try ECIES.seal(message, to: key, parameters: parameters).combined
        case .p521(let key): try ECIES.seal(message, to: key, parameters: parameters).combined
        }
    }
}
