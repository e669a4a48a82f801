/// The QR codes of an image from a stranger.
///
/// Decoders are written in C, and what they read was made by anybody: whoever calls this enters `Confinement` first, and
/// holds nothing that must not be lost.
public enum Scan {
    /// How many bytes a file may have: 32 MiB.
    public static let fileLimit = 32 << 20
    /// How many pixels an image may have: 64 × 2²⁰.
    public static let pixelLimit = 64 << 20
    /// How long a side of an image may be, in pixels.
    public static let sideLimit = 16_384

    /// What each QR code in an image holds: one text at least, in the code's own bytes, which mostly are UTF-8.
    ///
    /// - Parameter file: a PNG or JPEG file.
    /// - Throws: every case of `ScanError`.
    public static func texts(in file: Span<UInt8>) throws(ScanError) -> [[UInt8]] {
        guard !file.isEmpty else { throw .empty }
        guard file.count <= fileLimit else { throw .tooLong }
        let texts = CodeReader.texts(in: try decode(file))
        guard !texts.isEmpty else { throw .noCode }
        return texts
    }

    private static func decode(_ file: Span<UInt8>) throws(ScanError) -> GreyImage {
        switch try ImageFormat(of: file) {
        case .png: try PNGDecoder.decode(file)
        case .jpeg: try JPEGDecoder.decode(file)
        }
    }
}
