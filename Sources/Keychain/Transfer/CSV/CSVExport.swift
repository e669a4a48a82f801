import MildamCrypto
import MildamFiles
import MildamSystem

/// Passwords as comma-separated values (RFC 4180), with the columns `name,url,username,password,note,otpauth`, which
/// browsers and password managers read.
///
/// Everybody who can read the file reads every password: it is for moving to another program, and to be deleted then. So
/// the caller says that this is meant. Items that stay on this device are left out, and so are certificates, keys, and
/// secrets that are no text. A note or a secret of one-time codes goes into the row of the login that it was imported
/// with; without one it has a row of its own. A spreadsheet may take a text such as `=1+1` for a formula: passwords are
/// written as they are.
public enum CSVExport {
    private static let header = "name,url,username,password,note,otpauth\r\n"

    /// Writes a file with permissions 0600.
    ///
    /// - Parameters:
    ///   - acceptingPlaintext: that the caller, and whoever they ask, knows what such a file is.
    ///   - replacing: whether to take the place of what is at the path.
    /// - Throws: `plaintextNotAccepted`, `tooLarge`, `keychain`, `io`; nothing is left then.
    public static func write(
        _ keychain: any Keychain,
        to path: String,
        acceptingPlaintext: Bool,
        replacing: Bool = false
    ) throws(TransferError) -> ExportReport {
        var text = SecretBuilder(capacity: 1 << 16)
        let report = try append(keychain, to: &text, acceptingPlaintext: acceptingPlaintext)
        do throws(SystemError) { try FileTarget(path, replacing: replacing).write(text.span) } catch {
            throw .io(error)
        }
        return report
    }

    /// Appends the file's text.
    static func append(
        _ keychain: any Keychain,
        to text: inout SecretBuilder,
        acceptingPlaintext: Bool
    ) throws(TransferError) -> ExportReport {
        guard acceptingPlaintext else { throw .plaintextNotAccepted }
        var report = ExportReport()
        var rows: [CSVRow] = []
        var beside: [String: [(service: String, item: KeychainItem)]] = [:]
        for itemClass in [ItemClass.internetPassword, .genericPassword] {
            for item in try ExportedItems.list(itemClass, keychain, &report) {
                if itemClass == .genericPassword, let service = item.attributes.text(.service), CSVRow.isBeside(service)
                {
                    beside[item.attributes.text(.account) ?? "", default: []].append((service, item))
                } else {
                    rows.append(CSVRow(item))
                }
            }
        }
        for place in rows.indices {
            for (service, item) in beside[rows[place].reference] ?? [] where rows[place].take(item, service) {
                beside[rows[place].reference]?.removeAll { $0.item.reference == item.reference }
            }
        }
        for (_, rest) in beside.sorted(by: { $0.key < $1.key }) {
            for (service, item) in rest {
                var row = CSVRow(of: item)
                _ = row.take(item, service)
                rows.append(row)
            }
        }
        for itemClass in [ItemClass.certificate, .key] {
            let unsuited = try ExportedItems.list(itemClass, keychain, &report).count
            report.unsuited += unsuited
        }
        text.append(header)
        for row in rows { try row.write(to: &text, keychain, &report) }
        return report
    }
}
