import MildamCrypto

/// A KeePassFile being read. Each method reads the element that began last to its end.
struct KeePassDocument {
    private var xml: XMLReader
    private var result = ImportedLogins()
    private var recycleBin: String?
    private var entries = 0

    init(xml: XMLReader) { self.xml = xml }

    /// Reads the document.
    mutating func read(_ text: Span<UInt8>) throws(TransferError) -> ImportedLogins {
        guard try nextChild(text) == "KeePassFile" else {
            throw .notThisFormat(reason: "it is no KeePassFile of version 2")
        }
        var hasRoot = false
        while let name = try nextChild(text) {
            switch name {
            case "Meta": try readMeta(text)
            case "Root":
                hasRoot = true
                try readRoot(text)
            default: try skip(text)
            }
        }
        guard hasRoot else { throw .notThisFormat(reason: "it has no Root, as a KeePassFile has") }
        // What follows may only be space and comments, and then the end.
        guard case .finish = try xml.next(text) else {
            throw .malformed(at: xml.position, reason: "it goes on after its end")
        }
        return result
    }

    private mutating func readMeta(_ text: Span<UInt8>) throws(TransferError) {
        while let name = try nextChild(text) {
            if name == "RecycleBinUUID" { recycleBin = try string(text) } else { try skip(text) }
        }
    }

    private mutating func readRoot(_ text: Span<UInt8>) throws(TransferError) {
        while let name = try nextChild(text) {
            if name == "Group" { try readGroup(text, in: nil) } else { try skip(text) }
        }
    }

    /// - Parameter path: of the groups around it; `nil` for the outermost, which has the database's name.
    private mutating func readGroup(_ text: Span<UInt8>, in path: String?) throws(TransferError) {
        var own = ""
        var isBin = false
        let (rowsBefore, leftOutBefore, entriesBefore) = (result.rows.count, result.leftOut, entries)
        while let name = try nextChild(text) {
            switch name {
            case "UUID":
                let identifier = try string(text)
                isBin = !identifier.isEmpty && identifier == recycleBin
            case "Name":
                let name = try string(text)
                guard (path ?? "").utf8.count + name.utf8.count < TransferLimits.folder else {
                    throw .malformed(at: xml.position, reason: "the names of its groups are too long")
                }
                if let path { own = path.isEmpty ? name : "\(path)/\(name)" }
            case "Entry" where isBin:
                entries += 1
                try skip(text)
            case "Group" where isBin: try countEntries(text)
            case "Entry": try readEntry(text, in: own)
            case "Group": try readGroup(text, in: own)
            default: try skip(text)
            }
        }
        guard isBin else { return }
        // What stands before the group's UUID was read like any other.
        result.rows.removeLast(result.rows.count - rowsBefore)
        result.leftOut = leftOutBefore
        result.leaveOut(ImportedLogins.inRecycleBin, entries - entriesBefore)
    }

    /// Counts the entries of a group, and of those in it.
    private mutating func countEntries(_ text: Span<UInt8>) throws(TransferError) {
        while let name = try nextChild(text) {
            if name == "Group" {
                try countEntries(text)
            } else {
                if name == "Entry" { entries += 1 }
                try skip(text)
            }
        }
    }

    private mutating func readEntry(_ text: Span<UInt8>, in folder: String) throws(TransferError) {
        entries += 1
        var login = ImportedLogin(position: entries)
        login.folder = folder
        var defect: RowDefect?
        while let name = try nextChild(text) {
            switch name {
            case "String":
                if let found = try readString(text, &login) { defect = found }
            case "History":
                while try nextChild(text) != nil {
                    result.leaveOut("earlier versions of entries")
                    try skip(text)
                }
            case "Binary":
                result.leaveOut("attachments")
                try skip(text)
            default: try skip(text)
            }
        }
        if defect == nil, login.isEmpty { defect = .empty }
        if let defect {
            try result.append(.refused(position: login.position, name: login.title, reason: defect))
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
        while let name = try nextChild(text) {
            switch name {
            case "Key": key = try string(text)
            case "Value":
                // So it is under the file's own cipher, as only an encrypted file has it.
                isEncrypted = xml.attribute("Protected", in: text)?.lowercased() == "true"
                value = SecretValue(try content(text))
            default: try skip(text)
            }
        }
        guard !isEncrypted else { return .encrypted }
        guard let value, value.count > 0 else { return nil }
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

    // MARK: The tree

    /// Reads on to where the next element begins.
    ///
    /// - Returns: its name; `nil` where the element around it ends.
    private mutating func nextChild(_ text: Span<UInt8>) throws(TransferError) -> String? {
        var event = try xml.next(text)
        while case .text = event { event = try xml.next(text) }
        guard case .start(let name) = event else { return nil }
        return text.extracting(name).text
    }

    private mutating func skip(_ text: Span<UInt8>) throws(TransferError) {
        while try nextChild(text) != nil { try skip(text) }
    }

    /// The text, in secret memory.
    private mutating func content(_ text: Span<UInt8>) throws(TransferError) -> SecretBytes {
        var bytes = SecretBuilder()
        var isOpen = true
        while isOpen {
            switch try xml.next(text) {
            case .start: try skip(text)
            case .text(let range, let isRaw): XMLReference.append(text.extracting(range), isRaw: isRaw, to: &bytes)
            case .end, .finish: isOpen = false
            }
        }
        return bytes.finish()
    }

    /// The same, in memory that nothing wipes.
    private mutating func string(_ text: Span<UInt8>) throws(TransferError) -> String {
        let bytes = try content(text)
        guard let string = bytes.span.text else { throw .notUTF8 }
        return string
    }
}
