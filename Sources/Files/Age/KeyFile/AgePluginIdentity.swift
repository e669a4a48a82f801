import MildamCrypto
import MildamWire

/// A key that another program holds or reaches, `AGE-PLUGIN-NAME-1…` (C2SP age-plugin, "Identity encoding"). It is read
/// and kept, and opens nothing by itself.
public struct AgePluginIdentity: Sendable, CustomStringConvertible, CustomReflectable {
    static let prefix = "AGE-PLUGIN-"

    /// The plugin's name in lower case: letters, digits, and `+-._`. Its program is `age-plugin-NAME`.
    public let name: String
    private let text: SymmetricKey

    /// Reads `AGE-PLUGIN-NAME-1…`, upper case.
    ///
    /// - Throws: `malformedAgeKey` for anything else.
    public init(_ text: borrowing SecretBytes) throws(AgeKeyDefect) {
        let prefix = unsafe text.withUnsafeBytes { text in
            unsafe text.lastIndex(of: UInt8(ascii: "1")).map { unsafe String(decoding: text[..<$0], as: UTF8.self) }
        }
        guard let prefix, prefix.hasPrefix(AgePluginIdentity.prefix), prefix.hasSuffix("-"),
            let name = AgePluginIdentity.name(prefix.dropFirst(AgePluginIdentity.prefix.count).dropLast())
        else { throw .malformedAgeKey }
        // The checksum has 6 characters; of the others 8 stand for 5 bytes.
        let characters = text.count - prefix.utf8.count - 7
        guard characters >= 0 else { throw .malformedAgeKey }
        do {
            try unsafe text.withUnsafeBytes { (text) throws(WireError) in
                _ = try unsafe SecretBytes(count: characters * 5 / 8) { (memory) throws(WireError) in
                    var content = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
                    try unsafe Bech32.decode(ascii: text, prefix: prefix, into: &content)
                }
            }
        } catch {
            throw .malformedAgeKey
        }
        self.name = name
        self.text = SymmetricKey(SecretBytes(copying: text.span))
    }

    /// The name is going to be part of a program's: nothing in it may lead elsewhere.
    private static func name(_ text: Substring) -> String? {
        let isName = text.utf8.allSatisfy {
            (65...90).contains($0) || (48...57).contains($0) || "+-._".utf8.contains($0)
        }
        return isName && !text.isEmpty ? text.lowercased() : nil
    }

    /// Runs `body` on the text's bytes; the pointer is valid in it only.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe text.withUnsafeBytes(body)
    }

    /// The plugin's name, and nothing of the key.
    public var description: String { "AgePluginIdentity of \(name)" }

    /// Empty: a dump shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
