import MildamClientAPI

/// Which items of a room were shown: each is shown once, whatever brings it.
struct ShownNumbers {
    /// Under one number there may be several items.
    private struct Mark: Hashable {
        let number: UInt64
        let kind: RoomItem.Kind
        let code: String?
    }

    /// What has this number or a lower one is not shown.
    private var floor: UInt64
    /// The highest number that was shown, or has nothing to show.
    private(set) var last: UInt64
    private var marks: Set<Mark> = []

    /// How many of the last numbers are remembered one by one.
    private static let remembered: UInt64 = 1_000

    /// A room of which everything up to a number is known.
    init(after number: UInt64) { (floor, last) = (number, number) }

    /// Everything up to a number was told.
    mutating func look(through number: UInt64) { last = max(last, number) }

    /// Takes note of an item.
    ///
    /// - Returns: whether it is to be shown.
    mutating func shows(_ item: RoomItem) -> Bool {
        guard let number = item.number, number > floor else { return false }
        guard marks.insert(Mark(number: number, kind: item.kind, code: item.code)).inserted else { return false }
        last = max(last, number)
        if marks.count > 2 * Int(ShownNumbers.remembered), last - floor > ShownNumbers.remembered {
            floor = last - ShownNumbers.remembered
            marks = marks.filter { [floor] in $0.number > floor }
        }
        return true
    }
}
