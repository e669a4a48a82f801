/// What is due when: a binary heap, earliest first.
struct TimerHeap {
    /// What happens when a time has come.
    enum Target {
        case work(TimerToken)
        case channel(ChannelID)
    }

    struct Entry {
        /// Monotonic nanoseconds.
        let due: UInt64
        let target: Target
    }

    private var entries: [Entry] = []
    /// How many entries there may be before the cancelled ones are looked for.
    private var sweepAt = 1024

    /// When the earliest entry is due.
    var earliest: UInt64? { entries.first?.due }

    mutating func insert(_ entry: Entry) {
        if entries.count >= sweepAt { sweep() }
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].due < entries[parent].due else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Forgets cancelled work; a sorted array is a heap. Doubling the mark makes the cost per entry constant.
    private mutating func sweep() {
        entries.removeAll { entry in
            if case .work(let token) = entry.target { token.isOver } else { false }
        }
        entries.sort { $0.due < $1.due }
        sweepAt = max(1024, 2 * entries.count)
    }

    /// Takes the earliest entry if it is due at `now`.
    mutating func popDue(at now: UInt64) -> Entry? {
        guard let first = entries.first, first.due <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].due < entries[smallest].due { smallest = child }
            }
            if smallest == parent { return first }
            entries.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
