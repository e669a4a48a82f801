import FoundationEssentials
import MildamTerminal
import MildamVault
import MildamWire

let vaultOrderOptions = [
    OptionSpec(
        "sort",
        value: .init("BY", completion: .choices(EntryOrder.allCases.map(\.rawValue))),
        help: "name; size, the largest first; or time, the newest first. By name unless given."
    ),
    OptionSpec("reverse", help: "The other way round."),
]

/// In which order entries are listed.
enum EntryOrder: String, CaseIterable {
    case name, size, time
}

extension Action {
    /// Lists entries, in the order that is asked for, and their sum.
    ///
    /// - Parameter folders: folders that are listed among them. What is in these counts, too.
    func list(_ entries: [VaultEntry], _ folders: [VaultFolder] = [], sum: EntrySum) throws -> ExitStatus {
        let order = invocation.value("sort").flatMap(EntryOrder.init(rawValue:)) ?? .name
        var lines = entries.map(EntryLine.entry) + folders.map(EntryLine.folder)
        if order != .name || !folders.isEmpty { lines.sort { $0.precedes($1, by: order) } }
        if invocation.flag("reverse") { lines.reverse() }
        return try report.answer(ListAnswer(entries: lines, files: sum.files, bytes: sum.bytes)) {
            let width = lines.map { DisplayWidth.of(shown($0.kind)) }.max() ?? 0
            let texts = lines.map { $0.text(kindWidth: width, withClock: order == .time) }
            return texts.isEmpty ? "nothing" : (texts + ["\(sum)"]).joined(separator: "\n")
        }
    }
}

private struct ListAnswer: Encodable {
    var entries: [EntryLine]
    var files: Int
    var bytes: Int
}

/// An entry, or a folder of them, as it is shown.
private enum EntryLine: Encodable {
    case entry(VaultEntry)
    case folder(VaultFolder)

    /// A folder's name ends with a slash.
    private var name: String {
        switch self {
        case .entry(let entry): entry.name.description
        case .folder(let folder): folder.name.description + "/"
        }
    }

    private var size: Int {
        switch self {
        case .entry(let entry): entry.size
        case .folder(let folder): folder.size
        }
    }

    private var modified: Int64 {
        switch self {
        case .entry(let entry): entry.modified
        case .folder(let folder): folder.modified
        }
    }

    /// An entry's type; of a folder how many files are in it.
    var kind: String {
        switch self {
        case .entry(let entry): entry.type
        case .folder(let folder): EntrySum.text(folder.count)
        }
    }

    /// Those that are the same in that order stand by name.
    func precedes(_ other: EntryLine, by order: EntryOrder) -> Bool {
        switch order {
        case .size where size != other.size: size > other.size
        case .time where modified != other.modified: modified > other.modified
        default: name.utf8.lexicographicallyPrecedes(other.name.utf8)
        }
    }

    /// "  1.2 MB  2024-11-21  image/png   photos/one.png  #summer", with the time of day where it matters.
    func text(kindWidth: Int, withClock: Bool) -> String {
        let (size, time) = (ByteCount.text(Int64(size)), LocalTime(seconds: modified))
        let parts = [
            String(repeating: " ", count: max(0, 7 - size.count)) + size, withClock ? time.text : time.day,
            DisplayWidth.padded(shown(kind), to: kindWidth), shown(name),
        ]
        return (parts + tags.map { shown("#\($0)") }).joined(separator: "  ")
    }

    private var tags: [String] {
        if case .entry(let entry) = self { entry.tags } else { [] }
    }

    private enum Key: String, CodingKey {
        case name, size, type, modified, added, digest, tags, files
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(name, forKey: .name)
        try values.encode(size, forKey: .size)
        try values.encode(Self.time(modified), forKey: .modified)
        switch self {
        case .entry(let entry):
            try values.encode(entry.type, forKey: .type)
            try values.encode(Self.time(entry.added), forKey: .added)
            try values.encode(Hex.encode(entry.digest), forKey: .digest)
            try values.encode(entry.tags, forKey: .tags)
        case .folder(let folder):
            try values.encode(folder.count, forKey: .files)
        }
    }

    private static func time(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }
}
