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
        let type = ContentType.of(beginning)
        var kind = FileKind(beginning: beginning, size: source.size)
        // Two bytes are less than any signature.
        if case .rnCryptor = kind, type != ContentType.unknown { kind = .other }
        self.kind = kind
        mediaType = kind == .other ? type : nil
        evidence = Self.evidence(of: kind, type)
        var header: AgeHeader?
        var defect: String?
        if kind == .age || kind == .armoredAge {
            let text = try source.beginning(Self.longestHeader)
            do throws(AgeError) { header = try AgeHeader(beginning: text) } catch { defect = error.description }
        }
        self.defect = defect
        recipients = header?.stanzas.map { $0.arguments[0] } ?? []
        workFactor = header?.stanzas.first.flatMap { stanza in
            stanza.arguments.count == 3 && stanza.arguments[0] == AgeScrypt.type ? Int(stanza.arguments[2]) : nil
        }
        contentSize = header.flatMap { header in
            kind == .age ? source.size.flatMap { AgePayload.contentSize(ofSealed: $0 - header.bytes.count) } : nil
        }
        contradiction = name.flatMap { NamedType.contradiction(between: $0, and: kind, type) }
    }

    /// The longest header of an age file in armor, and its first chunk.
    private static let longestHeader = 2 * AgeHeader.maximumSize

    private static func evidence(of kind: FileKind, _ type: String) -> String {
        switch kind {
        case .age: "its first line is that of age files, \(AgeHeader.versionStart)…"
        case .armoredAge: "its first line is that of age files in text form, \(AgeArmor.begin)"
        case .rnCryptor(let version, let hasPassword):
            "it begins with the bytes 0\(version.rawValue) 0\(hasPassword && version != .zero ? 1 : 0), its length fits, "
                + "and nothing else is known to begin so; two bytes may be chance"
        case .other where type == ContentType.unknown: "no signature is known that it begins with"
        case .other: "libmagic knows its signature"
        }
    }
}

extension AgeHeader {
    /// Reads the header of a file that begins so, in armor or without.
    fileprivate init(beginning: [UInt8]) throws(AgeError) {
        var text = beginning
        if AgeArmor.canBegin(with: beginning[0]) {
            var armor = AgeArmor.Decoder()
            text = []
            try armor.decode(beginning.span, into: &text)
        }
        var parser = AgeHeaderParser()
        _ = try parser.consume(text.span)
        self = try parser.finish()
    }
}
