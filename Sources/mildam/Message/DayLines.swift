import MildamClientAPI
import MildamTerminal

/// A room's items as lines, each day's after a line that names the day.
struct DayLines {
    private var day = ""

    /// The next item, and the line of its day where it is the first.
    ///
    /// - Parameter beginning: what the item's line begins with.
    mutating func lines(
        of item: RoomItem,
        in room: RoomRow,
        on console: Console,
        after beginning: String = ""
    ) -> [String] {
        let text = item.written(in: room, on: console, after: beginning)
        // A gap has no time.
        guard item.at > 0 else { return [text] }
        let written = LocalTime(item.moment).day
        defer { day = written }
        return written == day ? [text] : [console.style().dim("— \(written) —"), text]
    }
}
