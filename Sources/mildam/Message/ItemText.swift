import MildamClientAPI
import MildamMessenger
import MildamTerminal

extension RoomItem {
    /// What each further line on the screen begins with: none of ours does, so a text cannot pass for another message.
    static let continuation = "     │ "
    /// From how many lines on a message is folded on a terminal, and how many of them are shown then.
    private static let folding = (from: 100, shown: 20)

    /// When it was said, in milliseconds since 1970.
    var moment: Int64 { Int64(clamping: at) }

    /// Whether it is not as its sender made it, or no member's.
    var isForged: Bool {
        let causes = ["forged", "mislabelled", "repeated", "rule-broken", "sender-no-member"]
        return kind == .refused && since == nil && causes.contains(code ?? "")
    }

    /// Whether what this machine had stored of it is damaged, and not only what it had of the room when it came.
    var isDamagedHere: Bool { code == "records-damaged" && (since != nil || key == nil) }

    /// The item for people, as the console shows it: on a terminal, the beginning of a long one.
    func written(in room: RoomRow, on console: Console, after beginning: String = "") -> String {
        let line = beginning + line(style: console.style())
        guard console.isTerminal() else { return line }
        let folded = TerminalText.folded(line, to: console.width(), continuing: RoomItem.continuation)
        let rows = folded.split(separator: "\n", omittingEmptySubsequences: false)
        guard rows.count >= RoomItem.folding.from else { return folded }
        let since = number.map { " --since \($0)" } ?? ""
        let rest = "     … \(rows.count - RoomItem.folding.shown) more lines: mildam read \(room.word)\(since) | less"
        return rows.prefix(RoomItem.folding.shown).joined(separator: "\n") + "\n" + console.style().dim(rest)
    }

    /// One line, and those that its text has, marked as such.
    private func line(style: Style) -> String {
        let place = mark ?? (number.map { "\($0)" } ?? "").leftPadded(to: 4)
        guard since == nil else { return style.dim(place) + " " + style.bold("MISSING") + " " + shown(gap) }
        let head = before(style) + style.dim(place) + " " + style.dim(LocalTime(moment).clock) + " "
        switch kind {
        case .text, .file: return head + style.bold(shown(name) + ":") + " " + content
        case .system: return head + style.dim(shown(happening))
        case .refused:
            return head + style.bold("REFUSED") + " " + shown("of \(name): \(RoomCauseWords.sentence(for: code ?? ""))")
        case .unknown: return head + style.dim(shown("\(name): \(RoomCauseWords.sentence(for: "newer"))"))
        }
    }

    /// What stands in the place of a number.
    private var mark: String? {
        switch state {
        case .waiting, .sending: "wait"
        case .failed: "fail"
        case .sent: nil
        }
    }

    private var name: String { author?.name ?? "?" }

    /// What is told of a room of the first kind before one of its messages.
    private func before(_ style: Style) -> String {
        let gap = missing.map { style.dim(shown("     … \($0) missing of \(name)")) + "\n" } ?? ""
        return gap + (hasNewKeys == true ? style.dim(shown("     … \(name) has new device keys")) + "\n" : "")
    }

    private var content: String {
        let words = TerminalText.sanitized(text ?? "", continuing: RoomItem.continuation)
        guard let file else { return words + rest }
        let attached = "[" + shown(file.name) + ", " + ByteCount.text(Int64(clamping: file.size)) + "]"
        return words.isEmpty ? attached : attached + " " + words
    }

    /// What is said of a text of which only the beginning is here.
    private var rest: String {
        guard let cut, let text, cut > text.utf8.count else { return "" }
        return "\n" + RoomItem.continuation + "… \(cut - text.utf8.count) more bytes"
    }

    private var gap: String {
        let (first, last) = (since ?? 0, number ?? 0)
        let numbers = first < last ? "\(first) to \(last)" : "\(last)"
        return "\(numbers): \(RoomCauseWords.sentence(for: code ?? "", number: last &+ 1))"
    }

    /// What happened, in words.
    private var happening: String {
        if let line = OlderRoomWords.line(of: self) { return line }
        switch code {
        case "members": return comings.joined(separator: "; ")
        case "room-info": return "\(name) calls the room \(text ?? "?")"
        case "room-info-again": return "\(name) tells who came in that the room is called \(text ?? "?")"
        case "new-keys": return "\(name) has new device keys"
        case "settings": return "\(name) changed the room's settings"
        case "renewed": return "\(name) renewed the room"
        case "leaving": return "\(name) is leaving"
        case let code? where code.hasPrefix("came-back"): return "a device of \(name) came back into the room"
        case let code: return "\(name): \(code ?? "?")"
        }
    }

    private var comings: [String] {
        let (came, went) = ((joined ?? []).map(\.name), (left ?? []).map(\.name))
        guard author != nil else {
            // Read off who is in the room: by whom, this device has not seen.
            return [(came, "came in"), (went, "went")].filter { !$0.0.isEmpty }.map { names, what in
                "\(names.joined(separator: ", ")) \(what) while this device was not in the room"
            }
        }
        var words: [String] = []
        if !came.isEmpty {
            let names = came.joined(separator: ", ")
            words.append(came == [name] ? "\(name) came in" : "\(name) brought in \(names)")
        }
        if !went.isEmpty {
            let names = went.joined(separator: ", ")
            words.append(went == [name] ? "\(name) left" : "\(names) is out; \(name) gave the room new keys")
        }
        return words.isEmpty ? ["\(name) changed the room's devices"] : words
    }
}

extension RoomItem.Person {
    /// What the account is called, or its id.
    var name: String { handle?.text ?? "\(account)" }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
