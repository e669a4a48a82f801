import CQREncode
import Glibc
import MildamCrypto

/// A QR code (ISO/IEC 18004, model 2), drawn by libqrencode in the smallest version that holds the text.
///
/// The text is a secret where it is an `otpauth` URI, and so is the code, which is the text in another form. Everything
/// that this type makes is `SecretBytes`.
///
/// libqrencode has no way to wipe what it works with. The modules that it returns are wiped before they are freed. Its
/// copies of the text, of the bit stream, and of the modules under the seven masks that it did not choose are freed as
/// they are: they lie in this process's heap until its memory is used again, or the process ends.
public struct QRCode: ~Copyable, Sendable {
    /// How much of a code may be unreadable (ISO/IEC 18004, "error correction level").
    public enum Correction: Sendable, CaseIterable {
        /// Level L: about 7 % of the code words.
        case low
        /// Level M: about 15 %.
        case medium
        /// Level Q: about 25 %.
        case quartile
        /// Level H: about 30 %.
        case high
    }

    /// Light modules that a reader needs on every side (ISO/IEC 18004, "quiet zone").
    public static let quietZone = 4

    /// How large the code is: 1 to 40.
    public let version: Int
    /// The modules on a side, without the quiet zone: 21 to 177.
    public let width: Int
    /// A bit for each module, row by row, the lowest bit first; 1 is dark.
    private let modules: SecretBytes

    /// No code holds more characters than this: version 40-L, digits only.
    private static let mostCharacters = 7089

    /// Draws a text.
    ///
    /// - Parameters:
    ///   - text: UTF-8. Capitals, digits, and `$%*+-./:` and spaces among them take less room than other characters.
    ///   - correction: `medium` is what authenticators draw.
    /// - Throws: `empty`, `containsNull`, `tooLong`.
    public init(text: Span<UInt8>, correction: Correction = .medium) throws(QRCodeError) {
        guard !text.isEmpty else { throw .empty }
        guard text.count <= Self.mostCharacters else { throw .tooLong(count: text.count) }
        guard !text.indices.contains(where: { text[$0] == 0 }) else { throw .containsNull }
        let ended = unsafe SecretBytes(count: text.count + 1) { target in
            unsafe text.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        }
        var failure: Int32 = 0
        // The bytes are the text and the zero that ends it, which is what the function takes.
        let drawn = unsafe ended.withUnsafeBytes { bytes in
            errno = 0
            defer { failure = errno }
            return unsafe QRcode_encodeString(
                bytes.assumingMemoryBound(to: CChar.self).baseAddress,
                0,
                correction.level,
                QR_MODE_8,
                1
            )
        }
        guard let drawn = unsafe drawn else {
            guard failure == ERANGE else { fatalError("libqrencode draws nothing: error \(failure)") }
            throw .tooLong(count: text.count)
        }
        let width = unsafe Int(drawn.pointee.width)
        // One byte each, as many as the width says, until they are freed.
        let bytes = unsafe UnsafeMutableBufferPointer(start: drawn.pointee.data, count: width * width)
        version = unsafe Int(drawn.pointee.version)
        self.width = width
        modules = unsafe SecretBytes(count: (bytes.count + 7) / 8) { bits in
            for place in bytes.indices where unsafe bytes[place] & 1 != 0 {
                unsafe bits[place >> 3] |= 1 << UInt8(place & 7)
            }
        }
        if let start = bytes.baseAddress { unsafe explicit_bzero(start, bytes.count) }
        unsafe QRcode_free(drawn)
    }

    /// Whether a module is dark. Places outside of the code, as those of the quiet zone, are light.
    public borrowing func isDark(row: Int, column: Int) -> Bool {
        guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
        let place = row * width + column
        return modules.span[place >> 3] >> UInt8(place & 7) & 1 == 1
    }

    /// The version and the size, and nothing of the text: "QR code, version 4, 33 modules wide".
    public var description: String { "QR code, version \(version), \(width) modules wide" }
}

extension QRCode.Correction {
    fileprivate var level: QRecLevel {
        switch self {
        case .low: QR_ECLEVEL_L
        case .medium: QR_ECLEVEL_M
        case .quartile: QR_ECLEVEL_Q
        case .high: QR_ECLEVEL_H
        }
    }
}
