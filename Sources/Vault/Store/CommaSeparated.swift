/// Comma-separated values (RFC 4180).
enum CommaSeparated {
    /// The lines of a text, each as its fields; empty lines are passed over.
    ///
    /// - Parameter path: for errors.
    /// - Throws: `storeTable` for a quote that is never closed.
    static func rows(of text: String, _ path: String) throws(VaultError) -> [[String]] {
        var (rows, row, field) = ([[String]](), [String](), [UInt8]())
        var (isQuoted, wasQuoted) = (false, false)
        var bytes = Array(text.utf8)[...]
        func endField() {
            row.append(String(decoding: field, as: UTF8.self))
            field = []
            wasQuoted = false
        }
        func endRow() {
            if row.isEmpty, field.isEmpty, !wasQuoted { return }
            endField()
            rows.append(row)
            row = []
        }
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\"") where isQuoted && bytes.first == UInt8(ascii: "\""):
                field.append(byte)
                bytes.removeFirst()
            case UInt8(ascii: "\"") where isQuoted || field.isEmpty:
                isQuoted.toggle()
                wasQuoted = true
            case UInt8(ascii: ",") where !isQuoted: endField()
            case UInt8(ascii: "\r") where !isQuoted && bytes.first == UInt8(ascii: "\n"): break
            case UInt8(ascii: "\n") where !isQuoted: endRow()
            default: field.append(byte)
            }
        }
        guard !isQuoted else { throw .storeTable(path, "a quote is never closed") }
        endRow()
        return rows
    }

    /// A line of fields, each quoted where it has to be.
    static func line(_ fields: [String]) -> String {
        fields.map { field in
            let isPlain = !field.utf8.contains { "\",\r\n".utf8.contains($0) }
            let doubled = field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            return isPlain ? field : "\"\(doubled)\""
        }
        .joined(separator: ",") + "\r\n"
    }
}
