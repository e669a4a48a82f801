import MildamClientAPI
import MildamContent

extension RoomItem {
    /// Shows what somebody said: an encoded `MimiContent`.
    mutating func show(_ encoded: [UInt8]) {
        guard let content = try? MimiContent(encoded: encoded) else {
            kind = .unknown
            return
        }
        show(content.kind)
    }

    /// Shows what is about to be said.
    mutating func show(_ part: NestedPart) {
        switch part.content {
        case .single(let type, let bytes) where TextContent.Format(rawValue: type) != nil:
            kind = .text
            show(text: String(decoding: bytes, as: UTF8.self))
        default:
            guard let content = try? ContentKind(part) else {
                kind = .unknown
                return
            }
            show(content)
        }
    }

    private mutating func show(_ content: ContentKind) {
        switch content {
        case .text(let text):
            kind = .text
            show(text: text.text)
        case .attachment(let file):
            kind = .file
            self.file = RoomItem.File(
                name: RoomItem.beginning(of: file.filename, bytes: LineLimits.name),
                size: file.size
            )
            if !file.text.isEmpty { show(text: file.text) }
        case .roomInfo(let info):
            kind = .system
            code = info.repeats == nil ? "room-info" : "room-info-again"
            text = info.name
        case .newer: kind = .unknown
        }
    }

    /// Shows a text, or the beginning of a long one.
    mutating func show(text whole: String) {
        let beginning = RoomItem.beginning(of: whole, bytes: LineLimits.itemText)
        text = beginning
        if beginning.utf8.count < whole.utf8.count { cut = whole.utf8.count }
    }

    /// The beginning of a text that has so many bytes at most, and no half of a character.
    static func beginning(of text: String, bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: bytes)
        while end > text.startIndex, String.Index(end, within: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }

    /// How many bytes it takes in a line at most.
    var lineSize: Int {
        let people = (joined?.count ?? 0) + (left?.count ?? 0)
        return 1024 + 160 * people + RoomItem.written(text ?? "") + RoomItem.written(file?.name ?? "")
    }

    /// How many bytes a text takes in JSON: a control character six, a quotation mark two.
    private static func written(_ text: String) -> Int {
        var size = 0
        for byte in text.utf8 {
            switch byte {
            case 0..<0x20: size += 6
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): size += 2
            default: size += 1
            }
        }
        return size
    }
}
