import Foundation
import MildamScan
import TestSupport
import Testing

@Suite("The program mildam-scan")
struct ScanProgramTests {
    static let qrencodeIsExpected = Program.areExpected(["qrencode"], from: "qrencode")
    static let cjpegIsExpected = Program.areExpected(["cjpeg"], from: "libjpeg-turbo-progs")

    struct Drawing: Sendable, CustomTestStringConvertible {
        let options: [String]
        let text: String
        var testDescription: String { options.joined(separator: " ") }
    }

    static let drawings =
        [1, 7, 20, 40].flatMap { version in
            ["L", "M", "Q", "H"].map { level in
                Drawing(options: ["-v", "\(version)", "-l", level, "-s", "4"], text: "v\(version)\(level)")
            }
        }
        + [3, 5, 10, 20].map { Drawing(options: ["-s", "\($0)"], text: ScanProgram.uri) }
        + [
            Drawing(options: ["-t", "PNG32"], text: ScanProgram.uri),
            Drawing(options: ["-t", "PNG32", "--background=FFFFFF00"], text: ScanProgram.uri),
            Drawing(options: ["--foreground=301090", "--background=F0E8A0"], text: ScanProgram.uri),
            Drawing(options: ["-8"], text: "otpauth://totp/밀담?secret=JBSWY3DPEHPK3PXP"),
        ]

    @Test("reads what qrencode draws", .enabled(if: qrencodeIsExpected), arguments: drawings)
    func qrencode(_ drawing: Drawing) throws {
        let folder = try TemporaryFolder()
        let drawn = try Program.run("qrencode", drawing.options + ["-o", folder.file("image"), drawing.text])
        try #require(drawn.status == 0, "\(drawn)")
        let result = try ScanProgram.read(file: folder.file("image"))
        #expect(result.status == 0 && result.output == drawing.text + "\n" && result.errors.isEmpty, "\(result)")
    }

    @Test("reads PNG files of every form", arguments: Picture.Form.allCases)
    func forms(_ form: Picture.Form) throws {
        let result = try ScanProgram.read(try Picture(ScanProgram.uri).png(form))
        #expect(result.status == 0 && result.output == ScanProgram.uri + "\n", "\(result)")
    }

    @Test(
        "reads JPEG files",
        .enabled(if: cjpegIsExpected),
        arguments: [["-quality", "90"], ["-quality", "30"], ["-progressive"], ["-grayscale", "-restart", "1"]]
    )
    func jpeg(_ options: [String]) throws {
        let file = try ScanProgram.made(by: ["cjpeg"] + options, of: Picture(ScanProgram.uri).pgm)
        #expect(file.starts(with: [0xFF, 0xD8]))
        let result = try ScanProgram.read(file)
        #expect(result.status == 0 && result.output == ScanProgram.uri + "\n", "\(result)")
    }

    struct Named: Sendable {
        let encoding: UInt32
        let bytes: [UInt8]
        let text: String
    }

    /// AIM's numbers of encodings (Extended Channel Interpretation).
    static let named = [
        Named(encoding: 26, bytes: Array("밀담".utf8), text: "밀담"),
        Named(encoding: 3, bytes: [0x63, 0x61, 0x66, 0xE9], text: "café"),
        Named(encoding: 20, bytes: [0x83, 0x65, 0x83, 0x58, 0x83, 0x67], text: "テスト"),
    ]

    @Test("converts from the encoding that a code names, though no file can be opened for it", arguments: named)
    func converted(_ named: Named) throws {
        let result = try ScanProgram.read(try Picture(named.bytes, encoding: named.encoding).png())
        #expect(result.status == 0 && result.output == named.text + "\n", "\(result)")
    }

    @Test("reads white on black")
    func inverted() throws {
        #expect(try ScanProgram.read(try Picture(ScanProgram.uri).inverted.png()).output == ScanProgram.uri + "\n")
    }

    @Test("prints every code, as lines, ended by null characters, and as JSON")
    func several() throws {
        let image = try Picture("first\nline").beside(Picture("밀담")).png()
        let lines = try ScanProgram.read(image)
        #expect(lines.status == 0)
        #expect(lines.output.split(separator: "\n").sorted() == ["first", "line", "밀담"])
        for option in ["--null", "-0"] {
            let texts = try ScanProgram.read(image, [option]).output.split(separator: "\0").sorted()
            #expect(texts == ["first\nline", "밀담"])
        }
        let json = try ScanProgram.read(image, ["--json"])
        #expect(try codes(json.output).compactMap { $0["text"] }.sorted() == ["first\nline", "밀담"])
        #expect(json.output.split(separator: "\n").count == 1, "\(json)")
    }

