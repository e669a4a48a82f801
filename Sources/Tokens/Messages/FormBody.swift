import MildamCrypto
import MildamKeychain

/// A form as `application/x-www-form-urlencoded` (RFC 6749, appendix B), put together in secret memory.
///
/// What is not a letter, a digit, or one of "-._~" is percent-encoded, spaces included: every server reads that.
struct FormBody: ~Copyable {
    private var bytes = SecretBuilder(capacity: 512)

    /// Appends a parameter.
    mutating func add(_ name: String, _ value: String) {
        addName(name)
        for byte in value.utf8 { add(byte) }
    }

    /// Appends a parameter with a secret.
    mutating func add(_ name: String, _ value: SecretValue) {
        addName(name)
        FormBody.encode(value, into: &bytes)
    }

    /// The form as it is sent.
    consuming func finish() -> SecretValue { SecretValue(bytes.finish()) }

    /// A text as a part of a query, or of what is written in such a form.
    static func encoded(_ text: String) -> String {
        var form = FormBody()
        for byte in text.utf8 { form.add(byte) }
        return String(decoding: form.finish().bytes, as: UTF8.self)
    }

    private mutating func addName(_ name: String) {
        if bytes.count > 0 { bytes.append(UInt8(ascii: "&")) }
        for byte in name.utf8 { add(byte) }
        bytes.append(UInt8(ascii: "="))
    }

    private mutating func add(_ byte: UInt8) { FormBody.encode(byte, into: &bytes) }

    /// Appends a secret as it stands in such a form.
    static func encode(_ value: SecretValue, into builder: inout SecretBuilder) {
        value.withSpan { value in
            for index in value.indices { encode(value[index], into: &builder) }
        }
    }

    private static func encode(_ byte: UInt8, into builder: inout SecretBuilder) {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            builder.append(byte)
        default:
            builder.append(UInt8(ascii: "%"))
            for half in [byte >> 4, byte & 15] { builder.append(half < 10 ? half + 0x30 : half - 10 + 0x41) }
        }
    }
}
