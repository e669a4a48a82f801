import MildamCrypto
import MildamSystem

/// Why an age file was not written or not opened.
///
/// What the format lets one tell apart is told apart: nothing opens the file (`noIdentityMatches`), or it was opened
/// and its header (`headerMACMismatch`) or content (`damaged`, `truncated`, `trailingData`) is not what its sender wrote.
public enum AgeError: Error, Equatable, Sendable, SystemFailure {
    /// The text is no X25519 identity, `AGE-SECRET-KEY-1…`.
    case invalidIdentity
    /// The text is no X25519 recipient, `age1…`, or nothing can be encrypted to it.
    case invalidRecipient
    /// A file for nobody.
    case noRecipients
    /// A passphrase beside other recipients: whoever opens such a file could not know that it was made by somebody who
    /// knows the passphrase.
    case recipientStandsAlone
    /// A passphrase without a character.
    case emptyPassphrase
    /// A file under a passphrase asks for more work than the reader allows: `factor` is the exponent of its cost, and
    /// each step up doubles time and memory.
    case workFactorTooHigh(_ factor: Int, limit: Int)
    /// More recipients than `AgeHeader.maximumStanzas`.
    case tooManyRecipients
    /// The header breaks the format; lines are counted from 1.
    case malformedHeader(line: Int, AgeHeaderDefect)
    /// The armor breaks its rules; lines are counted from 1, and those of white space before it too.
    case malformedArmor(line: Int, AgeArmorDefect)
    /// An age file of another version than `v1`.
    case unsupportedVersion(String)
    /// The plugin of this name is not on `PATH`.
    case pluginMissing(String)
    /// The plugin of this name failed, for a reason in its own words, which are foreign text, or in ours.
    case pluginFailed(String, String)
    /// A key file under a passphrase was not opened.
    case lockedKey(file: String, AgeKeyLock)
    /// None of the identities opens the file, or the stanza for one of them is damaged.
    case noIdentityMatches
    /// An identity opened the file, but its header was changed after it was written.
    case headerMACMismatch
    /// A chunk of the content, counted from 0, is not what was written, or is cut.
    case damaged(chunk: Int)
    /// The file ends before its last chunk.
    case truncated
    /// Bytes follow the last chunk.
    case trailingData
    /// The file is not the one that was announced: its size or its digest differs.
    case differentCiphertext
    /// The file changed while it was read, so that what was read is perhaps no state that it ever had.
    case sourceChanged
    /// The caller called it off.
    case cancelled
    /// The operating system refused.
    case io(SystemError)
    /// The cryptographic library refused.
    case cryptography(CryptoKitError)
}

/// What is wrong with a line of an age header.
public enum AgeHeaderDefect: String, Error, Equatable, Sendable {
    /// It does not start as an age file does.
    case notAgeFile = "this is no age file"
    /// The file ends within the header.
    case endsEarly = "the file ends before the header does"
    /// The file ends before, or within, the nonce that follows the header.
    case nonceMissing = "the file ends where its header does"
    /// The line, or the whole header, is longer than this program reads.
    case tooLong = "the header is too long"
    /// More stanzas than this program reads.
    case tooManyStanzas = "the header has too many recipients"
    /// Neither a stanza nor the end, or the end before the first stanza.
    case unexpectedLine = "neither a recipient nor the end of the header"
    /// A stanza's arguments are missing, empty, or not printable ASCII.
    case invalidArguments = "the arguments of a recipient are malformed"
    /// A line of a stanza's body is too long or no canonical base64.
    case invalidBody = "the body of a recipient is malformed"
    /// The header's MAC is not 32 bytes in canonical base64.
    case invalidMAC = "the MAC of the header is malformed"
    /// An X25519 stanza without exactly one share of 32 bytes and a body of 32 bytes, or with a share of low order.
    case invalidX25519 = "an X25519 recipient is malformed"
    /// A scrypt stanza beside another stanza: whoever knows the passphrase could not know who else wrote the file.
    case scryptNotAlone = "a passphrase stands beside other recipients"
    /// A scrypt stanza without exactly one salt of 16 bytes, one work factor in plain decimal, and a body of 32 bytes.
    case invalidScrypt = "a passphrase recipient is malformed"
    /// An ssh-ed25519 stanza without exactly one tag, one share of 32 bytes and a body of 32 bytes, or with a share of
    /// low order.
    case invalidSSH = "an ssh-ed25519 recipient is malformed"
    /// An ssh-rsa stanza without exactly one tag, or, for the key that is tried, of another size than its own.
    case invalidSSHRSA = "an ssh-rsa recipient is malformed"
}

/// What is wrong with a line of an age file's armor.
public enum AgeArmorDefect: String, Error, Equatable, Sendable {
    /// It is not the line that armor begins with.
    case notArmor = "this is no age file in text form"
    /// The text ends before the line that armor ends with.
    case endsEarly = "the text ends before its last line"
    /// More than 64 characters.
    case lineTooLong = "the line has more than 64 characters"
    /// No characters.
    case emptyLine = "the line is empty"
    /// Not canonical, padded base64.
    case invalidBase64 = "the line is malformed base64"
    /// Something other than the end after a line that was not full.
    case lineAfterLast = "the line stands where the text should end"
    /// Something other than white space after the end.
    case trailingData = "the text goes on after its end"
    /// More white space before or after the armor than `AgeArmor.maximumSpace`.
    case tooMuchSpace = "too much white space around the text"
}

extension AgeError: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .invalidIdentity: "not an age identity (AGE-SECRET-KEY-1…)"
        case .invalidRecipient: "not an age recipient (age1…)"
        case .noRecipients: "an age file needs a recipient"
        case .recipientStandsAlone: "a passphrase cannot be combined with other recipients"
        case .tooManyRecipients: "an age file takes at most \(AgeHeader.maximumStanzas) recipients"
        case .emptyPassphrase: "the passphrase is empty"
        case .workFactorTooHigh(let factor, let limit):
            "opening this file takes too much work: its passphrase's work factor is \(factor), and the limit \(limit)"
        case .malformedArmor(let line, let defect): "malformed text form, line \(line): \(defect.rawValue)"
        case .malformedHeader(_, .nonceMissing): "the end of the file is missing"
        case .malformedHeader(let line, let defect): "malformed header, line \(line): \(defect.rawValue)"
        case .unsupportedVersion(let version): "an age file of version \(version); only v1 can be read"
        case .pluginMissing(let name): "age-plugin-\(name) is not on PATH"
        case .pluginFailed(let name, let reason): "age-plugin-\(name) failed: \(reason)"
        case .lockedKey(let file, let lock): "\(file): \(lock)"
        case .noIdentityMatches: "no identity opens this file: wrong key or passphrase, or damaged header"
        case .headerMACMismatch: "the header was changed after the file was written"
        case .damaged(let chunk): "the file is damaged in chunk \(chunk)"
        case .truncated: "the end of the file is missing"
        case .trailingData: "the file goes on after its end"
        case .differentCiphertext: "this is not the file that was announced: its size or digest differs"
        case .sourceChanged: "the file changed while it was read"
        case .cancelled: "cancelled"
        case .io(let error): error.description
        case .cryptography(let error): "the cryptographic library refused: \(error)"
        }
    }
}

/// Does what the system may refuse, and reports the refusal as an `AgeError`.
func io<Result: ~Copyable>(_ body: () throws(SystemError) -> Result) throws(AgeError) -> Result {
    try AgeError.reporting(body)
}
