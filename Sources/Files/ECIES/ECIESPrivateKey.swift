import FoundationEssentials
import MildamCrypto
import MildamSystem

/// A private key that packets are opened with, of whichever curve its file has; wiped when the last copy goes.
public enum ECIESPrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// Of P-256.
    case p256(P256.KeyAgreement.PrivateKey)
    /// Of P-384.
    case p384(P384.KeyAgreement.PrivateKey)
    /// Of P-521.
    case p521(P521.KeyAgreement.PrivateKey)

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
    /// - Throws: `ECKeyError`.
    public init(_ bytes: Span<UInt8>) throws(ECKeyError) {
        switch try ECKeyFile.Form(bytes) {
        case .pem:
            let block = try PEMBlock(bytes)
            switch block.label {
            case .privateKey, .ecPrivateKey: try self.init(der: block.bytes.span)
            case .encryptedPrivateKey: throw .encrypted
            case .publicKey: throw .publicKey
            case .parameters: throw .unknown
            }
        case .der: try self.init(der: bytes)
        case .x963:
            guard let key = ECIESPrivateKey(ifX963: bytes) else {
                throw (try? ECIESPublicKey(bytes)) == nil ? .malformed : .publicKey
            }
            self = key
        }
    }

    private init(der: Span<UInt8>) throws(ECKeyError) {
        guard let key = ECIESPrivateKey(ifDER: der) else {
            throw (try? ECIESPublicKey(der)) == nil ? .malformed : .publicKey
        }
        self = key
    }

    init?(ifDER der: Span<UInt8>) {
        if let key = try? P256.KeyAgreement.PrivateKey(derRepresentation: der) {
            self = .p256(key)
        } else if let key = try? P384.KeyAgreement.PrivateKey(derRepresentation: der) {
            self = .p384(key)
        } else if let key = try? P521.KeyAgreement.PrivateKey(derRepresentation: der) {
            self = .p521(key)
        } else {
            return nil
        }
    }

    init?(ifX963 bytes: Span<UInt8>) {
        let read: ECIESPrivateKey? = unsafe bytes.withUnsafeBytes { bytes in
            if let key = try? unsafe P256.KeyAgreement.PrivateKey(x963Representation: bytes) { return .p256(key) }
            if let key = try? unsafe P384.KeyAgreement.PrivateKey(x963Representation: bytes) { return .p384(key) }
            if let key = try? unsafe P521.KeyAgreement.PrivateKey(x963Representation: bytes) { return .p521(key) }
            return nil
        }
        guard let read else { return nil }
        self = read
    }

    /// The public key that belongs to it.
    public var publicKey: ECIESPublicKey {
        switch self {
        case .p256(let key): .p256(key.publicKey)
        case .p384(let key): .p384(key.publicKey)
        case .p521(let key): .p521(key.publicKey)
        }
    }

    /// The message of a packet.
    ///
    /// - Throws: `ECIESError`: `authenticationFailure` for what was sealed to another key or with other parameters, or
    ///   was changed.
    public func open(_ packet: Data, parameters: ECIES.Parameters) throws(ECIESError) -> SecretBytes {
        switch self {
        case .p256(let key): try ECIES.open(ECIES.Packet(combined: packet), with: key, parameters: parameters)
        case .p384(let key): try ECIES.open(ECIES.Packet(combined: packet), with: key, parameters: parameters)
        case .p521(let key): try ECIES.open(ECIES.Packet(combined: packet), with: key, parameters: parameters)
        }
    }

    /// What it is, and nothing of the key.
    public var description: String { "ECIESPrivateKey" }

    /// Empty: a dump shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
