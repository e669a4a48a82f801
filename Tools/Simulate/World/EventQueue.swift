import MildamClientCore
import MildamIdentity

/// Something that happens at a moment.
enum Event {
    /// An operation of the plan.
    case operation(Int)
    /// A request reaches the relay, over a connection.
    case request(Line, RequestID, RoomRequest)
    /// What came of a request reaches the client, or its time is over.
    case reply(Line, RequestID, RelayReply)
    /// The relay tells of messages by itself.
    case live(Line, LogPage)
    /// The relay says that the account is no member of a room.
    case noMember(Line, RoomID)
    /// The relay asks which GroupInfo of a room's epoch is like the client's own.
    case groupInfoWanted(Line, RoomID, generation: UInt64, epoch: UInt64)
    /// The relay tells that a mailbox has something.
    case mail(Line)
    /// A client looks through the relay's list of its rooms.
    case readRooms(Line)
    /// A client wanted to be woken; the process that wanted it.
    case wake(UInt8, process: UInt64)
    /// A client tries to reach the relay.
    case dial(UInt8)
    /// A client finds out that its connection is gone.
    case hangUp(Line)
    /// A client's program begins.
    case start(UInt8)
    /// A client's disk has room again.
    case diskHasRoom(UInt8)
    /// The relay can be reached again.
    case relayIsUp
    /// The relay numbers again after it was put back.
    case takingBackEnds
    /// A person looks at an invitation.
    case answerInvitation(UInt8, RoomID, times: UInt64)
    /// A client hears of an account's newer list.
    case hear(UInt8, of: UInt8, keys: UInt8)
    /// A client hears that an account was deleted.
    case hearEnd(UInt8, of: UInt8)
}

/// A connection of a client's: what is for another one of it is lost.
struct Line: Hashable {
    let person: UInt8
    let number: UInt64
}

/// Events in the order in which they happen; those of one moment in the order in which they were put in.
struct EventQueue {
    private struct Entry {
        let at: UInt64
        let place: UInt64
        let event: Event

        func isBefore(_ other: Entry) -> Bool { (at, place) < (other.at, other.place) }
    }

    private var heap: [Entry] = []
    private var places: UInt64 = 0

    /// When the next one happens.
    var nextAt: UInt64? { heap.first?.at }

    mutating func put(_ event: Event, at moment: UInt64) {
        heap.append(Entry(at: moment, place: places, event: event))
        places += 1
        var index = heap.count - 1
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func take() -> (at: UInt64, event: Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.at, first.event) }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != index else { return (first.at, first.event) }
            heap.swapAt(index, least)
            index = least
        }
    }
}
