import MildamOTP
import MildamWire

/// A file that was looked at: what kind it is, and what it holds as JSON, if it is that.
struct ImportedFile {
    let format: ImportFormat
    let json: JSONNode

    /// Looks at a file.
    ///
    /// - Throws: `malformedJSON` for what begins as JSON and is none; `unknownFormat`.
    init(_ file: Span<UInt8>) throws(ImportError) {
        let text = file.extracting(file.trimmedRange)
        if text.count > 0, text[0] == UInt8(ascii: "{") || text[0] == UInt8(ascii: "[") {
            json = try ImportedFile.parse(file)
            guard let format = ImportedFile.format(of: json) else { throw .unknownFormat }
            self.format = format
            return
        }
        json = .null
        guard let format = ImportedFile.format(ofLines: text) ?? ImportedFile.format(ofBinary: file) else {
            throw .unknownFormat
        }
        self.format = format
    }

    /// Takes a file for one of a format, which its content may contradict.
    ///
    /// - Throws: `malformedJSON`.
    init(_ file: Span<UInt8>, as format: ImportFormat) throws(ImportError) {
        self.format = format
        switch format {
        case .aegis, .aegisEncrypted, .twoFAS, .twoFASEncrypted, .andOTP, .enteEncrypted, .tokenArray:
            json = try ImportedFile.parse(file)
        case .uriList, .migration, .andOTPEncrypted, .andOTPEncryptedOld: json = .null
        }
    }

    /// Reads a JSON text.
    static func parse(_ text: Span<UInt8>) throws(ImportError) -> JSONNode {
        do { return try JSONReader.read(text) } catch { throw .malformedJSON(error) }
    }

    private static func format(of json: JSONNode) -> ImportFormat? {
        if let elements = json.elements {
            let isAndOTP = elements.first.map { first in
                ["secret", "label", "type", "algorithm"].allSatisfy { first[$0] != nil }
                    && ["thumbnail", "last_used", "tags"].contains { first[$0] != nil }
            }
            return isAndOTP == true ? .andOTP : .tokenArray
        }
        if json["header"] != nil, let content = json["db"] {
            if case .string = content { return .aegisEncrypted }
            return .aegis
        }
        if json["schemaVersion"] != nil, json["services"] != nil || json["servicesEncrypted"] != nil {
            return json["servicesEncrypted"] == nil ? .twoFAS : .twoFASEncrypted
        }
        if json["kdfParams"] != nil, json["encryptedData"] != nil { return .enteEncrypted }
        return nil
    }

    /// The format of a text by its first line that says something.
    private static func format(ofLines text: Span<UInt8>) -> ImportFormat? {
        guard let first = TextLine.first(1, of: text).first else { return nil }
        let line = text.extracting(first.range)
        if line.starts(with: "otpauth-migration://") { return .migration }
        return line.starts(with: "otpauth://") || line.starts(with: "motp://") ? .uriList : nil
    }

    private static func format(ofBinary file: Span<UInt8>) -> ImportFormat? {
        guard (try? UTF8Span(validating: file)) == nil, AndOTPBackup.hasPlausibleRounds(file) else { return nil }
        return .andOTPEncrypted
    }
}
