/// Where items can come from.
public enum TransferFormat: String, CaseIterable, Sendable {
    /// An encrypted bundle of a keychain's items (``KeychainBundle``).
    case bundle
    /// Comma-separated values, as browsers and password managers export them (``CSVImport``).
    case csv
    /// Bitwarden's JSON, in clear or under a password (``BitwardenImport``).
    case bitwarden
    /// KeePass's XML (``KeePassImport``).
    case keepass
    /// The keyring of the desktop, which is no file (``KeyringProgram``).
    case secretService = "secret-service"

    /// What a file is, by its content; `nil` for what is none of these.
    public static func detect(_ file: Span<UInt8>) -> TransferFormat? {
        let age = Array("age-encryption.org/".utf8)
        if file.count >= age.count, age.indices.allSatisfy({ file[$0] == age[$0] }) { return .bundle }
        let white: [UInt8] = [0x20, 0x09, 0x0a, 0x0d]
        var start = file.byteOrderMarkSize
        while start < file.count, white.contains(file[start]) { start += 1 }
        guard start < file.count else { return nil }
        switch file[start] {
        case UInt8(ascii: "{"): return .bitwarden
        case UInt8(ascii: "<"): return .keepass
        default: return CSVImport.hasColumns(file) ? .csv : nil
        }
    }

    /// What it is, for people.
    public var title: String {
        switch self {
        case .bundle: "a bundle of a keychain's items"
        case .csv: "comma-separated values"
        case .bitwarden: "an export of Bitwarden"
        case .keepass: "an XML export of KeePass"
        case .secretService: "the desktop's keyring"
        }
    }
}
