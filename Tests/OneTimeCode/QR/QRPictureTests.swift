import Foundation
import MildamCrypto
import MildamOneTimeCode
import TestSupport
import Testing

@Suite("Pictures of QR codes, read by zbarimg", .enabled(if: QRSamples.programsAreExpected))
struct QRPictureTests {
    @Test("as PNG", arguments: QRSamples.texts, QRCode.Correction.allCases)
    func png(_ text: String, _ correction: QRCode.Correction) throws {
        let file = try QRSamples.code(text, correction).png(scale: 4)
        #expect(try QRSamples.read(QRSamples.bytes(of: file)) == text)
    }

    @Test("as PNG of another scale", arguments: [2, 3, 8, 13, QRCode.mostScale])
    func scale(_ scale: Int) throws {
        let file = try QRSamples.code(QRSamples.uri).png(scale: scale)
        #expect(try QRSamples.read(QRSamples.bytes(of: file)) == QRSamples.uri)
    }

    @Test("as PNG of no scale", arguments: [0, -1, QRCode.mostScale + 1, .max])
    func refused(_ scale: Int) throws {
        let code = try QRSamples.code("1")
        #expect(throws: QRCodeError.scaleOutOfRange(most: QRCode.mostScale)) { _ = try code.png(scale: scale) }
    }

    @Test("as a terminal shows them in black on white", arguments: QRSamples.texts)
    func coloured(_ text: String) throws {
        let code = try QRSamples.code(text)
        let lines = TerminalPicture.lines(code.colouredTerminalText())
        let isFramed = lines.allSatisfy { $0.hasPrefix("\u{1B}[38;5;16;48;5;231m") && $0.hasSuffix("\u{1B}[0m") }
        #expect(isFramed)
        let cells = lines.map { $0.dropFirst("\u{1B}[38;5;16;48;5;231m".count).dropLast("\u{1B}[0m".count) }
        let picture = TerminalPicture(cells: cells.map(String.init), ink: 0, paper: 255)
        #expect(picture.columns == code.terminalColumns && picture.columns == code.width + 8)
        #expect(try QRSamples.read(picture.pgm) == text)
    }

    @Test("as a terminal with light text on a dark background shows them", arguments: QRSamples.texts)
    func plain(_ text: String) throws {
        let code = try QRSamples.code(text)
        let picture = TerminalPicture(cells: TerminalPicture.lines(code.plainTerminalText()), ink: 255, paper: 0)
        #expect(picture.columns == code.terminalColumns)
        #expect(try QRSamples.read(picture.pgm) == text)
        // The quiet zone is drawn, four modules on every side: a light frame.
        let frame = picture.rows.indices.allSatisfy { row in
            let isFrame = row < 4 || row >= 4 + code.width
            let cells = picture.rows[row]
            return (isFrame ? cells[...] : cells.prefix(4) + cells.suffix(4)).allSatisfy { $0 == 255 }
        }
        #expect(frame)
    }

    @Test("as a terminal with dark text on a light background shows them")
    func inverted() throws {
        let cells = TerminalPicture.lines(try QRSamples.code(QRSamples.uri).plainTerminalText())
        let picture = TerminalPicture(cells: cells, ink: 0, paper: 255)
        #expect(try QRSamples.read(picture.pgm) == "")
        #expect(try QRSamples.read(picture.pgm, ["-Stest-inverted"]) == QRSamples.uri)
    }
}

/// What half blocks look like.
struct TerminalPicture {
    /// A grey value for each half of a cell.
    let rows: [[UInt8]]

    static func lines(_ text: borrowing SecretBytes) -> [String] {
        var lines = String(decoding: QRSamples.bytes(of: text), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // The last newline ends a line.
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    init(cells lines: [String], ink: UInt8, paper: UInt8) {
        rows = lines.flatMap { line in
            [
                line.map { "█▀".contains($0) ? ink : paper },
                line.map { "█▄".contains($0) ? ink : paper },
            ]
        }
    }

    var columns: Int { Set(rows.map(\.count)).count == 1 ? rows[0].count : -1 }

    /// Four pixels for the side of a module (netpbm, "P5").
    var pgm: [UInt8] {
        let scale = 4
        let pixels = rows.flatMap { row in
            Array(repeating: row.flatMap { Array(repeating: $0, count: scale) }, count: scale).joined()
        }
        return Array("P5\n\(columns * scale) \(rows.count * scale)\n255\n".utf8) + pixels
    }
}
