import MildamMessenger
import MildamTerminal

/// A room's entries as lines, each day's after a line that names the day.
struct DayLines {
    private var day = ""

    /// The next entry, and the line of its day where it is the first.
    mutating func lines(of entry: RoomEntry, on console: Console) -> [String] {
        let written = LocalTime(entry.written).day
        defer { day = written }
        let text = entry.text(on: console)
        return written == day ? [text] : [console.style().dim("— \(written) —"), text]
    }
}
