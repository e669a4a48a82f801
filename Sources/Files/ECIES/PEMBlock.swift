import FoundationEssentials
import MildamCrypto
import MildamWire

/// A block of a PEM text (RFC 7468, section 3): base64 between two lines that name what it is.
struct PEMBlock: ~Copyable {
    /// What a block is, among those that hold a key of an elliptic curve, and what may stand before it.
    enum Label: String, CaseIterable {
        case publicKey = "PUBLIC KEY"
        /// PKCS #8.
        case privateKey = "PRIVATE KEY"
        /// PKCS #8 under a password.
        case encryptedPrivateKey = "ENCRYPTED PRIVATE KEY"
        /// SEC 1.
        case ecPrivateKey = "EC PRIVATE KEY"
        /// What OpenSSL writes before a private key: its curve, which the key names itself.
        case parameters = "EC PARAMETERS"

        var begin: String { "-----BEGIN \(rawValue)-----" }
        var end: String { "-----END \(rawValue)-----" }
    }

    let label: Label
    let bytes: SecretBytes

    /// The first block of a text that is no `EC PARAMETERS`. What stands before and after blocks is passed over.
    ///
    /// - Throws: `malformed` where a block does not end, or is no base64; `encrypted`; `unknown` where there is none.
    init(_ text: Span<UInt8>) throws(ECKeyError) {
        let lines = TextLine.all(of: text)
        var start = lines.startIndex
        while let place = lines[start...].firstIndex(where: { text.extracting($0.range).starts(with: "-----BEGIN ") }) {
            let line = text.extracting(lines[place].range)
            guard let label = Label.allCases.first(where: { line.equals($0.begin) }) else { throw .unknown }
            guard
                let end = lines[place...].firstIndex(where: { text.extracting($0.range).equals(label.end) })
            else { throw .malformed }
            start = end + 1
            if label == .parameters { continue }
            let body = lines[(place + 1)..<end]
            // SEC 1 under a password has headers, as RFC 1421 has them.
            if body.contains(where: { text.extracting($0.range).starts(with: "Proc-Type:") }) { throw .encrypted }
            do throws(WireError) {
                bytes = try TextLine.base64(body, of: text)
            } catch {
                throw .malformed
            }
            self.label = label
            return
        }
        throw .unknown
    }

    /// The text of a block, in lines of 64 characters.
    static func text(_ label: Label, _ bytes: Data) -> String {
        var rest = Base64.standard.encode(bytes)[...]
        var lines = [label.begin]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        lines.append(label.end)
        return lines.joined(separator: "\n")
    }
}
