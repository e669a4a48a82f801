import FoundationEssentials
import MildamSystem

/// What can be said of a file without a key, and why. Nothing of it is verified.
public struct FileInspection: Sendable {
    /// What it is.
    public let kind: FileKind
    /// The media type (RFC 6838) of what libmagic knows; `nil` for an encrypted file.
    public let mediaType: String?
    /// What in the file says so.
    public let evidence: String
    /// The kinds of recipients of an age file, in its order: "X25519", "scrypt", "ssh-ed25519", or what else it names.
    public let recipients: [String]
    /// What opening an age file under a passphrase costs: 2 to the power of this KiB of memory.
    public let workFactor: Int?
    /// The content's size in bytes, where the format gives it away.
    public let contentSize: Int?
    /// Why the file is not what it begins as; `nil` when nothing speaks against it.
    public let defect: String?
    /// Why name and content disagree; `nil` when they do not.
    public let contradiction: String?

    /// Looks at a file.
    ///
    /// - Throws: `SystemError` when it cannot be read.
    public init(_ path: String) throws(SystemError) {
        try self.init(try FileSource(path), name: path.split(separator: "/").last.map(String.init) ?? path)
    }

    /// Looks at the beginning of a source, which stays to be read.
    ///
    /// - Parameter name: what the file is called; `nil` where nobody knows.
    public init(_ source: FileSource, name: String?) throws(SystemError) {
        let beginning = try source.beginning(FileKind.beginningSize)
        var kind = FileKind(beginning: beginning)
        var defect: String?
        var header: AgeHeader?
        var type: String?
        switch kind {
        case .age, .armoredAge:
            do throws(AgeError) {
                header = try AgeHeader(beginningOf: source)
            } catch .io(let error) {
                throw error
            } catch {
                defect = error.description
            }
        case .rnCryptor(let version, _):
            // Two bytes are less than any signature. Where the length fits as well, they are more.
            let found = ContentType.of(beginning)
            let fits = FileKind(beginning: beginning, size: source.size) != .other
            if found != ContentType.unknown, version == .zero || !fits {
                (kind, type) = (.other, found)
            } else if !fits {
                defect = RNCryptorError.truncated.description
            }
        case .other:
            type = ContentType.of(beginning)
        }
        self.kind = kind
        self.defect = defect
        mediaType = type
        evidence = Self.evidence(of: kind, type)
        recipients = header?.stanzas.map { $0.arguments[0] } ?? []
        workFactor = header?.stanzas.first.flatMap { stanza in
            stanza.arguments.count == 3 && stanza.arguments[0] == AgeScrypt.type ? Int(stanza.arguments[2]) : nil
        }
        contentSize = header.flatMap { header in
            kind == .age ? source.size.flatMap { AgePayload.contentSize(ofSealed: $0 - header.bytes.count) } : nil
        }
        contradiction = name.flatMap { NamedType.contradiction(between: $0, and: kind, type ?? ContentType.unknown) }
    }

    private static func evidence(of kind: FileKind, _ type: String?) -> String {
        switch kind {
        case .age: "its first line is that of age files, \(AgeHeader.versionStart)…"
        case .armoredAge: "its first line is that of age files in text form, \(AgeArmor.begin)"
        case .rnCryptor(let version, let hasPassword):
            "it begins with the bytes 0\(version.rawValue) 0\(hasPassword && version != .zero ? 1 : 0), as such files do; two "
                + "bytes may be chance"
        case .other where type == ContentType.unknown: "no signature is known that it begins with"
        case .other: "libmagic knows its signature"
        }
    }
}

extension AgeHeader {
    /// Reads the header of a source, in armor or without; it stays to be read.
    fileprivate init(beginningOf source: FileSource) throws(AgeError) {
        var size = FileKind.beginningSize
        while true {
            let text = try AgeError.reporting { () throws(SystemError) in try source.beginning(size) }
            var parser = AgeHeaderParser()
            if try Self.read(text, by: &parser) {
                self = try parser.finish()
                return
            }
            // In armor a header takes a third more, and a line end every 64 characters.
            guard text.count == size, size < 2 * AgeHeader.maximumSize else {
                self = try parser.finish()
                return
            }
            size *= 2
        }
    }

    /// - Returns: whether the header ended.
    private static func read(_ text: [UInt8], by parser: inout AgeHeaderParser) throws(AgeError) -> Bool {
        guard let first = text.first, AgeArmor.canBegin(with: first) else {
            return try parser.consume(text.span) < text.count
        }
        // No further than the header: the rest is looked at when it is decrypted.
        var armor = AgeArmor.Decoder()
        for start in stride(from: 0, to: text.count, by: 4096) {
            var bytes: [UInt8] = []
            try armor.decode(text.span.extracting(start..<min(start + 4096, text.count)), into: &bytes)
            if try parser.consume(bytes.span) < bytes.count { return true }
        }
        return false
    }
}
