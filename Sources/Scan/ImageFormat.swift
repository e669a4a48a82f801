/// The formats of images that are read.
public enum ImageFormat: String, Sendable {
    /// Portable Network Graphics (ISO/IEC 15948).
    case png = "PNG"
    /// JPEG (ITU-T T.81).
    case jpeg = "JPEG"

    /// The format of a file, by its signature.
    ///
    /// - Throws: `ScanError.unknownFormat`, with a name where the signature has one; `animated` for a PNG of several
    ///   pictures, of which only the first would be read.
    init(of file: Span<UInt8>) throws(ScanError) {
        if Self.begins(file, Self.pngSignature) {
            guard !Self.isAnimated(file) else { throw .animated }
            self = .png
        } else if Self.begins(file, [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else {
            let known = Self.others.first { Self.begins(file, Array($0.signature.utf8), at: $0.offset) }
            throw .unknownFormat(known?.name)
        }
    }

    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// What people have pictures in, and is not read.
    private static let others: [(name: String, offset: Int, signature: String)] = [
        ("GIF", 0, "GIF8"), ("WebP", 8, "WEBP"), ("BMP", 0, "BM"), ("TIFF", 0, "II*\0"), ("TIFF", 0, "MM\0*"),
        ("AVIF", 4, "ftypavif"), ("HEIC", 4, "ftyp"), ("PDF", 0, "%PDF"), ("SVG", 0, "<svg"), ("SVG", 0, "<?xml"),
        ("PNM", 0, "P4"), ("PNM", 0, "P5"), ("PNM", 0, "P6"),
    ]

    private static func begins(_ file: Span<UInt8>, _ signature: [UInt8], at offset: Int = 0) -> Bool {
        guard file.count >= offset + signature.count else { return false }
        return signature.indices.allSatisfy { file[offset + $0] == signature[$0] }
    }

    /// Whether an animation's control chunk stands before the first picture (PNG, third edition, "acTL").
    private static func isAnimated(_ file: Span<UInt8>) -> Bool {
        var place = pngSignature.count
        while place + 8 <= file.count {
            let length = (0..<4).reduce(0) { $0 << 8 | Int(file[place + $1]) }
            if begins(file, Array("acTL".utf8), at: place + 4) { return true }
            if begins(file, Array("IDAT".utf8), at: place + 4) { return false }
            // Behind length and type: what the chunk holds, and its checksum.
            place += 8 + length + 4
        }
        return false
    }
}
