/// Why a text cannot be drawn as a QR code.
public enum QRCodeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is nothing to draw.
    case empty
    /// The text has a byte 0, at which libqrencode would end it.
    case containsNull
    /// The text, of so many bytes, does not fit into the largest code at this error correction.
    case tooLong(count: Int)
    /// A picture has from 1 to `most` pixels for the side of a module.
    case scaleOutOfRange(most: Int)

    /// One line, with nothing of the text.
    public var description: String {
        switch self {
        case .empty: "an empty text makes no QR code"
        case .containsNull: "a text with a null character makes no QR code here"
        case .tooLong(let count):
            "a text of \(count) bytes is too long for a QR code: take a shorter one, or less error correction"
        case .scaleOutOfRange(let most): "a module of a QR code's picture takes from 1 to \(most) pixels"
        }
    }
}
