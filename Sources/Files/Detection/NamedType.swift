import FoundationEssentials

/// What the ending of a file's name promises.
enum NamedType {
    /// The media types that libmagic finds behind well-known endings; one that ends with "/" stands for all of a kind.
    private static let types: [String: [String]] = [
        "bmp": ["image/bmp", "image/x-ms-bmp"],
        "bz2": ["application/x-bzip2"],
        "csv": ["text/", "application/csv"],
        "flac": ["audio/flac", "audio/x-flac"],
        "gif": ["image/gif"],
        "gz": ["application/gzip", "application/x-gzip"],
        "heic": ["image/heic", "image/heif"],
        "html": ["text/"],
        "jpeg": ["image/jpeg"],
        "jpg": ["image/jpeg"],
        "json": ["application/json", "text/"],
        "md": ["text/"],
        "mkv": ["video/x-matroska"],
        "mov": ["video/quicktime"],
        "mp3": ["audio/mpeg"],
        "mp4": ["video/mp4", "audio/mp4"],
        "ogg": ["audio/ogg", "video/ogg", "application/ogg"],
        "pdf": ["application/pdf"],
        "png": ["image/png"],
        "tif": ["image/tiff"],
        "tiff": ["image/tiff"],
        "txt": ["text/", "application/json", "application/csv"],
        "wav": ["audio/x-wav", "audio/wav", "audio/vnd.wave"],
        "webm": ["video/webm"],
        "webp": ["image/webp"],
        "xml": ["text/", "application/xml", "image/svg+xml"],
        "xz": ["application/x-xz"],
        "zip": ["application/zip"],
        "zst": ["application/zstd"],
    ]
    /// What says nothing against a name.
    private static let silent = [ContentType.unknown, "application/x-empty", "inode/x-empty"]

    /// What name and content say against each other; `nil` for nothing.
    static func contradiction(between name: String, and kind: FileKind, _ type: String) -> String? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let ending = parts.last?.lowercased() else { return nil }
        let isAge = kind == .age || kind == .armoredAge
        if ending == "age" { return isAge ? nil : "it is called .age, and is no age file" }
        guard let expected = types[ending] else { return nil }
        switch kind {
        case .age, .armoredAge: return "it is called .\(ending), and is an age file"
        case .rnCryptor: return nil
        case .other:
            let fits = expected.contains { $0.hasSuffix("/") ? type.hasPrefix($0) : type == $0 }
            return fits || silent.contains(type) ? nil : "it is called .\(ending), and is \(type)"
        }
    }
}
