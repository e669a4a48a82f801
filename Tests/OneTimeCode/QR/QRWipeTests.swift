import Foundation
import Glibc
import MildamCrypto
import MildamOneTimeCode
import TestSupport
import Testing

/// What is left in memory of a code that was drawn. What libqrencode frees without wiping is not looked for: `QRCode` says
/// what that is.
@Suite(
    "Wiped memory: QR codes",
    .serialized,
    .disabled(if: Sanitizer.isOn, "a sanitizer keeps freed memory, and shadows terabytes of it")
)
struct QRWipeTests {
    @Test("The modules that libqrencode returns are wiped")
    func modules() throws {
        let text = QRSamples.uri + "&modules"
        let masked = try maskedModules(of: text)
        // Once more, and nothing after it that would take the memory.
        #expect(try QRSamples.code(text, .low).width > 40)
        #expect(try ProcessMemory.occurrences(of: masked) == 0)
    }

    /// Part of a row as libqrencode has it, each byte inverted: a module of data is its colour.
    private func maskedModules(of text: String) throws -> [UInt8] {
        let code = try QRSamples.code(text, .low)
        let row = code.width - 12
        return (code.width - 24..<code.width).map { ~(code.isDark(row: row, column: $0) ? UInt8(1) : 0) }
    }

    @Test("A picture leaves nothing of its rows, in zlib's memory or elsewhere")
    func picture() throws {
        let code = try QRSamples.code(QRSamples.uri + "&picture", .low)
        let row = 20
        // At eight pixels for a module a row is a byte for each.
        let masked = (0..<code.width).map { ~(code.isDark(row: row, column: $0) ? UInt8(0) : 255) }
        // What zlib frees stays where it was, and is not given back to the system: it lay between blocks that are in use.
        let blocks = unsafe (0..<40).map { _ in unsafe malloc(70_000) }
        for place in stride(from: 0, to: 40, by: 2) { unsafe free(blocks[place]) }
        defer { for place in stride(from: 1, to: 40, by: 2) { unsafe free(blocks[place]) } }
        try draw(code)
        #expect(try ProcessMemory.occurrences(of: masked) == 0)
    }

    @inline(never)
    private func draw(_ code: borrowing QRCode) throws {
        let file = try code.png(scale: 8)
        #expect(file.count > 100)
    }
}
