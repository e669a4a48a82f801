import Foundation
import MildamScan
import TestSupport
import Testing

@Suite("Hostile images")
struct HostileImageTests {
    /// What comes of an image: the text, or nothing. Anything else, a trap among it, is no result.
    private func texts(in image: [UInt8]) -> [String]? {
        guard let texts = try? Scan.texts(in: image.span) else { return nil }
        return texts.map { String(decoding: $0, as: UTF8.self) }
    }

    /// A small PNG of one code, some 300 bytes.
    private func small() throws -> [UInt8] { try Picture("밀담", scale: 2).png() }

    private func jpeg() throws -> [UInt8] {
        try ScanProgram.made(by: ["cjpeg", "-quality", "60"], of: Picture("밀담").pgm)
    }

    @Test("A PNG file that is cut anywhere is refused, unless every pixel is there")
    func cutPNG() throws {
        let whole = try small()
        #expect(texts(in: whole) == ["밀담"])
        // Behind the pixels stand their checksum and the last chunk: 4 and 12 bytes.
        for count in 0..<whole.count - 16 {
            let part = Array(whole.prefix(count))
            #expect(throws: ScanError.self, "\(count) bytes") { try Scan.texts(in: part.span) }
        }
        for count in whole.count - 16..<whole.count {
            let found = texts(in: Array(whole.prefix(count)))
            #expect(found == nil || found == ["밀담"], "\(count) bytes")
        }
    }

    @Test("A PNG file with any one bit flipped is refused, or says what it said")
    func flippedPNG() throws {
        let whole = try small()
        var refused = 0
        for bit in 0..<whole.count * 8 {
            var other = whole
            other[bit >> 3] ^= 1 << UInt8(bit & 7)
            let found = texts(in: other)
            if found == nil { refused += 1 }
            #expect(found == nil || found == ["밀담"], "bit \(bit)")
        }
        #expect(refused > whole.count * 7)
    }

    @Test("A JPEG file that is cut is refused", .enabled(if: ScanProgramTests.cjpegIsExpected))
    func cutJPEG() throws {
        let whole = try jpeg()
        #expect(texts(in: whole) == ["밀담"])
        for count in stride(from: 0, to: whole.count - 2, by: Count.of(few: 13, full: 1)) {
            #expect(texts(in: Array(whole.prefix(count))) == nil, "\(count) bytes")
        }
    }

    @Test(
        "A JPEG file with a bit flipped is refused, or says what it said",
        .enabled(if: ScanProgramTests.cjpegIsExpected)
    )
    func flippedJPEG() throws {
        let whole = try jpeg()
        for bit in stride(from: 0, to: whole.count * 8, by: Count.of(few: 37, full: 1)) {
            var other = whole
            other[bit >> 3] ^= 1 << UInt8(bit & 7)
            let found = texts(in: other)
            #expect(found == nil || found == ["밀담"], "bit \(bit)")
        }
    }

    @Test("Garbage behind a signature is refused")
    func garbage() throws {
        var random = Seed.generator(for: "image garbage")
        let beginnings = [
            [0xFF, 0xD8, 0xFF], [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0], PNGFile.signature,
            PNGFile.signature + PNGFile.header(21, 21, [8, 0]), Array(try small().prefix(60)),
        ]
        for beginning in beginnings {
            for _ in 0..<Count.of(few: 100, full: 2_000) {
                let image = beginning + random.bytes(Int.random(in: 0...600, using: &random))
                #expect(texts(in: image) == nil)
            }
        }
    }

    struct Claim: Sendable, CustomTestStringConvertible {
        let width: Int
        let height: Int
        var testDescription: String { "\(width) by \(height)" }
    }

    static let claims = [
        Claim(width: Scan.sideLimit, height: Scan.sideLimit), Claim(width: Scan.sideLimit + 1, height: 1),
        Claim(width: 1, height: Scan.sideLimit + 1), Claim(width: Scan.sideLimit, height: 4097),
        Claim(width: 1_000_000, height: 1_000_000),
    ]

