import MildamCrypto

/// A row of a CSV file to be.
struct CSVRow {
    let name: String
    let url: String
    let username: String
    /// What its parts are imported under: see `ImportedLogin`.
    let reference: String
    private var password: KeychainItem?
    private var note: KeychainItem?
    private var oneTimeCode: KeychainItem?

    /// The row of a password.
    init(_ item: KeychainItem) {
        let attributes = item.attributes
        username = attributes.text(.account) ?? ""
        url = item.itemClass == .internetPassword ? WebAddress.text(of: attributes) : ""
        let service = attributes.text(.service) ?? ""
        // The service is what tells it from others, and what it gets back when it is imported.
        name = item.itemClass == .internetPassword ? attributes.text(.label) ?? "" : service
        reference = ImportedLogin.reference(username, url.isEmpty ? name : url)
        password = item
    }

    /// A row for what has no login beside it.
    init(of item: KeychainItem) {
        name = item.attributes.text(.account) ?? item.attributes.text(.label) ?? ""
        (url, username, reference) = ("", "", name)
    }

    static func isBeside(_ service: String) -> Bool {
        service == ImportedLogin.noteService || service == ImportedLogin.oneTimeCodeService
    }

    /// Takes a note or a secret of one-time codes in.
    mutating func take(_ item: KeychainItem, _ service: String) -> Bool {
        if service == ImportedLogin.noteService {
            guard note == nil else { return false }
            note = item
        } else {
            guard oneTimeCode == nil else { return false }
            oneTimeCode = item
        }
        return true
    }

    /// Appends the row, or counts what cannot be written.
    func write(
        to text: inout SecretBuilder,
        _ exported: inout ExportedItems
    ) throws(TransferError) {
        var secrets: [SecretValue?] = []
        for item in [password, note, oneTimeCode] {
            var secret: SecretValue?
            if let item { secret = try exported.secret(of: item) }
            if let value = secret {
                // A secret that is no text has no place in a file of text.
                let isText = value.withSpan { $0.isUTF8 }
                if isText { exported.report.items += 1 } else { exported.report.unsuited += 1 }
                if !isText { secret = nil }
            }
            secrets.append(secret)
        }
        guard secrets.contains(where: { $0 != nil }) else { return }
        for field in [name, url, username] {
            Self.append(Array(field.utf8).span, to: &text)
            text.append(UInt8(ascii: ","))
        }
        for (place, secret) in secrets.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            secret?.withSpan { Self.append($0, to: &text) }
        }
        text.append("\r\n")
        guard text.count <= TransferLimits.documentSize else { throw .tooLarge(limit: TransferLimits.documentSize) }
    }

    /// Appends a field, quoted where it has to be.
    private static func append(_ field: Span<UInt8>, to text: inout SecretBuilder) {
        let special = Array("\",\r\n".utf8)
        guard field.indices.contains(where: { special.contains(field[$0]) }) else { return text.append(field) }
        let quote = UInt8(ascii: "\"")
        text.append(quote)
        for place in field.indices {
            text.append(field[place])
            if field[place] == quote { text.append(quote) }
        }
        text.append(quote)
    }
}
