import MildamOneTimeCode
import MildamWire

@testable import MildamScan

extension FuzzTarget {
    /// Images with QR codes. The first byte says what the rest is: a file, or the pixels of a square, a bit each.
    static let scanImage = FuzzTarget(
        name: "scan-image",
        source: .file,
        seeds: { [[0] + drawn.png, [0] + jpeg, [1] + drawn.modules, [1] + drawn.modules.map { ~$0 }] },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            if first == 0 {
                guard let texts = try? Scan.texts(in: rest.span) else { return }
                mustHold(!texts.isEmpty, "an image without a code is refused")
                planted(rest.count != drawn.png.count)
            } else {
                look(at: rest)
            }
        }
    )

    /// Looks for codes in a square of pixels: changed at random, a file would not come as far.
    private static func look(at bits: [UInt8]) {
        let side = Int(Double(bits.count * 8).squareRoot())
        guard side > 0, side <= 128, var image = try? GreyImage(width: side * 3, height: side * 3) else { return }
        let width = image.width
        let isFilled = unsafe image.fill { pixels in
            guard let pixels = unsafe pixels else { return false }
            for place in 0..<width * width {
                let bit = place / width / 3 * side + place % width / 3
                unsafe pixels[place] = bits[bit >> 3] >> UInt8(7 - bit & 7) & 1 == 1 ? 0 : 255
            }
            return true
        }
        mustHold(isFilled, "an image has pixels")
        for text in CodeReader.texts(in: image) { mustHold(text.count <= 7089, "a code holds what a code can") }
    }

    /// The smallest code, as a file, and its modules with the quiet zone, a bit each.
    private static let drawn = must { () throws(QRCodeError) -> (png: [UInt8], modules: [UInt8]) in
        let code = try QRCode(text: [UInt8(ascii: "1")].span)
        let file = try code.png(scale: 3)
        let side = code.width + 2 * QRCode.quietZone
        var modules = [UInt8](repeating: 0, count: (side * side + 7) / 8)
        for place in 0..<side * side where code.isDark(row: place / side - 4, column: place % side - 4) {
            modules[place >> 3] |= 0x80 >> UInt8(place & 7)
        }
        return (file.span.indices.map { file.span[$0] }, modules)
    }

    /// Eight by eight pixels, in grey.
    private static let jpeg = must { () throws(WireError) in
        try Base64.standard.decode(
            "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1R"
                + "V19iZ2hnPk1xeXBkeFxlZ2P/wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABkQAAIDAQAAAAAAAAAAAAAA"
                + "AAURABIUIv/aAAgBAQAAPwAuIFbq8tz/2Q=="
        )
    }
}
