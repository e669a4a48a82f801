import MildamCrypto

/// What stands before the ciphertext of an RNCryptor file (RNCryptor-Spec, version 3).
///
/// ```
/// version (1) ‖ options (1) ‖ encryption salt (8) ‖ HMAC salt (8) ‖ IV (16)
/// ```
///
/// The salts are there when bit 0 of the options is set: the file was made with a password. A header that was read is
/// not verified; of versions 0 and 1 it never is.
public struct RNCryptorHeader: Sendable, Equatable {
    /// The versions of the format.
    public enum Version: UInt8, Sendable {
        /// What was written between March and June 2012, before versions were counted.
        case zero
        /// June 2012 to January 2013: the HMAC covers the ciphertext only.
        case one
        /// To December 2013: the HMAC covers the header as well.
        case two
        /// Since then: passwords are not cut short.
        case three
    }

    /// The salts of the two keys, 8 bytes each.
    public struct Salts: Sendable, Equatable {
        /// The encryption key's.
        public let encryption: [UInt8]
        /// The HMAC key's.
        public let hmac: [UInt8]

        init(encryption: [UInt8], hmac: [UInt8]) {
            self.encryption = encryption
            self.hmac = hmac
        }

        /// Two random ones.
        init() {
            self.init(
                encryption: SecureRandom.bytes(count: RNCryptorKeys.saltSize),
                hmac: SecureRandom.bytes(count: RNCryptorKeys.saltSize)
            )
        }
    }

    /// The most bytes that a header has.
    public static let maximumSize = 34

    /// The format's version.
    public let version: Version
    /// The salts of a file that was made with a password.
    public let salts: Salts?
    /// The block that the encryption begins with, 16 bytes.
    public let iv: [UInt8]
    /// Whether version and options stand before the salts, as they do in all but the earliest files.
    private let isMarked: Bool

    /// Reads a header from the first bytes of a file.
    ///
    /// - Parameter start: `maximumSize` bytes; fewer only where the file has no more.
    /// - Throws: `notRNCryptor`, `unsupportedVersion`, `unknownOptions`, `truncated`.
    public init(_ start: Span<UInt8>) throws(RNCryptorError) {
        guard start.count >= 2 else { throw .notRNCryptor }
        let options = start[1]
        guard let version = Version(rawValue: start[0]) else {
            throw start[0] == 4 ? .unsupportedVersion(4) : .notRNCryptor
        }
        if version == .zero {
            // Its two zeros mean a password; without one, nothing was marked.
            guard options == 0 else { throw .notRNCryptor }
        } else if options > 1 {
            throw .unknownOptions(options)
        }
        try self.init(version, start.extracting(2...), hasSalts: version == .zero || options == 1, isMarked: true)
    }

    /// Reads a header of version 0 that has no mark: salts and IV of a file made with a password, or the IV alone.
    init(unmarked start: Span<UInt8>, hasSalts: Bool) throws(RNCryptorError) {
        try self.init(.zero, start, hasSalts: hasSalts, isMarked: false)
    }

    private init(
        _ version: Version,
        _ fields: Span<UInt8>,
        hasSalts: Bool,
        isMarked: Bool
    ) throws(RNCryptorError) {
        let saltSize = hasSalts ? RNCryptorKeys.saltSize : 0
        guard fields.count >= 2 * saltSize + RNCryptorFile.blockSize else { throw .truncated }
        let bytes = (0..<2 * saltSize + RNCryptorFile.blockSize).map { fields[$0] }
        salts =
            hasSalts
            ? Salts(encryption: Array(bytes[..<saltSize]), hmac: Array(bytes[saltSize..<2 * saltSize])) : nil
        iv = bytes.suffix(RNCryptorFile.blockSize)
        self.version = version
        self.isMarked = isMarked
    }

    /// The header of a new file, of version 3.
    init(salts: Salts?, iv: [UInt8]) {
        version = .three
        self.salts = salts
        self.iv = iv
        isMarked = true
    }

    /// The header as it stands in the file.
    public var bytes: [UInt8] {
        let options: UInt8 = salts != nil && version != .zero ? 1 : 0
        let mark = isMarked ? [version.rawValue, options] : []
        return mark + (salts.map { $0.encryption + $0.hmac } ?? []) + iv
    }
}