    @Test("gives bytes that are no text as they are, and as base64", .enabled(if: qrencodeIsExpected))
    func bytes() throws {
        let folder = try TemporaryFolder()
        try Data([0x00, 0xFF, 0x0A, 0x80, 0x41]).write(to: URL(fileURLWithPath: folder.file("bytes")))
        let drawn = try Program.run("qrencode", ["-8", "-r", folder.file("bytes"), "-o", folder.file("image")])
        try #require(drawn.status == 0, "\(drawn)")
        let json = try ScanProgram.read(file: folder.file("image"), ["--json"])
        #expect(try codes(json.output) == [["base64": "AP8KgEE="]])
        let refused = try ScanProgram.read(file: folder.file("image"), ["--null"])
        #expect(refused.status == 6 && refused.output.isEmpty && refused.errors.contains("--json"), "\(refused)")
    }

    private func codes(_ json: String) throws -> [[String: String]] {
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: [[String: String]]]
        return try #require(object?["codes"])
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let image: [UInt8]
        let status: Int32
        let words: String
        var testDescription: String { words }
    }

    static let wrong = [
        Wrong(image: [], status: 2, words: "nothing came on standard input"),
        Wrong(image: Picture(width: 64, height: 64).png(), status: 4, words: "no QR code"),
        Wrong(image: Array(Picture(width: 64, height: 64).png().prefix(50)), status: 5, words: "PNG image is damaged"),
        Wrong(image: [0xFF, 0xD8, 0xFF, 0xE0, 0, 16], status: 5, words: "JPEG image is damaged"),
        Wrong(image: Array("GIF89a".utf8), status: 6, words: "a GIF image is not read"),
        Wrong(image: Array("RIFF\0\0\0\0WEBPVP8 ".utf8), status: 6, words: "a WebP image is not read"),
        Wrong(image: Array("BM".utf8), status: 6, words: "a BMP image is not read"),
        Wrong(image: Array("\0\0\0\u{18}ftypheic".utf8), status: 6, words: "a HEIC image is not read"),
        Wrong(image: Array("%PDF-1.7".utf8), status: 6, words: "a PDF image is not read"),
        Wrong(image: Array("some text".utf8), status: 6, words: "no image that is read"),
        Wrong(
            image: Picture(width: 64, height: 64).png(before: PNGFile.chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0])),
            status: 6,
            words: "an animated PNG is not read"
        ),
        Wrong(image: [UInt8](repeating: 0, count: Scan.fileLimit + 1), status: 6, words: "larger than 32 MiB"),
    ]

    @Test("says what is wrong, by status and in words, and as JSON", arguments: wrong)
    func refused(_ wrong: Wrong) throws {
        let result = try ScanProgram.read(wrong.image)
        #expect(result.status == wrong.status && result.output.isEmpty, "\(result)")
        #expect(result.errors.hasPrefix("mildam-scan: ") && result.errors.contains(wrong.words), "\(result)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result)")
        let json = try ScanProgram.read(wrong.image, ["--json"])
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [String: Any]]
        #expect(object?["error"]?["status"] as? Int == Int(wrong.status) && json.errors.isEmpty, "\(json)")
        #expect((object?["error"]?["message"] as? String)?.contains(wrong.words) == true, "\(json)")
    }

    @Test(
        "is used wrongly",
        arguments: [[], ["--json"], ["write"], ["read", "file.png"], ["read", "--json", "--null"]]
    )
    func wrongUse(_ arguments: [String]) throws {
        let result = try Program.run("mildam-scan", arguments)
        #expect(result.status == 2 && result.output.isEmpty && !result.errors.isEmpty, "\(result)")
    }

    @Test("explains itself, with an example that works")
    func help() throws {
        let result = try Program.run("mildam-scan", ["read", "--help"])
        #expect(result.status == 0 && result.output.contains("$ mildam-scan read < screenshot.png"), "\(result)")
        #expect(try Program.run("mildam-scan", ["--version"]).output.hasPrefix("mildam-scan "))
    }

    @Test("shows on a terminal what would act on it", .enabled(if: Program.areExpected(["script"], from: "bsdutils")))
    func terminal() throws {
        let folder = try TemporaryFolder()
        let image = try Picture("a\u{1B}[2Jb\nc").png()
        try Data(image).write(to: URL(fileURLWithPath: folder.file("image")))
        let line = "\(try Program.find("mildam-scan")) read <\(folder.file("image"))"
        let result = try Program.run("script", ["-qec", line, "/dev/null"])
        #expect(result.status == 0 && result.output == "a␛[2Jb␊c\r\n", "\(result)")
        #expect(try ScanProgram.read(image).output == "a\u{1B}[2Jb\nc\n")
    }
}
