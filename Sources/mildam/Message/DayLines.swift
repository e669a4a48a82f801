import MildamClientAPI
import MildamTerminal

/// A room's items as lines, each day's after a line that names the day.
struct DayLines {
    private var day = ""

    /// The next item, and the line of its day where it is the first.
    mutating func lines(of item: RoomItem, in room: RoomRow, on console: Console) -> [String] {
        let text = item.written(in: room, on: console)
        // A gap has no time.
        guard item.at > 0 else { return [text] }
        let written = LocalTime(item.moment).day
        defer { day = written }
        return written == day ? [text] : [console.style().dim("— \(written) —"), text]
    }
}
