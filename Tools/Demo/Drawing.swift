import CZlib

/// A picture that the demo draws for itself: rings on water under a moon, with grain, so that it does not compress away.
struct Drawing {
    /// Columns and rows.
    let width = 2160
    let height = 2040

    /// The picture as a PNG file, about 13 MB.
    func png() -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        file += chunk("IHDR", bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0])
        file += chunk("IDAT", compressed(pixels()))
        file += chunk("IEND", [])
        return file
    }

    /// Rows of RGB, each after a filter byte of zero (no filter).
    private func pixels() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(height * (width * 3 + 1))
        var grain = UInt64.random(in: 1 ... .max)
        for row in 0..<height {
            bytes.append(0)
            let y = Double(row) / Double(height)
            for column in 0..<width {
                let x = Double(column) / Double(width)
                let moon = max(0, 1 - 9 * ((x - 0.7) * (x - 0.7) + (y - 0.22) * (y - 0.22)).squareRoot())
                let distance = ((x - 0.45) * (x - 0.45) + 6 * (y - 0.8) * (y - 0.8)).squareRoot()
                let phase = Int(distance * 90)
                let ring = y > 0.55 && phase.isMultiple(of: 2) ? 26.0 : 0
                grain ^= grain << 13
                grain ^= grain >> 7
                grain ^= grain << 17
                bytes.append(shade(18 + 30 * y + 190 * moon + ring, grain & 63))
                bytes.append(shade(22 + 46 * y + 180 * moon + ring, grain >> 8 & 63))
                bytes.append(shade(58 + 70 * y + 120 * moon + ring, grain >> 16 & 63))
            }
        }
        return bytes
    }

    private func shade(_ value: Double, _ grain: UInt64) -> UInt8 {
        UInt8(min(255, max(0, value + Double(grain) - 31)))
    }

    private func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(uLong(bytes.count))
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { target, filled in
            let status = unsafe compress2(target.baseAddress, &count, bytes, uLong(bytes.count), 0)
            precondition(status == Z_OK, "zlib has room for its own bound")
            filled = Int(count)
        }
    }

    private func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let typed = Array(type.utf8) + content
        let checksum = unsafe crc32(0, typed, uInt(typed.count))
        return bigEndian(content.count) + typed + bigEndian(Int(checksum))
    }

    private func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
