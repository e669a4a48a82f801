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
        guard !text.isEmpty else { throw .invalidName(.empty) }
        guard text.utf8.count <= Self.maximumSize else { throw .invalidName(.tooLong) }
        for part in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !part.isEmpty else { throw .invalidName(.emptyPart) }
            guard part.count <= Self.maximumPartSize else { throw .invalidName(.tooLong) }
            guard !part.elementsEqual(".".utf8), !part.elementsEqual("..".utf8) else { throw .invalidName(.dots) }
            guard !part.contains(0) else { throw .invalidName(.nul) }
            guard !part.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .invalidName(.controlCharacter) }
        }
        description = String(text)
    }

    /// Takes a name as the system has it.
    ///
    /// - Throws: `VaultError.invalidName`, also for what is not UTF-8.
    public init(bytes: [UInt8]) throws(VaultError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidName(.notUTF8) }
        try self.init(text)
    }

    /// The name of something in a folder of this name.
    public func appending(_ part: some StringProtocol) throws(VaultError) -> VaultName {
        try VaultName(description + "/" + part)
    }

    /// Whether it is this name, or stands in a folder of this name.
    public func isWithin(_ folder: VaultName) -> Bool {
        self == folder || description.utf8.starts(with: (folder.description + "/").utf8)
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
