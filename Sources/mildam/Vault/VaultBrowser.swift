import MildamTerminal
import MildamVault
import MildamWire

/// Somebody's way through a vault: the folder they are in, what was listed last, and what their words mean. Pure: it reads
/// nothing and prints nothing.
struct VaultBrowser: Sendable {
    /// What a line came to.
    enum Reply: Sendable {
        /// These lines say what there is.
        case lines([String])
        /// A copy is to be taken out.
        case take(Copy)
        /// The person wants to go.
        case leave
    }

    /// What is to be taken out, and where to.
    struct Copy: Sendable {
        let selection: VaultSelection
        let path: String
    }

    /// How many are listed at once.
    static let most = 200

    private enum Item: Sendable {
        case folder(VaultFolder)
        case entry(VaultEntry)

        var name: VaultName {
            switch self {
            case .folder(let folder): folder.name
            case .entry(let entry): entry.name
            }
        }
    }

    private let entries: [VaultEntry]
    private var folder: VaultName?
    /// What was listed last, by its numbers from 1.
    private var items: [Item] = []

    /// - Parameter entries: all of the vault, by name.
    init(_ entries: [VaultEntry]) {
        self.entries = entries
    }

    private static let help = [
        "NUMBER opens what is listed: a folder is entered, an entry is shown. .. goes up, / to the top.",
        "/WORD... finds what has the words in its name, its type or its tags, in the whole vault.",
        "get NUMBER [FILE] takes out a copy. Enter lists again. quit, or Ctrl-D, ends.",
    ]

    /// Does what a line asks for.
    mutating func obey(_ line: String) -> Reply {
        let words = line.split(separator: " ").map(String.init)
        guard let first = words.first else { return .lines(list()) }
        switch first {
        case "ls", "list": return .lines(list())
        case "help", "?": return .lines(Self.help)
        case "quit", "exit", "q": return .leave
        case "..": return .lines(goUp())
        case "/" where words.count == 1:
            folder = nil
            return .lines(list())
        case "get": return take(Array(words.dropFirst()))
        default: break
        }
        if first.hasPrefix("/") { return .lines(find(line)) }
        guard let item = item(line) else {
            return .lines(["there is no \(shown(line)) here; help says what can be typed"])
        }
        return .lines(open(item))
    }

    /// What is in the folder.
    mutating func list() -> [String] {
        let inside = folder.map { folder in entries.filter { $0.name.isWithin(folder) } } ?? entries
        let level = VaultFolder.level(of: inside, in: folder)
        items = level.folders.map(Item.folder) + level.entries.map(Item.entry)
        let title = folder.map { shown($0.description) + "/" } ?? "the vault"
        return ["\(title): \(EntrySum(inside))"] + rows { name(of: $0) }
    }

    private mutating func find(_ line: String) -> [String] {
        let words = line.drop { $0 == "/" || $0 == " " }.split(separator: " ").map { $0.lowercased() }
        items = entries.filter { entry in
            let texts = ([entry.name.description, entry.type] + entry.tags).map { $0.lowercased() }
            return words.allSatisfy { word in texts.contains { $0.contains(word) } }
        }.map(Item.entry)
        return items.isEmpty ? ["nothing has all of these words"] : rows { $0.name.description }
    }

    private mutating func goUp() -> [String] {
        guard let name = folder?.description else { return list() }
        let slash = name.utf8.lastIndex(of: UInt8(ascii: "/"))
        folder = slash.flatMap { try? VaultName(name[..<$0]) }
        return list()
    }

    private mutating func open(_ item: Item) -> [String] {
        switch item {
        case .folder(let folder):
            self.folder = folder.name
            return list()
        case .entry(let entry): return Self.description(of: entry)
        }
    }

    private static func description(of entry: VaultEntry) -> [String] {
        [
            shown(entry.name.description),
            "  \(ByteCount.text(Int64(entry.size))), \(shown(entry.type))",
            "  changed \(LocalTime(seconds: entry.modified).text), added \(LocalTime(seconds: entry.added).text)",
            "  SHA-256 \(Hex.encode(entry.digest))",
        ] + (entry.tags.isEmpty ? [] : ["  " + entry.tags.map { shown("#\($0)") }.joined(separator: " ")])
    }

    private func take(_ words: [String]) -> Reply {
        guard let first = words.first, let item = item(first) else {
            return .lines(["get NUMBER [FILE]: the number of something that is listed"])
        }
        let path = words.count > 1 ? words.dropFirst().joined(separator: " ") : lastPart(of: item.name)
        switch item {
        case .entry(let entry): return .take(Copy(selection: .entry(entry), path: path))
        case .folder(let folder):
            let inside = entries.filter { $0.name.isWithin(folder.name) && $0.name != folder.name }
            return .take(Copy(selection: .folder(folder.name, inside), path: path))
        }
    }

    /// What was listed under a number or, exactly, under a name.
    private func item(_ text: String) -> Item? {
        if let number = Int(text) { return number > 0 && number <= items.count ? items[number - 1] : nil }
        return items.first { name(of: $0) == text || $0.name.description == text }
    }

    private func rows(_ name: (Item) -> String) -> [String] {
        let width = "\(min(items.count, Self.most))".count
        let rows = items.prefix(Self.most).enumerated().map { place, item in
            let number = "\(place + 1)"
            let indent = String(repeating: " ", count: width - number.count)
            return "\(indent)\(number)  \(Self.row(item, shown(name(item))))"
        }
        guard items.count > Self.most else { return rows }
        return rows + ["and \(items.count - Self.most) more: /WORD finds them"]
    }

    private static func row(_ item: Item, _ name: String) -> String {
        switch item {
        case .folder(let folder): "\(name)/  \(EntrySum.text(folder.count)), \(ByteCount.text(Int64(folder.size)))"
        case .entry(let entry):
            "\(name)  \(ByteCount.text(Int64(entry.size))), \(LocalTime(seconds: entry.modified).day)"
        }
    }

    /// The name as it is in the folder.
    private func name(of item: Item) -> String {
        guard let folder, item.name != folder, item.name.isWithin(folder) else { return item.name.description }
        return String(decoding: item.name.description.utf8.dropFirst(folder.description.utf8.count + 1), as: UTF8.self)
    }

    private func lastPart(of name: VaultName) -> String {
        let bytes = name.description.utf8
        return String(decoding: bytes.split(separator: UInt8(ascii: "/")).last ?? bytes[...], as: UTF8.self)
    }
}
