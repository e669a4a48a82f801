import MildamStorage
import MildamSystem

/// When the copies were last looked at, by which clock, and what was known then.
struct CopyLook {
    let time: Int64
    /// The state that has a copy; `nil` when none has.
    let state: UInt64?
}

/// Why a copy may be due.
enum CopyOccasion {
    /// A change is about to be made, and would wait.
    case change
    /// Nobody waits.
    case rest
    /// The keychain is about to be closed, or was just made what it is.
    case end
    /// All that it holds is about to be replaced, by the state of a copy.
    case replacement(by: KeychainCopy)

    /// The most bytes of a keychain that is copied: 4 MiB where somebody waits, which takes about as long as the sync of the
    /// change itself.
    fileprivate var limit: Int {
        switch self {
        case .change, .end: 4 << 20
        case .rest, .replacement: KeychainCopies.maximumBytes
        }
    }

    /// Whether it is made however new the newest is.
    fileprivate var isLast: Bool {
        switch self {
        case .change, .rest: false
        case .end, .replacement: true
        }
    }

    /// The copy that is needed still, however old it is.
    fileprivate var needed: KeychainCopy? {
        guard case .replacement(by: let copy) = self else { return nil }
        return copy
    }
}

/// A state that is to be kept.
struct StateImage: Sendable {
    fileprivate let image: [UInt8]
    fileprivate let number: UInt64
    fileprivate let time: Int64
    fileprivate let copies: KeychainCopies
    fileprivate let turn: CopyTurn
    fileprivate let needed: KeychainCopy?

    /// Keeps it. A disk that has no room for a copy is no reason for anything else to fail.
    func keep() {
        defer { withExtendedLifetime(turn) {} }
        try? copies.keep(image, number: number, time: time, sparing: needed)
    }
}

/// Copies of the states that the file goes through: of what was found whole, and at most one in a minute.
extension KeychainCore {
    /// How long a copy is the newest, in milliseconds, however much is changed.
    private static let pause: Int64 = 60_000

    /// Copies the state that the file is in, if that is due.
    func copyState(_ occasion: CopyOccasion) { state(toCopy: occasion)?.keep() }

    /// The state that the file is in, if a copy is due: the caller keeps it.
    func state(toCopy occasion: CopyOccasion) -> StateImage? {
        guard !isReadOnly, problem == nil, store != nil else { return nil }
        let now = clock.milliseconds
        if let look = lookAtCopies {
            // Before a change and at rest, one look in a minute is enough; a clock may go back.
            let isRecent = (0..<Self.pause).contains(now - look.time)
            guard !isRecent || occasion.isLast && look.state != head.counter else { return nil }
        }
        let known = try? copies.all()
        lookAtCopies = CopyLook(time: now, state: known?.first?.number)
        guard let known, (WholeFile.size(path) ?? 0) <= occasion.limit else { return nil }
        if let newest = known.first, !occasion.isLast, (0..<Self.pause).contains(now - newest.time) { return nil }
        let present = try? read { _ throws(KeychainError) in head.counter }
        guard let present, present != known.first?.number, let turn = try? copies.turn() else { return nil }
        let state = try? read { _ throws(KeychainError) in
            (number: head.counter, image: try mapping { () throws(StorageError) in try database.image() })
        }
        guard let state else { return nil }
        lookAtCopies = CopyLook(time: now, state: state.number)
        // The order of their times is that of the states, whatever the clock says.
        let time = max(now, (known.first?.time ?? 0) + 1)
        return StateImage(
            image: state.image,
            number: state.number,
            time: time,
            copies: copies,
            turn: turn,
            needed: occasion.needed
        )
    }

    /// Deletes the copies within a change after which nothing may open what they hold: once it is certain that it is made.
    /// Before it, ``deferCopy()`` is called, and ``copyAnew()`` after it.
    func removeCopies() throws(KeychainError) {
        try copies.removeAll()
        deferCopy()
    }

    /// Makes the first copy after such a change. What another program has copied meanwhile goes, too.
    func copyAnew() {
        try? copies.removeAll()
        copyState(.end)
    }

    /// Makes no copy before the next change for a while: the file is about to become what is to be copied.
    func deferCopy() { lookAtCopies = CopyLook(time: clock.milliseconds, state: nil) }
}
