import CZlib
import MildamCrypto

/// For screens and paper.
extension QRCode {
    /// The most pixels that a module's side takes in a picture; the largest code is then 11,840 pixels wide.
    public static let mostScale = 64

    /// The code with its quiet zone as a PNG file (ISO/IEC 15948) of one bit for a pixel, black on white.
    ///
    /// - Parameter scale: pixels for the side of a module, 1 to `mostScale`.
    /// - Throws: `scaleOutOfRange`.
    public borrowing func png(scale: Int = 8) throws(QRCodeError) -> SecretBytes {
        guard (1...Self.mostScale).contains(scale) else { throw .scaleOutOfRange(most: Self.mostScale) }
        let side = (width + 2 * Self.quietZone) * scale
        let image = ZlibStream.compressed(scanlines(scale: scale).span)
        // The signature; then three chunks, of 12 bytes around what each holds.
        var file = SecretWriter(capacity: 8 + 3 * 12 + 13 + image.count)
        file.append([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        // One bit deep, greyscale, compressed and filtered as all are, not interlaced.
        let header = Self.bigEndian(side) + Self.bigEndian(side) + [1, 0, 0, 0, 0]
        Self.append("IHDR", header.span, to: &file)
        Self.append("IDAT", image.span, to: &file)
        Self.append("IEND", [UInt8]().span, to: &file)
        return file.finish()
    }

    /// Rows of pixels, the highest bit first and 1 for white, each behind a filter byte of 0 (none).
    private borrowing func scanlines(scale: Int) -> SecretBytes {
        let side = (width + 2 * Self.quietZone) * scale
        let length = 1 + (side + 7) / 8
        return unsafe SecretBytes(count: side * length) { bytes in
            for row in 0..<width + 2 * Self.quietZone {
                let start = row * scale * length
                for x in 0..<side {
                    guard !isDark(row: row - Self.quietZone, column: x / scale - Self.quietZone) else { continue }
                    unsafe bytes[start + 1 + x >> 3] |= 0x80 >> UInt8(x & 7)
                }
                // The other rows of pixels through the same modules are alike.
                let first = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
                for copy in 1..<scale {
                    let place = start + copy * length
                    unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + length])
                        .copyMemory(from: first)
                }
            }
        }
    }

    /// Appends a chunk: the length of what it holds, its type, that, and the CRC-32 of the last two.
    private static func append(_ type: String, _ content: Span<UInt8>, to file: inout SecretWriter) {
        file.append(bigEndian(content.count))
        var typed = SecretWriter(capacity: 4 + content.count)
        typed.append(type.utf8)
        typed.append(content)
        let checksum = unsafe typed.written.withUnsafeBytes { bytes in
            unsafe crc32(0, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, uInt(bytes.count))
        }
        file.append(typed.written)
        file.append(bigEndian(Int(checksum)))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
