import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamMessenger
import MildamTerminal

/// A message as programs get it.
struct EntryAnswer: Encodable {
    var number: UInt64
    var sender: Handle?
    var written: Int64
    var missingBefore: UInt64
    var newKeys: Bool?
    var kind: String
    var text: String?
    var file: File?
    var account: Handle?
    var refused: String?

    struct File: Encodable {
        var name: String
        var type: String
        var size: Int
    }

    init(_ entry: RoomEntry) {
        number = entry.number
        sender = entry.sender
        written = entry.written
        missingBefore = entry.missingBefore
        newKeys = entry.hasNewKeys ? true : nil
        switch entry.outcome {
        case .accepted(.text(let body)): (kind, text) = ("text", body)
        case .accepted(.attachment(let sent)):
            (kind, file) = ("file", File(name: sent.name, type: sent.type, size: sent.size))
        case .accepted(.created(let name)): (kind, text) = ("created", name)
        case .accepted(.invited(let member, _)): (kind, account) = ("invited", member.handle)
        case .accepted(.removed): kind = "removed"
        case .accepted(.left): kind = "left"
        case .accepted(.renewed): kind = "renewed"
        case .refused(let reason): (kind, refused) = ("refused", reason.rawValue)
        }
    }
}

extension RoomEntry {
    /// Whether it was refused.
    var isRefused: Bool {
        if case .refused = outcome { true } else { false }
    }

    /// What each further line on the screen begins with: none of ours does, so a text cannot pass for another message.
    static let continuation = "     │ "

    /// The message for people as the console shows it.
    func text(on console: Console, after beginning: String = "") -> String {
        let line = beginning + line(style: console.style())
        guard console.isTerminal() else { return line }
        return TerminalText.folded(line, to: console.width(), continuing: RoomEntry.continuation)
    }

    /// The message for people: one line, and those its text has, marked as such.
    private func line(style: Style) -> String {
        let head = style.dim("\(number)".leftPadded(to: 4)) + " " + style.dim(LocalTime(written).clock)
        let name = sender?.text ?? "?"
        let missing = missingBefore > 0 ? style.dim("     … \(missingBefore) missing of \(name)") + "\n" : ""
        let gap = missing + (hasNewKeys ? style.dim("     … \(name) has new device keys") + "\n" : "")
        switch outcome {
        case .accepted(.text(let body)):
            return gap + head + " " + style.bold(name + ":") + " "
                + TerminalText.sanitized(body, continuing: RoomEntry.continuation)
        case .accepted(.attachment(let file)):
            return gap + head + " " + style.bold(name + ":") + " [" + shown(file.name) + ", " + shown(file.type) + ", "
                + ByteCount.text(Int64(file.size)) + "]"
        case .accepted(.created(let room)): return gap + head + " " + style.dim("\(name) made \(shown(room))")
        case .accepted(.invited(let member, _)):
            return gap + head + " " + style.dim("\(name) invited \(member.handle)")
        case .accepted(.removed(let account)):
            return gap + head + " " + style.dim("\(name) put out \(removed?.text ?? account.description)")
        case .accepted(.left): return gap + head + " " + style.dim("\(name) left")
        case .accepted(.renewed): return gap + head + " " + style.dim("\(name) made a new key")
        case .refused(let reason): return head + " " + style.bold("REFUSED") + " \(reason.rawValue)"
        }
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
