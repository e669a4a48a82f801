import Foundation
import MildamOneTimeCode
import TestSupport
import Testing

@Suite("QR codes")
struct QRCodeTests {
    @Test(
        "have the modules that the program qrencode draws",
        .enabled(if: QRSamples.programsAreExpected),
        arguments: QRSamples.texts,
        QRCode.Correction.allCases
    )
    func modules(_ text: String, _ correction: QRCode.Correction) throws {
        let level: String =
            switch correction {
            case .low: "L"
            case .medium: "M"
            case .quartile: "Q"
            case .high: "H"
            }
        let drawn = try Program.run("qrencode", ["-l", level, "-m", "0", "-t", "ASCII", "-o", "-", text])
        try #require(drawn.status == 0, "\(drawn)")
        let code = try QRSamples.code(text, correction)
        let places = 0..<code.width
        let own = places.map { row in
            places.map { code.isDark(row: row, column: $0) ? "##" : "  " }.joined() + "\n"
        }.joined()
        #expect(own == drawn.output)
        #expect(code.width == 17 + 4 * code.version)
    }

    @Test("are light around")
    func quietZone() throws {
        let code = try QRSamples.code("1")
        #expect(code.width == 21 && code.version == 1)
        #expect(code.isDark(row: 0, column: 0) && code.isDark(row: 20, column: 0))
        for place in [-1, 21, .min, .max] {
            #expect(!code.isDark(row: place, column: 0) && !code.isDark(row: 0, column: place))
        }
    }

    struct Longest: Sendable {
        let correction: QRCode.Correction
        let bytes: Int
    }

    /// ISO/IEC 18004, the table of capacities: bytes in version 40.
    static let longest = [
        Longest(correction: .low, bytes: 2953), Longest(correction: .medium, bytes: 2331),
        Longest(correction: .quartile, bytes: 1663), Longest(correction: .high, bytes: 1273),
    ]

    @Test("hold what the standard says, and not a byte more", arguments: longest)
    func capacity(_ longest: Longest) throws {
        let code = try QRSamples.code(String(repeating: "a", count: longest.bytes), longest.correction)
        #expect(code.version == 40 && code.width == 177)
        #expect(throws: QRCodeError.tooLong(count: longest.bytes + 1)) {
            _ = try QRSamples.code(String(repeating: "a", count: longest.bytes + 1), longest.correction)
        }
    }

    @Test("hold more of digits, and of no text without end")
    func digits() throws {
        #expect(try QRSamples.code(String(repeating: "7", count: 7089), .low).version == 40)
        #expect(throws: QRCodeError.tooLong(count: 1 << 20)) {
            _ = try QRSamples.code(String(repeating: "7", count: 1 << 20), .low)
        }
    }

    @Test("are of a text, whole")
    func refused() {
        #expect(throws: QRCodeError.empty) { _ = try QRSamples.code("") }
        #expect(throws: QRCodeError.containsNull) { _ = try QRSamples.code("otpauth://\0totp") }
    }

    @Test("say how large they are, and nothing of the text")
    func description() throws {
        let code = try QRSamples.code(QRSamples.uri)
        #expect(code.description == "QR code, version \(code.version), \(code.width) modules wide")
        #expect("\(QRCodeError.tooLong(count: 9000))".contains("9000 bytes is too long"))
    }
}
