import Glibc
import MildamSystem

/// What a file is, by its first bytes, whatever its name says.
enum ContentType: String {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case pdf = "application/pdf"
    case unknown = "application/octet-stream"

    private static let signatures: [(ContentType, [UInt8])] = [
        (.png, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
        (.jpeg, [0xff, 0xd8, 0xff]),
        (.gif, Array("GIF8".utf8)),
        (.pdf, Array("%PDF-".utf8)),
    ]

    init(ofFile path: String) throws(SystemError) {
        let start = try Descriptor.open(path, O_RDONLY).read(upTo: 8, at: 0, path: path)
        self = ContentType.signatures.first { start.starts(with: $0.1) }?.0 ?? .unknown
    }
}
