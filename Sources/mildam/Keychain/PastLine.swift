import MildamKeychain
import MildamTerminal

/// What is kept of an item, or of several that belong together, as it is listed.
struct PastLine: Encodable {
    /// What restores it.
    var number: Int64
    var item: ItemLine
    /// When it was removed or replaced.
    var since: String
    /// Missing for a former value.
    var keptUntil: String?

    init(_ past: PastItem, _ action: Action, as item: ItemLine? = nil) {
        number = past.number
        self.item = item ?? ItemLine(past.item)
        since = action.time(past.time)
        keptUntil = past.keptUntil.map(action.time)
    }
}

extension PastItem {
    /// The end of a sentence: for how long it is kept, and what puts it back. Empty for a former value.
    var promise: String {
        keptUntil.map {
            "; kept until \(LocalTime($0).day): `mildam keychain trash --restore \(number)` puts it back"
        } ?? ""
    }
}

/// Nothing that is kept has this number.
struct NoPast: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.notFound
    let number: Int64
    /// The command that lists what there is.
    let list: String

    var description: String { "nothing of the number \(number) is kept; `mildam keychain \(list)` shows what there is" }
}

/// What was removed cannot come back under its name.
struct NameIsTaken: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    let name: String

    var description: String {
        "there is another \(name) by now, which stays as it is; remove that one first, or give it another name with "
            + "`mildam keychain edit`"
    }
}
