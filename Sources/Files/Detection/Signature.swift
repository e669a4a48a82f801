/// Bytes that every file of a type has at one place.
///
/// Only such are here as no other file has by chance: three bytes that are no text, or more. The types' names are
/// libmagic's.
struct Signature {
    private let bytes: [UInt8]
    private let offset: Int
    /// What the beginning has to be as well.
    private let first: [UInt8]
    /// What stands behind the bytes, in the formats that are containers of others.
    private let variants: [(bytes: [UInt8], offset: Int, type: String)]
    private let type: String

    private init(
        _ type: String,
        _ bytes: [UInt8],
        at offset: Int = 0,
        behind first: String = "",
        variants: [(String, Int, String)] = []
    ) {
        self.type = type
        self.bytes = bytes
        self.offset = offset
        self.first = Array(first.utf8)
        self.variants = variants.map { (Array($0.0.utf8), $0.1, $0.2) }
    }

    private init(
        _ type: String,
        _ text: String,
        at offset: Int = 0,
        behind first: String = "",
        variants: [(String, Int, String)] = []
    ) {
        self.init(type, Array(text.utf8), at: offset, behind: first, variants: variants)
    }

    /// The media type that a signature stands for; `nil` when none is known.
    static func type(of beginning: [UInt8]) -> String? {
        for signature in all where signature.isIn(beginning) { return signature.type(of: beginning) }
        return nil
    }

    private func isIn(_ beginning: [UInt8]) -> Bool {
        Self.has(beginning, bytes, at: offset) && beginning.starts(with: first)
    }

    private func type(of beginning: [UInt8]) -> String {
        variants.first { Self.has(beginning, $0.bytes, at: $0.offset) }?.type ?? type
    }

    private static func has(_ beginning: [UInt8], _ bytes: [UInt8], at offset: Int) -> Bool {
        guard beginning.count >= offset + bytes.count else { return false }
        return bytes.indices.allSatisfy { beginning[offset + $0] == bytes[$0] }
    }

    private static let all: [Signature] = [
        // Pictures
        Signature("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        Signature("image/jpeg", [0xFF, 0xD8, 0xFF]),
        Signature("image/gif", "GIF87a"),
        Signature("image/gif", "GIF89a"),
        Signature("image/tiff", [0x49, 0x49, 0x2A, 0x00]),
        Signature("image/tiff", [0x4D, 0x4D, 0x00, 0x2A]),
        Signature("image/vnd.adobe.photoshop", "8BPS"),
        // Sound and films
        Signature("image/webp", "WEBPVP8", at: 8),
        Signature("audio/x-wav", "WAVE", at: 8, behind: "RIFF"),
        Signature("video/x-msvideo", "AVI LIST", at: 8),
        Signature(
            "video/mp4",
            "ftyp",
            at: 4,
            variants: [
                ("heic", 8, "image/heic"), ("heix", 8, "image/heic"), ("mif1", 8, "image/heif"),
                ("avif", 8, "image/avif"), ("M4A ", 8, "audio/x-m4a"), ("qt  ", 8, "video/quicktime"),
                ("3gp", 8, "video/3gpp"),
            ]
        ),
        Signature(
            "video/x-matroska",
            [0x1A, 0x45, 0xDF, 0xA3],
            variants: [("webm", 24, "video/webm"), ("webm", 31, "video/webm")]
        ),
        Signature(
            "application/ogg",
            "OggS",
            variants: [
                ("\u{1}vorbis", 28, "audio/ogg"), ("OpusHead", 28, "audio/ogg"), ("\u{7F}FLAC", 28, "audio/ogg"),
            ]
        ),
        Signature("audio/flac", "fLaC"),
        Signature("audio/mpeg", [0x49, 0x44, 0x33, 0x02, 0x00]),
        Signature("audio/mpeg", [0x49, 0x44, 0x33, 0x03, 0x00]),
        Signature("audio/mpeg", [0x49, 0x44, 0x33, 0x04, 0x00]),
        Signature("audio/midi", "MThd"),
        // Documents
        Signature("application/pdf", "%PDF-"),
        Signature("application/postscript", "%!PS-"),
        Signature("text/rtf", "{\\rtf"),
        Signature("application/vnd.sqlite3", "SQLite format 3\0"),
        // Archives
        Signature(
            "application/zip",
            [0x50, 0x4B, 0x03, 0x04],
            variants: openDocuments + [("mimetypeapplication/epub+zip", 30, "application/epub+zip")]
        ),
        Signature("application/zip", [0x50, 0x4B, 0x05, 0x06]),
        Signature("application/gzip", [0x1F, 0x8B, 0x08]),
        Signature("application/x-bzip2", "1AY&SY", at: 4),
        Signature("application/x-xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
        Signature("application/zstd", [0x28, 0xB5, 0x2F, 0xFD]),
        Signature("application/x-7z-compressed", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
        Signature("application/x-rar", "Rar!\u{1A}\u{7}"),
        Signature("application/x-tar", "ustar", at: 257),
    ]

    private static let openDocuments = ["text", "spreadsheet", "presentation"].map {
        let type = "application/vnd.oasis.opendocument.\($0)"
        return ("mimetype\(type)PK", 30, type)
    }
}
