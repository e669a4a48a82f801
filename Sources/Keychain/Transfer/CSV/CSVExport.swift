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
    /// - Returns: how many items it has, and what was left out.
    /// - Throws: `plaintextNotAccepted`, `tooLarge`, `keychain` when it is locked, `io`; nothing is left then.
    public static func write(
        _ keychain: LocalKeychain,
        to path: String,
        acceptingPlaintext: Bool,
        replacing: Bool = false
    ) throws(TransferError) -> ExportReport {
        guard acceptingPlaintext else { throw .plaintextNotAccepted }
        var text = SecretBuilder(capacity: 1 << 16)
        var exported = try ExportedItems(keychain)
        text.append(header)
        for row in rows(of: exported.items) { try row.write(to: &text, &exported) }
        exported.report.unsuited += exported.items.count { !hasPlace($0) }
        do throws(SystemError) { try FileTarget(path, replacing: replacing).write(text.span) } catch {
            throw .io(error)
        }
        return exported.report
    }

    private static func hasPlace(_ item: KeychainItem) -> Bool {
        item.itemClass == .internetPassword || item.itemClass == .genericPassword
    }

    /// The rows: those of the network first, and last the notes and one-time codes that are beside no login.
    private static func rows(of items: [KeychainItem]) -> [CSVRow] {
        var rows: [CSVRow] = []
        var beside: [String: [(service: String, item: KeychainItem)]] = [:]
        for itemClass in [ItemClass.internetPassword, .genericPassword] {
            for item in items where item.itemClass == itemClass {
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
        return rows
    }
}
