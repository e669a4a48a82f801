/// Ciphertexts of AES-256-CBC that nothing marks and nothing authenticates. They are opened when they are named, and
/// never detected.
public enum LegacyLayout: Sendable, Equatable {
    /// What `AES256EncryptWithKey:` wrote, a category on NSData that was copied from page to page from 2009 on: the key
    /// is the password's UTF-8, with zeros up to 32 bytes; the IV is zero.
    case passwordAsKey
    /// The key is derived with PBKDF2-HMAC-SHA256; salt, IV (16 bytes) and rounds are kept elsewhere.
    case pbkdf2(salt: [UInt8], iv: [UInt8], rounds: Int)
}

/// How a password became the key that opened a file.
public enum LegacyKey: Sendable, Equatable {
    /// All of it.
    case wholePassword
    /// As many of its first characters as have room in 32 bytes. `passwordAsKey` only, as is the next: for a password
    /// above 32 bytes, `getCString:maxLength:encoding:` failed and left the key's buffer undefined.
    case truncatedPassword
    /// Nothing of it: the buffer was left as it had been, zero. Such a file is open to everybody.
    case zero
}

/// What such a file was when it opened, or seemed to.
///
/// Only the padding tells: a wrong key passes once in 256 times and gives noise, and a change anywhere but in the last
/// two blocks goes unnoticed. Whether the content is what was written is for its reader to see.
public struct LegacyOpened: Sendable, Equatable {
    /// The key that opened it.
    public let key: LegacyKey
    /// Whether another key that the password may mean has a right padding as well, and was not taken.
    public let hasOtherKey: Bool
    /// The content's size in bytes.
    public let size: Int
    /// No, never.
    public var isAuthenticated: Bool { false }
}
