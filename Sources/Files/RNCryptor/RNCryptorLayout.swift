/// The ways in which RNCryptor's files are laid out.
public enum RNCryptorLayout: Sendable, Equatable {
    /// Version 3: AES-256-CBC, HMAC-SHA256 of header and ciphertext.
    case version3
    /// Version 2: the same, and passwords may have been cut short.
    case version2
    /// Version 1: AES-256-CBC, HMAC-SHA256 of the ciphertext only.
    case version1
    /// RNCryptor 1.0 and 1.1, to 8 June 2012: AES-256-CTR, HMAC-SHA1 of the ciphertext, 12 zero bytes.
    case counterSHA1
    /// 8 to 18 June 2012: AES-256-CTR, HMAC-SHA256 of the ciphertext.
    case counterSHA256
    /// 18 to 22 June 2012: AES-256-CBC, HMAC-SHA256 of the ciphertext.
    case chainingSHA256

    /// Whether the HMAC covers the header.
    ///
    /// Where it does not, whoever can write to the file can change salts and IV unnoticed, which changes the content.
    /// With CBC, a bit changed in the IV changes that bit of the content's first 16 bytes; another encryption salt
    /// makes noise of all of it, if the padding comes out right, which it does once in 256 times. Content below 16
    /// bytes may also end elsewhere, and whoever may try often enough whether a changed file opens learns what it is.
    /// With CTR, either change makes noise of all the content.
    public var isHeaderAuthenticated: Bool { self == .version3 || self == .version2 }

    /// The one layout of a version; version 0 has several.
    init?(_ version: RNCryptorHeader.Version) {
        switch version {
        case .zero: return nil
        case .one: self = .version1
        case .two: self = .version2
        case .three: self = .version3
        }
    }

    var isChaining: Bool { self != .counterSHA1 && self != .counterSHA256 }
}

/// How to read a file.
public enum RNCryptorFormat: Sendable, Equatable {
    /// As its first bytes say.
    ///
    /// Of version 0 the HMAC tells the layouts apart, but for `counterSHA256` and `chainingSHA256`, which have the
    /// same. A ciphertext that is no multiple of 16 bytes is the first's; of the others, those whose padding is right
    /// in CBC are taken for the second's. A file of the first is mistaken then once in 16 · 256 times, and can be
    /// named.
    case detected
    /// As `detected`, but `counterSHA256` is never taken for `chainingSHA256`.
    case counterSHA256
    /// Version 0 without the two zero bytes before it: as files were written with two keys until 22 June 2012, and with
    /// a password on 19 March. Nothing marks them, so that they are never detected.
    case unmarked
    /// As `unmarked`, but `counterSHA256` is never taken for `chainingSHA256`.
    case unmarkedCounterSHA256

    var isMarked: Bool { self == .detected || self == .counterSHA256 }
    var isCounter: Bool { self == .counterSHA256 || self == .unmarkedCounterSHA256 }
}

/// What an RNCryptor file was when it opened.
public struct RNCryptorOpened: Sendable, Equatable {
    /// How it is laid out.
    public let layout: RNCryptorLayout
    /// Whether it was made with as many bytes of the password as the password has characters, which is less.
    public let isPasswordTruncated: Bool
    /// The content's size in bytes.
    public let size: Int
}
