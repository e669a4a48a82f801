/// The first row of a CSV file: what the columns are, and whether it is KeePassXC's.
struct CSVHeader {
    let columns: [CSVColumn]
    /// Whether the columns are those of KeePassXC, which writes what is in its recycle bin like any other group.
    let isKeePassXC: Bool

    /// Reads the first row.
    ///
    /// - Throws: `notThisFormat`, of which nothing is told: it may be a row of secrets.
    init(_ reader: inout CSVReader, _ text: Span<UInt8>) throws(TransferError) {
        guard let first = reader.next(text), case .success(let fields) = first else {
            throw .notThisFormat(reason: "its first row does not name its columns")
        }
        var names: [String] = []
        var columns: [CSVColumn] = []
        for field in fields {
            guard field.range.count <= 256, let name = field.string(in: text) else {
                throw .notThisFormat(reason: "its first row does not name its columns")
            }
            let column = CSVColumn(name)
            guard column.canRepeat || !columns.contains(column) else {
                throw .notThisFormat(reason: "two of its columns are for the same")
            }
            names.append(name)
            columns.append(column)
        }
        let hasPlace = [.title, .address, .addresses, .username].contains { columns.contains($0) }
        guard hasPlace, [.password, .note, .oneTimeCode].contains(where: { columns.contains($0) }) else {
            throw .notThisFormat(
                reason: "its first row does not name the columns of logins, such as name,url,username,password"
            )
        }
        self.columns = columns
        isKeePassXC = names.starts(with: ["Group", "Title", "Username", "Password", "URL", "Notes"])
    }
}
