import MildamWire

/// Finds a name that stands twice in one object of a JSON text (RFC 8259, section 4), however its characters are
/// written: readers differ in which of the two they believe.
///
/// It is told the text's marks in their order, and knows no grammar: in a text that is none it may find what is not there.
/// Names are compared as the decoder compares them. The cost is one hash of each name.
struct JSONNames {
    /// The names of each object and array on the way, from the outermost in.
    private var levels: [Level] = []
    /// How many of them are open; the others are kept for what comes next.
    private var depth = 0
    /// Whether a string that begins here is a name.
    private(set) var isNameNext = false

    private struct Level {
        var isObject: Bool
        var names: Set<String> = []
    }

    /// More names than this are not kept room for: to empty it for each small object would cost more than these do.
    private static let keptNames = 16

    /// An object or an array begins.
    mutating func begin(object isObject: Bool) {
        if depth == levels.count {
            levels.append(Level(isObject: isObject))
        } else {
            levels[depth].isObject = isObject
            let isSmall = levels[depth].names.count <= Self.keptNames
            levels[depth].names.removeAll(keepingCapacity: isSmall)
        }
        depth += 1
        isNameNext = isObject
    }

    /// The innermost object or array ends.
    mutating func end() {
        depth = max(depth - 1, 0)
        isNameNext = false
    }

    /// A comma.
    mutating func separate() {
        isNameNext = depth > 0 && levels[depth - 1].isObject
    }

    /// A name.
    ///
    /// - Parameters:
    ///   - characters: what stands between its quotation marks.
    ///   - isEscaped: whether a backslash is among them.
    /// - Returns: whether its object had none like it.
    mutating func take(_ characters: Range<Int>, isEscaped: Bool, of text: [UInt8]) -> Bool {
        isNameNext = false
        guard depth > 0 else { return true }
        let name =
            isEscaped
            ? JSONNode.string(characters).string(in: text.span) ?? ""
            : String(decoding: text[characters], as: UTF8.self)
        return levels[depth - 1].names.insert(name).inserted
    }
}
