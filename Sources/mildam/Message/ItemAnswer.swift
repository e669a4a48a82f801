import MildamClientAPI
import MildamIdentity

/// An item of a room as programs get it.
struct ItemAnswer: Encodable {
    /// Missing while it waits to be sent.
    var number: UInt64?
    var sender: String?
    var written: UInt64
    /// How many messages before it are missing.
    var missingBefore: UInt64
    var kind: String
    var text: String?
    var file: RoomItem.File?
    var joined: [String]?
    var left: [String]?
    /// Why it could not be read.
    var refused: String?
    /// Whether its author's device has new keys from it on.
    var newKeys: Bool?
    /// The id it is sent under, of what waits or could not be sent.
    var message: MessageID?
    /// Why it could not be sent: a code.
    var failed: String?
    /// Whether the text is only the beginning of it.
    var isCut: Bool?
    /// Another room that it tells of.
    var room: RoomID?

    init(_ item: RoomItem) {
        number = item.number
        sender = item.author?.name
        written = item.at
        missingBefore = item.missing ?? 0
        newKeys = item.code == "new-keys" ? true : item.hasNewKeys
        room = item.room
        isCut = item.cut == nil ? nil : true
        if item.isUnsent { message = item.key }
        if case .failed(let code) = item.state { failed = code }
        text = item.text
        file = item.file
        joined = item.joined.map { $0.map(\.name) }
        left = item.left.map { $0.map(\.name) }
        switch item.kind {
        case .text, .file, .unknown: kind = item.kind.rawValue
        case .system: kind = item.change
        case .refused:
            kind = item.kind.rawValue
            refused = item.code
            if let since = item.since, let number = item.number, since <= number { missingBefore = number - since + 1 }
        }
    }
}

extension RoomItem {
    /// What happened, as programs get it.
    fileprivate var change: String {
        guard code == "members" else { return code ?? kind.rawValue }
        return switch (joined?.isEmpty ?? true, left?.isEmpty ?? true) {
        case (false, true): "joined"
        case (true, false): "left"
        default: "members"
        }
    }
}
