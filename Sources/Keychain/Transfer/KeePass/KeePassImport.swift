import MildamCrypto

/// KeePass's XML exports (KeePass 2.x "XML (2.x)", KeePassXC "Export to XML"): groups, entries and their strings.
///
/// Groups become comments. Earlier versions of entries, attachments and the recycle bin are counted. Strings that
/// plugins add are fields; the known forms of one-time codes (`otp`, `TimeOtp-Secret-Base32`, `TOTP Seed`) are read as
/// such, and their settings stay fields. A document type is refused, and with it every entity that one could define.
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

/// A document being read.
struct KeePassDocument {
    private var xml: XMLReader
    private var result = ImportedLogins()
    private var recycleBin: String?
    private var entries = 0

    init(xml: XMLReader) { self.xml = xml }

    mutating func read(_ text: Span<UInt8>) throws(TransferError) -> ImportedLogins {
        guard case .start(let name) = try xml.next(text), text.extracting(name).text == "KeePassFile" else {
            throw .notThisFormat(reason: "it is no KeePassFile of version 2")
        }
        var hasRoot = false
        try forEachChild(text) { document, name throws(TransferError) in
            switch name {
            case "Meta": try document.readMeta(text)
            case "Root":
                hasRoot = true
                try document.forEachChild(text) { document, name throws(TransferError) in
                    if name == "Group" { try document.readGroup(text, nil) } else { try document.skip(text) }
                }
            default: try document.skip(text)
            }
        }
        guard hasRoot else { throw .notThisFormat(reason: "it has no Root, as a KeePassFile has") }
        // What follows may only be space and comments.
        _ = try xml.next(text)
        return result
    }

    // MARK: Elements

    private mutating func readMeta(_ text: Span<UInt8>) throws(TransferError) {
        try forEachChild(text) { document, name throws(TransferError) in
            if name == "RecycleBinUUID" {
                document.recycleBin = try document.string(text)
            } else {
                try document.skip(text)
            }
        }
    }

    /// - Parameter path: of the groups around it; `nil` for the outermost, which has the database's name.
    private mutating func readGroup(_ text: Span<UInt8>, _ path: String?) throws(TransferError) {
        var (own, isBin) = (path, false)
        try forEachChild(text) { document, name throws(TransferError) in
            switch name {
            case "UUID":
                let identifier = try document.string(text)
                isBin = !identifier.isEmpty && identifier == document.recycleBin
            case "Name":
                let name = try document.string(text)
                if let path { own = path.isEmpty ? name : "\(path)/\(name)" }
            case "Entry" where isBin, "Group" where isBin:
                document.result.leaveOut("entries and groups in the recycle bin")
                try document.skip(text)
            case "Entry": try document.readEntry(text, own ?? "")
            case "Group": try document.readGroup(text, own ?? "")
            default: try document.skip(text)
            }
        }
    }

    private mutating func readEntry(_ text: Span<UInt8>, _ folder: String) throws(TransferError) {
        entries += 1
        var login = ImportedLogin(position: entries)
        login.folder = folder
        var defect: RowDefect?
        try forEachChild(text) { document, name throws(TransferError) in
            switch name {
            case "String":
                defect = try document.readString(text, &login) ?? defect
            case "History":
                try document.forEachChild(text) { document, _ throws(TransferError) in
                    document.result.leaveOut("earlier versions of entries")
                    try document.skip(text)
                }
            case "Binary":
                document.result.leaveOut("attachments")
                try document.skip(text)
            default: try document.skip(text)
            }
        }
        if defect == nil, login.isEmpty { defect = .empty }
        if let defect {
            try result.append(.refused(position: entries, name: login.title, reason: defect))
        } else {
            try result.append(.login(login))
        }
    }

    /// - Returns: what is wrong with it.
    private mutating func readString(
        _ text: Span<UInt8>,
        _ login: inout ImportedLogin
    ) throws(TransferError) -> RowDefect? {
        var key = ""
        var value: SecretValue?
        var isEncrypted = false
        try forEachChild(text) { document, name throws(TransferError) in
            switch name {
            case "Key": key = try document.string(text)
            case "Value":
                isEncrypted = document.isProtected(text)
                let content = try document.content(text)
                if content.count > 0 { value = SecretValue(content) }
            default: try document.skip(text)
            }
        }
        guard !isEncrypted else { return .encrypted }
        guard let value else { return nil }
        guard value.count <= SecretValue.maximumSize else { return .tooLarge }
        switch key {
        case "Title": login.title = value.text ?? ""
        case "UserName": login.username = value.text ?? ""
        case "URL": login.addresses = [value.text ?? ""]
        case "Password": login.password = value
        case "Notes": login.note = value
        case "otp" where login.oneTimeCode == nil, "TimeOtp-Secret-Base32" where login.oneTimeCode == nil,
            "TOTP Seed" where login.oneTimeCode == nil:
            login.oneTimeCode = value
        default: login.add(key, value)
        }
        return nil
    }

    /// Whether the element that began last holds a value under the file's own cipher, as only an encrypted file has.
    private func isProtected(_ text: Span<UInt8>) -> Bool {
        xml.attributes.contains { attribute in
            text.extracting(attribute.name).text == "Protected"
                && text.extracting(attribute.value).text?.lowercased() == "true"
        }
    }

    // MARK: The tree

    /// Runs `body` at the beginning of each element in the one that began last; it reads the element to its end.
    private mutating func forEachChild(
        _ text: Span<UInt8>,
        _ body: (inout KeePassDocument, String) throws(TransferError) -> Void
    ) throws(TransferError) {
        while true {
            switch try xml.next(text) {
            case .start(let name): try body(&self, text.extracting(name).text ?? "")
            case .text: break
            case .end, .finish: return
            }
        }
    }

    /// Reads the element that began last to its end, and keeps nothing of it.
    private mutating func skip(_ text: Span<UInt8>) throws(TransferError) {
        try forEachChild(text) { document, _ throws(TransferError) in try document.skip(text) }
    }

    /// The text of the element that began last, in secret memory.
    private mutating func content(_ text: Span<UInt8>) throws(TransferError) -> SecretBytes {
        var bytes = SecretBuilder()
        while true {
            switch try xml.next(text) {
            case .start: try skip(text)
            case .text(let range, let isRaw): XMLReference.append(text.extracting(range), isRaw: isRaw, to: &bytes)
            case .end, .finish: return bytes.finish()
            }
        }
    }

    /// The same, in memory that nothing wipes.
    private mutating func string(_ text: Span<UInt8>) throws(TransferError) -> String {
        try content(text).span.text ?? ""
    }
}
