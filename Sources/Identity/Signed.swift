import FoundationEssentials
import MildamCrypto
import MildamWire

/// A structure that is signed as a whole under a label of its own.
public protocol Signable: WireEncodable, WireDecodable, Sendable {
    /// What the signature says it is.
    static var label: Label { get }
}

/// A structure and an Ed25519 signature that nobody has checked yet: `{ content; opaque signature[64]; }`.
///
/// The content is out of reach until ``verified(under:)`` has returned it.
public struct Signed<Content: Signable>: Sendable, WireEncodable, WireDecodable {
    private let content: Content
    private let signature: [UInt8]

    /// Signs.
    public init(_ content: Content, by key: Curve25519.Signing.PrivateKey) {
        self.content = content
        signature = Array(key.signature(for: Content.label.over(content)))
    }

    /// The content, if `key` signed it.
    public func verified(under key: Curve25519.Signing.PublicKey) throws(IdentityError) -> Content {
        guard key.isValidSignature(signature, for: Content.label.over(content)) else {
            throw .badSignature(Content.label.text)
        }
        return content
    }

    /// What it claims to be, before any check: only to find the key to check it with.
    package var claimed: Content { content }

    /// Appends content and signature.
    public func encode(into writer: inout WireWriter) {
        content.encode(into: &writer)
        writer.fixed(signature)
    }

    /// Reads content and signature; checks neither.
    public init(from reader: inout WireReader) throws(WireError) {
        content = try Content(from: &reader)
        signature = try reader.fixed(64)
    }
}

extension Signed: Codable {
    /// Reads base64 of the encoding.
    public init(from decoder: any Decoder) throws {
        try self.init(wireBytes: Array(decoder.singleValueContainer().decode(Data.self)))
    }

    /// Writes base64 of the encoding.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(wireBytes))
    }
}
