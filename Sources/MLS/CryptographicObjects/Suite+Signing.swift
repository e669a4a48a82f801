import MildamCrypto
import MildamWire

/// Signatures with a label (RFC 9420, section 5.1.2).
extension Suite {
    /// What a signature is for (RFC 9420, section 17.6).
    enum SignatureLabel: String {
        case framedContent = "FramedContentTBS"
        case leafNode = "LeafNodeTBS"
        case keyPackage = "KeyPackageTBS"
        case groupInfo = "GroupInfoTBS"
    }

    /// The most bytes that are signed, or taken for signed: 256 MiB. The lengths of the wire hold four times as many; with that
    /// much between, whatever holds something signed can be written, too.
    static let longestSigned = 1 << 28

    /// `SignWithLabel`.
    ///
    /// - Throws: `tooLong`; `signingFailed`.
    func sign(_ content: [UInt8], _ label: SignatureLabel, by key: AnySigningKey) throws(MLSError) -> [UInt8] {
        guard content.count <= Suite.longestSigned else { throw .tooLong }
        guard key.algorithm == signature else { throw .signingFailed }
        do {
            return try key.signature(for: signContent(label.rawValue, content))
        } catch {
            throw .signingFailed
        }
    }

    /// `VerifyWithLabel`; `false` for a key that is none.
    func isValid(
        _ signature: [UInt8],
        of content: [UInt8],
        _ label: SignatureLabel,
        by key: SignaturePublicKey
    ) -> Bool {
        isValid(signature, of: content, label.rawValue, by: key)
    }

    func isValid(_ value: [UInt8], of content: [UInt8], _ label: String, by key: SignaturePublicKey) -> Bool {
        guard content.count <= Suite.longestSigned, let key = try? AnyVerifyingKey(signature, key.bytes) else {
            return false
        }
        return key.isValidSignature(value, for: signContent(label, content))
    }

    ///     struct {
    ///         opaque label<V>;
    ///         opaque content<V>;
    ///     } SignContent;
    func signContent(_ label: String, _ content: [UInt8]) -> [UInt8] {
        Suite.labeled(label, content)
    }

    /// "MLS 1.0 " and the label, and a content, each as a vector.
    static func labeled(_ label: String, _ content: [UInt8]) -> [UInt8] {
        var writer = WireWriter(capacity: content.count + label.utf8.count + 16)
        appendLabel(label, to: &writer)
        writer.vector(content)
        return writer.bytes
    }

    static func appendLabel(_ label: String, to writer: inout WireWriter) {
        writer.variableLength(8 + label.utf8.count)
        writer.fixed("MLS 1.0 ".utf8)
        writer.fixed(label.utf8)
    }
}
