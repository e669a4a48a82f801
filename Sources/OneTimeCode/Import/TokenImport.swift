import MildamCrypto
import MildamOTP
import MildamWire

/// What came of importing a file: each of its rows is a token, or the reason why it is none.
public struct TokenImport: Sendable {
    /// One row.
    public struct Row: Sendable {
        /// Its number from 1: of a text its line, else its place in the file.
        public let number: Int
        /// The token, or why it is none.
        public let token: Result<OneTimePassword, TokenError>
        /// How the secret was read, where that was found out from the text itself.
        public let secretReading: SecretReading?

        /// A row that is a token.
        public init(number: Int, token: OneTimePassword) { self.init(number: number) { token } }

        init(number: Int, secretReading: SecretReading? = nil, _ token: () throws(TokenError) -> OneTimePassword) {
            self.number = number
            self.secretReading = secretReading
            self.token = Result(catching: token)
        }
    }

    /// What a secret's text was taken for.
    public enum SecretReading: String, Sendable {
        /// Base32 (RFC 4648, section 6).
        case base32
        /// Base64 (RFC 4648, sections 4 and 5).
        case base64
        /// A JSON array with a number for each byte.
        case bytes
    }

    /// What kind of file it was.
    public let format: ImportFormat
    /// Its rows, in their order.
    public let rows: [Row]

    /// The tokens.
    public var tokens: [OneTimePassword] { rows.compactMap { try? $0.token.get() } }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: the whole file, up to 16 MiB. Secrets are copied from it into secret memory only; it is the caller's to
    ///     wipe.
    ///   - format: what it is; `nil` to find out.
    ///   - password: what opens it, as it was typed in UTF-8.
    ///   - map: what the members of a token are called, for `tokenArray`.
    ///   - limits: what the file may ask for.
    /// - Throws: why nothing can be imported.
    public init(
        _ file: Span<UInt8>,
        as format: ImportFormat? = nil,
        password: SymmetricKey? = nil,
        map: FieldMap = FieldMap(),
        limits: ImportLimits = ImportLimits()
    ) throws(ImportError) {
        guard file.count <= limits.fileByteCount else { throw .tooLarge(limit: limits.fileByteCount) }
        let content: ImportedFile
        if let format { content = try ImportedFile(file, as: format) } else { content = try ImportedFile(file) }
        self.format = content.format
        rows = try TokenImport.rows(of: content, file, password, map, limits)
        try limits.check(rowCount: rows.count)  // a line of Google's export holds many
    }

    /// Each element of an array as a row.
    ///
    /// - Throws: `malformed` where there is no array; `tooManyRows`.
    static func rows(
        _ array: JSONNode?,
        _ format: ImportFormat,
        _ limits: ImportLimits,
        _ row: (JSONNode, _ number: Int) -> Row
    ) throws(ImportError) -> [Row] {
        guard let elements = array?.elements else { throw .malformed(format) }
        try limits.check(rowCount: elements.count)
        return elements.enumerated().map { index, element in row(element, index + 1) }
    }

    private static func rows(
        of content: ImportedFile,
        _ file: Span<UInt8>,
        _ password: SymmetricKey?,
        _ map: FieldMap,
        _ limits: ImportLimits
    ) throws(ImportError) -> [Row] {
        switch content.format {
        case .uriList: return try URIList.rows(file, limits)
        case .migration: return try URIList.joinedRows(file, limits)
        case .aegis: return try AegisVault.rows(content.json["db"], in: file, .aegis, limits)
        case .twoFAS: return try TwoFASBackup.rows(content.json, in: file, limits)
        case .andOTP: return try AndOTPBackup.rows(content.json, in: file, .andOTP, limits)
        case .tokenArray: return try map.rows(content.json, in: file, limits)
        case .aegisEncrypted, .twoFASEncrypted, .andOTPEncrypted, .andOTPEncryptedOld, .enteEncrypted:
            guard let password else { throw .passwordNeeded(content.format) }
            return try rows(ofEncrypted: content, file, password, limits)
        }
    }

    private static func rows(
        ofEncrypted content: ImportedFile,
        _ file: Span<UInt8>,
        _ password: SymmetricKey,
        _ limits: ImportLimits
    ) throws(ImportError) -> [Row] {
        let format = content.format
        switch format {
        case .aegisEncrypted:
            let opened = try AegisVault.open(content.json, in: file, password, limits)
            return try AegisVault.rows(ImportedFile.parse(opened.span), in: opened.span, format, limits)
        case .twoFASEncrypted:
            let opened = try TwoFASBackup.open(content.json, in: file, password, limits)
            return try TwoFASBackup.rows(services: ImportedFile.parse(opened.span), in: opened.span, format, limits)
        case .enteEncrypted:
            let opened = try EnteExport.open(content.json, in: file, password, limits)
            return try URIList.rows(opened.span, limits)
        default:
            let opened = try AndOTPBackup.open(file, password, limits, isOld: format == .andOTPEncryptedOld)
            return try AndOTPBackup.rows(ImportedFile.parse(opened.span), in: opened.span, format, limits)
        }
    }
}
