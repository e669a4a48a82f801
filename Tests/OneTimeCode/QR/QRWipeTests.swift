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
        let (masked, count) = try maskedModules(of: text)
        let blocks = unsafe holes(count)
        defer { for place in 0..<20 { unsafe free(blocks[place]) } }
        // Once more, and nothing after it that would take the memory.
        #expect(try QRSamples.code(text, .low).width * 2 > masked.count)
        #expect(try ProcessMemory.occurrences(of: masked) == 0)
    }

    /// Leaves holes in the heap for what has so many bytes, between blocks that are in use: what lies there and is freed
    /// stays where it was, and is not given back to the system. The blocks are the caller's to free.
    private func holes(_ count: Int) -> [UnsafeMutableRawPointer?] {
        let blocks = unsafe (0..<40).map { _ in unsafe malloc(count) }
        for place in stride(from: 0, to: 40, by: 2) { unsafe free(blocks[place]) }
        return unsafe stride(from: 1, to: 40, by: 2).map { unsafe blocks[$0] }
    }

    /// Part of a row as libqrencode has it, each byte inverted: a module of data is its colour.
    private func maskedModules(of text: String) throws -> (masked: [UInt8], count: Int) {
        let code = try QRSamples.code(text, .low)
        let row = code.width - 12
        let columns = code.width - 24..<code.width
        return (columns.map { ~(code.isDark(row: row, column: $0) ? UInt8(1) : 0) }, code.width * code.width)
    }

    @Test("A picture leaves nothing of its rows, in zlib's memory or elsewhere")
    func picture() throws {
        let code = try QRSamples.code(QRSamples.uri + "&picture", .low)
        let row = 20
        // At eight pixels for a module a row is a byte for each.
        let masked = (0..<code.width).map { ~(code.isDark(row: row, column: $0) ? UInt8(0) : 255) }
        let blocks = unsafe holes(70_000)
        defer { for place in 0..<20 { unsafe free(blocks[place]) } }
        try draw(code)
        #expect(try ProcessMemory.occurrences(of: masked) == 0)
    }

    @inline(never)
    private func draw(_ code: borrowing QRCode) throws {
        let file = try code.png(scale: 8)
        #expect(file.count > 100)
    }
}
