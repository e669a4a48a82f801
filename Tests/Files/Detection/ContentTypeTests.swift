import MildamFiles
import Testing

/// What content is by its beginning. What a glimpse finds, libmagic finds as well.
@Suite struct ContentTypeTests {
    struct Sample: CustomTestStringConvertible, Sendable {
        let type: String
        let bytes: [UInt8]
        var testDescription: String { type }

        init(_ type: String, _ parts: [UInt8]..., filler: Int = 64) {
            self.init(type, parts, filler)
        }

        init(_ type: String, _ text: String, _ parts: [UInt8]..., filler: Int = 64) {
            self.init(type, [Array(text.utf8)] + parts, filler)
        }

        private init(_ type: String, _ parts: [[UInt8]], _ filler: Int) {
            self.type = type
            bytes = parts.flatMap { $0 } + [UInt8](repeating: 0, count: filler)
        }
    }

    private static let samples = [
        Sample(
            "image/png",
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13],
            Array("IHDR".utf8),
            [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0]
        ),
        Sample("image/jpeg", [0xFF, 0xD8, 0xFF, 0xE0, 0, 16], Array("JFIF\0".utf8), [1, 1, 0, 0, 1, 0, 1, 0, 0]),
        Sample("image/gif", "GIF89a", [1, 0, 1, 0, 0x80, 0, 0]),
        Sample("image/tiff", [0x49, 0x49, 0x2A, 0x00, 8, 0, 0, 0]),
        Sample("image/tiff", [0x4D, 0x4D, 0x00, 0x2A, 0, 0, 0, 8]),
        Sample(
            "image/vnd.adobe.photoshop",
            "8BPS",
            [0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 8, 0, 3]
        ),
        Sample("image/webp", "RIFF", [0x24, 0, 0, 0], Array("WEBPVP8 ".utf8)),
        Sample("audio/x-wav", "RIFF", [0x24, 0, 0, 0], Array("WAVEfmt ".utf8)),
        Sample("video/x-msvideo", "RIFF", [0x24, 0, 0, 0], Array("AVI LIST".utf8)),
        Sample("video/mp4", [0, 0, 0, 24], Array("ftypisom".utf8), [0, 0, 2, 0], Array("isomiso2".utf8)),
        Sample("image/heic", [0, 0, 0, 24], Array("ftypheic".utf8), [0, 0, 0, 0], Array("mif1heic".utf8)),
        Sample("image/heif", [0, 0, 0, 24], Array("ftypmif1".utf8), [0, 0, 0, 0], Array("mif1".utf8)),
        Sample("image/avif", [0, 0, 0, 24], Array("ftypavif".utf8), [0, 0, 0, 0], Array("avifmif1".utf8)),
        Sample("audio/x-m4a", [0, 0, 0, 24], Array("ftypM4A ".utf8), [0, 0, 0, 0], Array("M4A mp42".utf8)),
        Sample("video/quicktime", [0, 0, 0, 20], Array("ftypqt  ".utf8), [0, 0, 2, 0], Array("qt  ".utf8)),
        Sample("video/3gpp", [0, 0, 0, 20], Array("ftyp3gp4".utf8), [0, 0, 2, 0], Array("3gp4".utf8)),
        Sample("video/x-matroska", ebml(sized: [0xA3]), [0x88], Array("matroska".utf8)),
        Sample("video/webm", ebml(sized: [0x9F]), [0x84], Array("webm".utf8)),
        Sample("video/webm", ebml(sized: [1, 0, 0, 0, 0, 0, 0, 0x1F]), [0x84], Array("webm".utf8)),
        Sample("audio/ogg", ogg, [1], Array("vorbis".utf8)),
        Sample("audio/ogg", ogg, Array("OpusHead".utf8)),
        Sample("audio/flac", "fLaC", [0, 0, 0, 34, 16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x42, 0xF0]),
        Sample(
            "audio/mpeg",
            "ID3",
            [3, 0, 0, 0, 0, 0, 10] + [UInt8](repeating: 0, count: 10) + [0xFF, 0xFB, 0x90, 0x64]
        ),
        Sample("audio/midi", "MThd", [0, 0, 0, 6, 0, 1, 0, 1, 0, 96]),
        Sample("application/pdf", "%PDF-1.7\n"),
        Sample("application/postscript", "%!PS-Adobe-3.0\n", filler: 0),
        Sample("text/rtf", "{\\rtf1\\ansi hello}", filler: 0),
        Sample(
            "application/vnd.sqlite3",
            "SQLite format 3\0",
            [16, 0, 1, 1, 0, 64, 32, 32, 0, 0, 0, 1, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12) + [0, 0, 0, 1]
        ),
        Sample("application/zip", [0x50, 0x4B, 0x03, 0x04, 20, 0, 0, 0, 8, 0], filler: 40),
        Sample("application/zip", [0x50, 0x4B, 0x05, 0x06], filler: 18),
        Sample("application/epub+zip", zip(of: "application/epub+zip")),
        Sample("application/vnd.oasis.opendocument.text", zip(of: "application/vnd.oasis.opendocument.text")),
        Sample(
            "application/vnd.oasis.opendocument.spreadsheet",
            zip(of: "application/vnd.oasis.opendocument.spreadsheet")
        ),
        Sample("application/gzip", [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3]),
        Sample("application/x-bzip2", "BZh91AY&SY", [0, 0, 0, 0]),
        Sample("application/x-xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00, 0, 4]),
        Sample("application/zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x00]),
        Sample("application/x-7z-compressed", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4]),
        Sample("application/x-rar", "Rar!\u{1A}\u{7}", [1, 0]),
        Sample("application/x-tar", tar),
        Sample("text/plain", "A letter to a friend.\n밀담은 비밀 이야기다.\n", filler: 0),
        Sample("application/octet-stream", [0x00, 0x01, 0x02, 0x03, 0xFE, 0xFF, 0x80, 0x81]),
    ]