    @Test("An image that claims to be too large is refused before memory is taken for it", arguments: claims)
    func tooLarge(_ claim: Claim) throws {
        let image =
            PNGFile.signature + PNGFile.header(claim.width, claim.height, [8, 0])
            + PNGFile.chunk("IDAT", PNGFile.compressed([0, 0])) + PNGFile.chunk("IEND", [])
        #expect(throws: ScanError.tooManyPixels(width: claim.width, height: claim.height)) {
            try Scan.texts(in: image.span)
        }
    }

    @Test(
        "An image that claims 2³¹ pixels on a side is refused",
        arguments: [(1 << 31) - 1, 1 << 31, (1 << 32) - 1, 0]
    )
    func absurdClaim(_ side: Int) throws {
        let image =
            PNGFile.signature + PNGFile.header(side, side, [8, 0]) + PNGFile.chunk("IDAT", PNGFile.compressed([0, 0]))
        #expect(throws: ScanError.self) { try Scan.texts(in: image.span) }
        let result = try ScanProgram.read(image)
        #expect([5, 6].contains(result.status), "\(result)")
    }

    @Test("A JPEG that claims to be too large is refused", .enabled(if: ScanProgramTests.cjpegIsExpected))
    func jpegClaim() throws {
        var image = try jpeg()
        // Behind the marker of a baseline frame: its length, the precision, then height and width, 16 bits each.
        let frame = try #require(image.indices.first { image[$0] == 0xFF && image[$0 + 1] == 0xC0 })
        image.replaceSubrange(frame + 5..<frame + 9, with: [0xFD, 0xE8, 0x80, 0x00])
        #expect(throws: ScanError.tooManyPixels(width: 32_768, height: 65_000)) { try Scan.texts(in: image.span) }
    }

    @Test("A JPEG that draws the same again and again is refused", .enabled(if: ScanProgramTests.cjpegIsExpected))
    func repeatedScan() throws {
        let folder = try TemporaryFolder()
        try Data("0;\n1;\n2;\n".utf8).write(to: URL(fileURLWithPath: folder.file("scans")))
        let picture = try Picture("밀담")
        let colours =
            Array("P6\n\(picture.width) \(picture.height)\n255\n".utf8) + picture.pixels.flatMap { [$0, $0, $0] }
        let image = try ScanProgram.made(by: ["cjpeg", "-scans", folder.file("scans")], of: colours)
        #expect(texts(in: image) == ["밀담"])
        // From the marker of the last scan to that of the end.
        let start = try #require(
            image.indices.last { image[$0] == 0xFF && image[min($0 + 1, image.count - 1)] == 0xDA }
        )
        let scan = image[start..<image.count - 2]
        func repeated(_ times: Int) -> [UInt8] {
            Array(image[..<start] + Array(repeating: scan, count: times).joined() + image.suffix(2))
        }
        #expect(texts(in: repeated(400)) == ["밀담"])
        #expect(texts(in: repeated(600)) == nil)
    }

    @Test("A bomb of as many pixels as are allowed is read within the program's limits")
    func bomb() throws {
        let row = [UInt8](repeating: 0, count: 1 + 16_384 / 8)
        let rows = (0..<4096).flatMap { _ in row }
        let image =
            PNGFile.signature + PNGFile.header(16_384, 4096, [1, 0])
            + PNGFile.chunk("IDAT", PNGFile.compressed(rows)) + PNGFile.chunk("IEND", [])
        #expect(image.count < 1 << 15)
        let result = try ScanProgram.read(image)
        #expect(result.status == 4, "\(result)")
    }

    @Test("A bomb in a chunk that is no picture does not go off")
    func textBomb() throws {
        let text = Array("Comment\0\0".utf8) + PNGFile.compressed([UInt8](repeating: 0, count: 256 << 20))
        let image = try Picture("밀담").png(before: PNGFile.chunk("zTXt", text) + PNGFile.chunk("iCCP", text))
        let result = try ScanProgram.read(image)
        #expect(result.status == 0 && result.output == "밀담\n", "\(result)")
    }
}
