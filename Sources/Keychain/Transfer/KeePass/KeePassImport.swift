import MildamCrypto

/// KeePass's XML exports (KeePass 2.x "XML (2.x)", KeePassXC "Export to XML"): groups, entries and their strings.
///
/// Groups become comments. Earlier versions of entries, attachments and entries in the recycle bin are counted.
/// Strings that plugins add are fields; the known forms of one-time codes (`otp`, `TimeOtp-Secret-Base32`,
/// `TOTP Seed`) are read as such, and their settings stay fields. A document type is refused, and with it every entity
/// that one could define.
public enum KeePassImport {
    /// Reads an export.
    ///
    /// - Throws: `tooLarge`; `notUTF8`, `malformed`, `documentTypeRefused`, `notThisFormat`; `tooManyRows`.
    public static func read(_ text: Span<UInt8>) throws(TransferError) -> ImportedLogins {
        guard text.count <= TransferLimits.documentSize else { throw .tooLarge(limit: TransferLimits.documentSize) }
        var document = KeePassDocument(xml: try XMLReader(text))
        return try document.read(text)
    }
}
