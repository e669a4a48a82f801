/// What is called by a name in a vault: a path with slashes between its parts, relative, in UTF-8.
public struct VaultName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The longest name, in bytes.
    public static let maximumSize = 4096
    /// The longest part of one, in bytes: what a file system takes.
    public static let maximumPartSize = 255

    /// The name.
    public let description: String

    /// Takes a name.
    ///
    /// - Throws: `VaultError.invalidName`.
    public init(_ text: some StringProtocol) throws(VaultError) {
        let text = String(text)
        if let defect = Self.defect(in: text.utf8Span.span) { throw .invalidName(defect) }
        description = text
    }

    private static func defect(in text: Span<UInt8>) -> VaultNameDefect? {
        if text.isEmpty { return .empty }
        if text.count > maximumSize { return .tooLong }
        var start = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "/"):
                if let defect = defect(inPart: text.extracting(start..<index)) { return defect }
                start = index + 1
            case 0: return .nul
            case 1..<0x20, 0x7F: return .controlCharacter
            default: continue
            }
        }
        return defect(inPart: text.extracting(start...))
    }

    private static func defect(inPart part: Span<UInt8>) -> VaultNameDefect? {
        if part.isEmpty { return .emptyPart }
        if part.count > maximumPartSize { return .tooLong }
        return part.count <= 2 && part.indices.allSatisfy { part[$0] == UInt8(ascii: ".") } ? .dots : nil
    }

    /// Takes a name as the system has it.
    ///
    /// - Throws: `VaultError.invalidName`, also for what is not UTF-8.
    public init(bytes: [UInt8]) throws(VaultError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidName(.notUTF8) }
        try self.init(text)
    }

    /// Takes a folder's name, which may end with a slash.
    ///
    /// - Throws: `VaultError.invalidName`.
    public static func folder(_ text: String) throws(VaultError) -> VaultName {
        try VaultName(text.utf8.count > 1 && text.hasSuffix("/") ? text.dropLast() : text[...])
    }

    /// What stands behind the last slash.
    var lastPart: Substring {
        description.utf8.lastIndex(of: UInt8(ascii: "/")).map { description[description.utf8.index(after: $0)...] }
            ?? description[...]
    }

    /// What is left of the name of something in a folder without the folder's name and its slash.
    ///
    /// - Precondition: it is in that folder.
    func below(_ folder: VaultName) -> Substring {
        description[description.utf8.index(description.startIndex, offsetBy: folder.description.utf8.count + 1)...]
    }

    /// The name up to the first slash behind so many bytes; `nil` where there is none.
    func folder(behind start: Int) -> VaultName? {
        let bytes = description.utf8.dropFirst(start)
        return bytes.firstIndex(of: UInt8(ascii: "/")).map { VaultName(sound: String(description[..<$0])) }
    }

    private init(sound text: String) {
        description = text
    }

    /// The name of something in a folder of this name.
    public func appending(_ part: some StringProtocol) throws(VaultError) -> VaultName {
        try VaultName(description + "/" + part)
    }

    /// Whether it is this name, or stands in a folder of this name.
    public func isWithin(_ folder: VaultName) -> Bool {
        self == folder || description.utf8.starts(with: (folder.description + "/").utf8)
    }

    /// By bytes: text that a reader takes for the same may be two names.
    public static func == (one: VaultName, other: VaultName) -> Bool {
        one.description.utf8.elementsEqual(other.description.utf8)
    }

    /// By bytes, too: of text that a reader takes for the same there can be millions of names, and all of them would have
    /// one hash.
    public func hash(into hasher: inout Hasher) {
        for byte in description.utf8 { hasher.combine(byte) }
    }

    /// The order of their bytes.
    public static func < (one: VaultName, other: VaultName) -> Bool {
        one.description.utf8.lexicographicallyPrecedes(other.description.utf8)
    }
}

/// Why a name cannot stand in a vault.
public enum VaultNameDefect: String, Error, Equatable, Sendable {
    case empty = "it is empty"
    case emptyPart = "it has an empty part: a slash at an end, or two together"
    case dots = "a part of it is . or .."
    case nul = "it has a NUL"
    case controlCharacter = "it has a line break or another control character"
    case notUTF8 = "it is not UTF-8"
    case tooLong = "it, or a part of it, is too long"
}
