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
        let masked = try drawn()
        #expect(try ProcessMemory.occurrences(of: masked) == 0)
    }

    /// Part of a row as libqrencode has it, each byte inverted: a module of data is its colour.
    private func drawn() throws -> [UInt8] {
        let code = try QRSamples.code(QRSamples.uri + "&modules", .low)
        // On the right lies data, behind the codes that correct errors are told from it by another bit.
        let row = code.width - 12
        return (code.width - 24..<code.width).map { ~(code.isDark(row: row, column: $0) ? UInt8(1) : 0) }
    }

    @Test("A picture leaves nothing of its rows, in zlib's memory or elsewhere")
    func picture() throws {
        let code = try QRSamples.code(QRSamples.uri + "&picture", .low)
        try draw(code)
        let row = 20
        // At eight pixels for a module a row is a byte for each.
        let masked = (0..<code.width).map { ~(code.isDark(row: row, column: $0) ? UInt8(0) : 255) }
        #expect(try ProcessMemory.occurrences(of: masked) == 0)
    }

    @inline(never)
    private func draw(_ code: borrowing QRCode) throws {
        let file = try code.png(scale: 8)
        #expect(file.count > 100)
    }
}
