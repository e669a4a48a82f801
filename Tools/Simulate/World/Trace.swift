import MildamCrypto
import MildamIdentity
import MildamWire

/// What happened, in its order: a digest of all of it, and the last part in words.
package struct Trace: Sendable {
    /// What happened.
    enum Kind: UInt8, Sendable {
        case operation, request, taken, refused, reply, live, mail, wake, dial, hangUp, start, end, told, relayUp,
            takingBackEnds, answer, hear, shown, shutOut, diskHasRoom
    }

    private struct Row: Sendable {
        let at: UInt64
        let kind: Kind
        let person: UInt8
        let room: UInt8
        let number: UInt64
        let words: String
    }

    /// How many of the last lines are kept.
    package static let kept = 200

    private var hash = SHA256()
    private var pending = WireWriter(capacity: 1 << 16)
    private var lines: [Row] = []
    private var next = 0
    /// How many things have happened.
    package private(set) var count = 0

    /// Nothing has happened.
    init() {}

    /// Notes that something happened.
    ///
    /// - Parameters:
    ///   - person: whose; 0 for the relay.
    ///   - words: more of what it was.
    ///   - bytes: what has to be the same in each run besides.
    mutating func note(
        _ kind: Kind,
        at moment: UInt64,
        _ person: UInt8 = 0,
        in room: RoomID? = nil,
        _ number: UInt64 = 0,
        _ words: String = "",
        bytes: [UInt8] = []
    ) {
        let roomNumber = room?.bytes[1] ?? .max
        count += 1
        pending.integer(moment)
        pending.integer(kind.rawValue)
        pending.integer(person)
        pending.integer(roomNumber)
        pending.integer(number)
        pending.fixed(words.utf8)
        pending.fixed(bytes)
        if pending.count > 1 << 16 { flush() }
        let line = Row(at: moment, kind: kind, person: person, room: roomNumber, number: number, words: words)
        if lines.count < Trace.kept {
            lines.append(line)
        } else {
            lines[next] = line
            next = (next + 1) % Trace.kept
        }
    }

    private mutating func flush() { hash.update(data: pending.takeBytes()) }

    /// SHA-256 of everything that happened, 32 bytes.
    var digest: [UInt8] {
        var hash = hash
        hash.update(data: pending.bytes)
        return Array(hash.finalize())
    }

    /// The last things that happened, the oldest first.
    var last: [String] { (lines[next...] + lines[..<next]).map(Trace.text) }

    private static func text(_ line: Row) -> String {
        let whole = String(line.at / 1000)
        let part = String(1000 + line.at % 1000).dropFirst()
        let who = line.person == 0 ? "relay" : "person \(line.person)"
        let place = line.room == .max ? "" : ", room \(line.room)"
        return "\(whole).\(part) s  \(who)\(place): \(line.kind) \(line.words) \(line.number)"
    }
}