    @Test(arguments: samples) func aGlimpseSeesWhatLibmagicSees(_ sample: Sample) {
        #expect(ContentType.glimpsed(in: sample.bytes) == sample.type)
        #expect(ContentType.of(sample.bytes) == sample.type)
    }

    @Test(arguments: samples) func lessOfItIsNeverAnError(_ sample: Sample) {
        for count in 0..<sample.bytes.count { _ = ContentType.glimpsed(in: Array(sample.bytes.prefix(count))) }
        #expect(ContentType.glimpsed(in: []) == ContentType.unknown)
    }

    @Test func textMayBeCutWithinACharacterWhereThereIsMore() {
        let text = Array(String(repeating: "밀", count: ContentType.signatureSize).utf8)
        #expect(ContentType.glimpsed(in: Array(text.prefix(ContentType.signatureSize))) == "text/plain")
        #expect(ContentType.glimpsed(in: Array(text.prefix(100))) == ContentType.unknown)
        #expect(ContentType.glimpsed(in: Array(text.prefix(99))) == "text/plain")
        #expect(ContentType.glimpsed(in: Array("a\u{0}b".utf8)) == ContentType.unknown)
    }

    @Test(
        arguments: [
            "ID3 things to do", "BZhou went home", "GIF8 or so", "RIFF on guitars", "Tsunami WAVE", "ftypewriter",
        ]
    )
    func wordsAreNoSignatures(_ text: String) {
        #expect(ContentType.glimpsed(in: Array(text.utf8)) == "text/plain")
    }

    private static func ebml(sized size: [UInt8]) -> [UInt8] {
        [0x1A, 0x45, 0xDF, 0xA3] + size
            + [0x42, 0x86, 0x81, 1, 0x42, 0xF7, 0x81, 1, 0x42, 0xF2, 0x81, 4, 0x42, 0xF3, 0x81, 8, 0x42, 0x82]
    }

    private static let ogg: [UInt8] = Array("OggS".utf8) + [0, 2] + [UInt8](repeating: 0, count: 20) + [1, 30]

    private static func zip(of type: String) -> [UInt8] {
        [0x50, 0x4B, 0x03, 0x04, 20, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
            + [UInt8(type.utf8.count), 0, 0, 0, UInt8(type.utf8.count), 0, 0, 0, 8, 0, 0, 0]
            + Array("mimetype\(type)PK".utf8) + [3, 4]
    }

    private static let tar: [UInt8] = {
        var block = [UInt8](repeating: 0, count: 512)
        block.replaceSubrange(0..<4, with: "file".utf8)
        block.replaceSubrange(100..<107, with: "0000644".utf8)
        block.replaceSubrange(124..<135, with: "00000000000".utf8)
        block.replaceSubrange(257..<265, with: "ustar\u{0}00".utf8)
        block.replaceSubrange(148..<156, with: "        ".utf8)
        let sum = block.reduce(0) { $0 + Int($1) }
        let octal = String(sum, radix: 8)
        block.replaceSubrange(148..<156, with: (String(repeating: "0", count: 6 - octal.count) + octal + "\u{0} ").utf8)
        return block
    }()
}
