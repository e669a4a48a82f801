/// Lists of small numbers, each of which is in one of the lists at most. Each step takes the same time, and nothing is
/// allocated once the highest number was seen.
struct SlotLists {
    /// One list.
    struct List {
        fileprivate var head = -1
        fileprivate var tail = -1

        var first: Int? { head < 0 ? nil : head }
        var last: Int? { tail < 0 ? nil : tail }
        var isEmpty: Bool { head < 0 }
    }

    private var next: [Int] = []
    private var previous: [Int] = []

    /// Puts a number, which is in no list, behind the others.
    mutating func append(_ slot: Int, to list: inout List) {
        while next.count <= slot {
            next.append(-1)
            previous.append(-1)
        }
        next[slot] = -1
        previous[slot] = list.tail
        if list.tail < 0 { list.head = slot } else { next[list.tail] = slot }
        list.tail = slot
    }

    /// Takes a number out of the list that it is in.
    mutating func remove(_ slot: Int, from list: inout List) {
        let (before, after) = (previous[slot], next[slot])
        if before < 0 { list.head = after } else { next[before] = after }
        if after < 0 { list.tail = before } else { previous[after] = before }
    }
}
