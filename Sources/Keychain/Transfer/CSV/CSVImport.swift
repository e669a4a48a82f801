/// Logins in comma-separated values, as browsers and password managers export them: the first row says what the columns
/// are (``CSVColumn`` knows the names), in whatever order.
///
/// Columns of unknown names are kept as fields; those that have no place in a keychain, such as dates, are counted, and
/// so is what lies in KeePassXC's recycle bin. One row that cannot be read does not lose the others.
public enum CSVImport {
    /// Reads a file.
    ///
    /// - Throws: `tooLarge`; `notThisFormat` when the first row does not name the columns, of which nothing is told: it
    ///   may be a row of secrets; `tooManyRows`.
    public static func read(_ text: Span<UInt8>) throws(TransferError) -> ImportedLogins {
        guard text.count <= TransferLimits.documentSize else { throw .tooLarge(limit: TransferLimits.documentSize) }
        var reader = CSVReader(text)
        let header = try CSVHeader(&reader, text)
        var result = ImportedLogins()
        var position = 0
        while let record = reader.next(text) {
            position += 1
            let row = row(record, header.columns, text, position, &result)
            if header.isKeePassXC, case .login(let login) = row, KeePassXCBin.contains(group: login.folder ?? "") {
                result.leaveOut(ImportedLogins.inRecycleBin)
            } else {
                try result.append(row)
            }
        }
        return result
    }

    /// Whether the first row of a text names the columns of logins.
    static func hasColumns(_ text: Span<UInt8>) -> Bool {
        var reader = CSVReader(text)
        return (try? CSVHeader(&reader, text)) != nil
    }

    private static func row(
        _ record: CSVReader.Record,
        _ columns: [CSVColumn],
        _ text: Span<UInt8>,
        _ position: Int,
        _ result: inout ImportedLogins
    ) -> ImportedLogins.Row {
        do throws(RowDefect) {
            return .login(try login(try record.get(), columns, text, position, &result))
        } catch {
            return .refused(position: position, name: "", reason: error)
        }
    }

    private static func login(
        _ fields: [CSVReader.Field],
        _ columns: [CSVColumn],
        _ text: Span<UInt8>,
        _ position: Int,
        _ result: inout ImportedLogins
    ) throws(RowDefect) -> ImportedLogin {
        guard fields.count == columns.count else { throw .fieldCount(fields.count, expected: columns.count) }
        var login = ImportedLogin(position: position)
        var passedOver = 0
        for (column, field) in zip(columns, fields) where !field.range.isEmpty {
            let value = SecretValue(field.secret(in: text))
            guard value.count <= SecretValue.maximumSize else { throw .tooLarge }
            guard value.withSpan({ $0.isUTF8 }) else { throw .notUTF8 }
            switch column {
            case .title: login.title = try string(value)
            case .address: login.addresses = [try string(value)]
            case .addresses: login.addresses = addresses(try string(value))
            case .username: login.username = try string(value)
            case .folder: login.folder = try string(value)
            case .realm: login.realm = try string(value)
            case .password: login.password = value
            case .note: login.note = value
            case .oneTimeCode: login.oneTimeCode = value
            case .unknown(let name): login.add(name, value)
            case .passedOver: passedOver += 1
            }
        }
        guard !login.isEmpty else { throw .empty }
        for _ in 0..<passedOver { result.leaveOut("values such as dates and marks") }
        return login
    }

    private static func string(_ value: SecretValue) throws(RowDefect) -> String {
        guard let text = value.text else { throw .notUTF8 }
        return text
    }

    /// Bitwarden writes several addresses into one field, with commas between them; a comma may also be part of one.
    private static func addresses(_ field: String) -> [String] {
        let parts = field.split(separator: ",").map(String.init)
        return parts.allSatisfy { WebAddress($0) != nil } ? parts : [field]
    }
}
