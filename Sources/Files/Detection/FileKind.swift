import MildamSystem

/// What a file is, as its first bytes say: nothing of it is verified, and no key is needed.
public enum FileKind: Equatable, Sendable {
    /// An age file.
    case age
    /// An age file in armor.
    case armoredAge
    /// A file of RNCryptor, made with a password or with two keys. Two bytes say so, which may be chance.
    case rnCryptor(RNCryptorHeader.Version, hasPassword: Bool)
    /// Something else, or a layout that nothing marks.
    case other

    /// How many of the first bytes to look at.
    public static let beginningSize = 8192

    /// What begins so.
    ///
    /// - Parameters:
    ///   - beginning: the first `beginningSize` bytes, or all of less.
    ///   - size: the file's size in bytes, where it is known: RNCryptor's files in CBC cannot have every size.
    public init(beginning: [UInt8], size: Int? = nil) {
        if beginning.starts(with: AgeHeader.versionStart.utf8) {
            self = .age
        } else if beginning.drop(while: AgeArmor.isSpace).starts(with: AgeArmor.begin.utf8) {
            self = .armoredAge
        } else if let header = try? RNCryptorHeader(beginning.span), Self.canBe(header, size) {
            self = .rnCryptor(header.version, hasPassword: header.salts != nil)
        } else {
            self = .other
        }
    }

    private static func canBe(_ header: RNCryptorHeader, _ size: Int?) -> Bool {
        guard let size else { return true }
        let ciphertext = size - header.bytes.count - RNCryptorFile.macFieldSize
        // Version 0 has layouts in CTR, too.
        guard header.version != .zero else { return ciphertext >= 0 }
        return ciphertext > 0 && ciphertext.isMultiple(of: RNCryptorFile.blockSize)
    }
}
