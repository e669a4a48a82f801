import CQREncode
import CZlib
import MildamOneTimeCode

/// Pixels, and the files that hold them: written here, byte by byte, so that tests can write what no tool does.
struct Picture {
    var width: Int
    var height: Int
    /// 0 is black, 255 is white.
    var pixels: [UInt8]

    /// One colour all over.
    init(width: Int, height: Int, grey: UInt8 = 255) {
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: grey, count: width * height)
    }

    /// A QR code with its quiet zone.
    init(code: borrowing QRCode, scale: Int = 4) {
        let side = (code.width + 8) * scale
        self.init(width: side, height: side)
        for y in 0..<side {
            for x in 0..<side where code.isDark(row: y / scale - 4, column: x / scale - 4) { pixels[y * side + x] = 0 }
        }
    }

    /// A QR code of bytes that names their encoding (ECI): what no other drawing here can do.
    init(_ bytes: [UInt8], encoding: UInt32) throws {
        let input = unsafe QRinput_new2(0, QR_ECLEVEL_M)
        defer { unsafe QRinput_free(input) }
        unsafe QRinput_appendECIheader(input, encoding)
        unsafe QRinput_append(input, QR_MODE_8, Int32(bytes.count), bytes)
        guard let code = unsafe QRcode_encodeInput(input) else { throw QRCodeError.empty }
        defer { unsafe QRcode_free(code) }
        let width = unsafe Int(code.pointee.width)
        let modules = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        self.init(width: (width + 8) * 4, height: (width + 8) * 4)
        for y in 16..<16 + width * 4 {
            for x in 16..<16 + width * 4 where unsafe modules[(y / 4 - 4) * width + x / 4 - 4] & 1 != 0 {
                pixels[y * self.width + x] = 0
            }
        }
    }

    /// A QR code of a text.
    init(_ text: String, scale: Int = 4) throws {
        self.init(code: try QRCode(text: Array(text.utf8).span), scale: scale)
    }

    /// The same with another on its right.
    func beside(_ other: Picture) -> Picture {
        var both = Picture(width: width + other.width, height: max(height, other.height))
        for (picture, offset) in [(self, 0), (other, width)] {
            for y in 0..<picture.height {
                for x in 0..<picture.width {
                    both.pixels[y * both.width + offset + x] = picture.pixels[y * picture.width + x]
                }
            }
        }
        return both
    }

    /// White for black.
    var inverted: Picture {
        var other = self
        other.pixels = pixels.map { ~$0 }
        return other
    }

    /// The pixels for other programs (netpbm, "P5").
    var pgm: [UInt8] { Array("P5\n\(width) \(height)\n255\n".utf8) + pixels }

    /// How a PNG file may hold its pixels: bit depth, colour type, and the bytes of a pixel.
    enum Form: CaseIterable {
        case grey, greyAlpha, rgb, rgba, palette, grey16, rgba16, transparentBlackOnClear

        var header: [UInt8] {
            switch self {
            case .grey: [8, 0]
            case .greyAlpha, .transparentBlackOnClear: [8, 4]
            case .rgb: [8, 2]
            case .rgba: [8, 6]
            case .palette: [8, 3]
            case .grey16: [16, 0]
            case .rgba16: [16, 6]
            }
        }

        func bytes(_ grey: UInt8) -> [UInt8] {
            switch self {
            case .grey: [grey]
            case .greyAlpha: [grey, 255]
            case .rgb: [grey, grey, grey]
            case .rgba: [grey, grey, grey, 255]
            case .palette: [grey == 0 ? 0 : 1]
            case .grey16: [grey, grey]
            case .rgba16: [grey, grey, grey, grey, grey, grey, 255, 255]
            // What is light is black, and cannot be seen: on white it is white.
            case .transparentBlackOnClear: [0, 255 - grey]
            }
        }
    }

    /// The pixels as a PNG file.
    func png(_ form: Form = .grey, before extra: [UInt8] = []) -> [UInt8] {
        var rows: [UInt8] = []
        for y in 0..<height {
            rows.append(0)
            for x in 0..<width { rows += form.bytes(pixels[y * width + x]) }
        }
        let palette = form == .palette ? PNGFile.chunk("PLTE", [0, 0, 0, 255, 255, 255]) : []
        return PNGFile.signature + PNGFile.header(width, height, form.header) + palette + extra
            + PNGFile.chunk("IDAT", PNGFile.compressed(rows)) + PNGFile.chunk("IEND", [])
    }
}

/// The parts of a PNG file.
enum PNGFile {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func header(_ width: Int, _ height: Int, _ form: [UInt8]) -> [UInt8] {
        chunk("IHDR", bigEndian(width) + bigEndian(height) + form + [0, 0, 0])
    }

    static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let typed = Array(type.utf8) + content
        let checksum = unsafe crc32(0, typed, uInt(typed.count))
        return bigEndian(content.count) + typed + bigEndian(Int(checksum))
    }

    static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(uLong(bytes.count))
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { target, filled in
            let status = unsafe compress2(target.baseAddress, &count, bytes, uLong(bytes.count), 9)
            precondition(status == Z_OK, "zlib has room for its own bound")
            filled = Int(count)
        }
    }

    static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
