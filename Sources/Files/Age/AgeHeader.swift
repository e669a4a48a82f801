import MildamCrypto
import MildamWire

/// What stands before the first chunk of an age file: the header proper, and the payload's nonce (C2SP age, "Header").
///
/// ```
/// header = v1-line 1*stanza end
/// v1-line = "age-encryption.org/v1" LF
/// end = "--- " 43base64char LF
/// ```
///
/// A header that was read is not verified: only the file key that it wraps can tell whether its MAC is right, so there
/// is no way to the file key but through that check.
public struct AgeHeader: Sendable, Equatable {
    /// The largest header that is read, in bytes, with its nonce: 1 MiB.
    public static let maximumSize = 1 << 20
    /// The longest line that is read, in bytes: 16 KiB.
    public static let maximumLineLength = 1 << 14
    /// The most stanzas that are read or written.
    public static let maximumStanzas = 4096

    static let versionStart = "age-encryption.org/"
    static let version = "v1"
    static let end = "---"

    /// The stanzas, those of unknown types too.
    public let stanzas: [AgeStanza]
    /// The payload's nonce, 16 bytes.
    let nonce: [UInt8]
    /// The header up to and including `---`: what the MAC covers.
    let authenticated: [UInt8]
    private let mac: [UInt8]

    /// A header that was read.
    init(stanzas: [AgeStanza], authenticated: [UInt8], mac: [UInt8], nonce: [UInt8]) {
        self.stanzas = stanzas
        self.authenticated = authenticated
        self.mac = mac
        self.nonce = nonce
    }

    /// A header for a file.
    ///
    /// - Parameter nonce: the payload's; a new one, unless the payload is there already.
    init(
        wrapping fileKey: AgeFileKey,
        for recipients: [any AgeRecipient],
        nonce: [UInt8] = SecureRandom.bytes(count: AgePayload.nonceSize)
    ) throws(AgeError) {
        guard !recipients.isEmpty else { throw .noRecipients }
        guard recipients.count <= AgeHeader.maximumStanzas else { throw .tooManyRecipients }
        var stanzas: [AgeStanza] = []
        var text = Array((AgeHeader.versionStart + AgeHeader.version + "\n").utf8)
        for recipient in recipients {
            guard recipients.count == 1 || !recipient.standsAlone else { throw .recipientStandsAlone }
            stanzas += try recipient.wrap(fileKey)
        }
        guard stanzas.count <= AgeHeader.maximumStanzas else { throw .tooManyRecipients }
        for stanza in stanzas { stanza.append(to: &text) }
        text.append(contentsOf: AgeHeader.end.utf8)
        self.init(
            stanzas: stanzas,
            authenticated: text,
            mac: Array(HMAC<SHA256>.authenticationCode(for: text, using: fileKey.headerKey)),
            nonce: nonce
        )
    }

    /// The header and the nonce, as they stand in the file.
    public var bytes: [UInt8] {
        authenticated + Array(" \(Base64.unpadded.encode(mac))\n".utf8) + nonce
    }

    /// The file key, for the first of the identities that a stanza is for, once the header's MAC was found right.
    ///
    /// - Throws: `noIdentityMatches`, `malformedHeader`, `headerMACMismatch`; `lockedKey` where no other identity
    ///   opens it.
    func fileKey(for identities: [any AgeIdentity]) throws(AgeError) -> AgeFileKey {
        guard let fileKey = try unverifiedFileKey(for: identities) else { throw .noIdentityMatches }
        guard
            HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: authenticated, using: fileKey.headerKey)
        else { throw .headerMACMismatch }
        return fileKey
    }

    private func unverifiedFileKey(for identities: [any AgeIdentity]) throws(AgeError) -> AgeFileKey? {
        var locked: AgeError?
        for identity in identities {
            do throws(AgeError) {
                if let fileKey = try identity.unwrap(self) { return fileKey }
            } catch {
                // A later one may need no passphrase.
                guard case .lockedKey = error else { throw error }
                locked = locked ?? error
            }
        }
        if let locked { throw locked }
        return nil
    }

    /// The first file key that `unwrap` finds in a stanza.
    ///
    /// - Throws: `malformedHeader`, with the stanza's line, for a stanza that it throws at.
    func firstKey(
        _ unwrap: (AgeStanza) throws(AgeHeaderDefect) -> AgeFileKey?
    ) throws(AgeError) -> AgeFileKey? {
        var line = 2
        for stanza in stanzas {
            do throws(AgeHeaderDefect) {
                if let fileKey = try unwrap(stanza) { return fileKey }
            } catch {
                throw .malformedHeader(line: line, error)
            }
            line += stanza.lineCount
        }
        return nil
    }
}
