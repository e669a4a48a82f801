import MildamClientCore
import MildamClientStore
import MildamContent
import MildamGroupKey

/// Something of a room, of either kind, while the room is looked through.
enum SearchedMessage: Sendable {
    case entry(ShownEntry)
    case older(OlderRow)

    var number: UInt64 {
        switch self {
        case .entry(let entry): entry.number
        case .older(let row): row.number
        }
    }

    /// When it was said, in milliseconds since 1970; `nil` where that is not known.
    var moment: UInt64? {
        let moment =
            switch self {
            case .entry(let entry): entry.stored
            case .older(let row): UInt64(clamping: row.entry?.written ?? 0)
            }
        return moment > 0 ? moment : nil
    }

    /// What was said: a text; a file's name, and what is said of it. Nothing of what else happens in a room.
    private var texts: [String] {
        switch self {
        case .entry(let entry):
            guard case .content(let bytes) = entry.kind, let content = try? MimiContent(encoded: bytes) else {
                return []
            }
            return switch content.kind {
            case .text(let text): [text.text]
            case .attachment(let file): [file.filename, file.text]
            case .roomInfo, .newer: []
            }
        case .older(let row):
            guard case .accepted(let event)? = row.entry?.outcome else { return [] }
            return switch event {
            case .text(let body): [body]
            case .attachment(let sent): [sent.name]
            case .created, .invited, .removed, .left, .renewed: []
            }
        }
    }

    /// Whether a text is in what was said.
    func has(_ text: SoughtText) -> Bool { texts.contains { text.isIn($0) } }
}
