import MildamClientAPI
import MildamIdentity

/// Messages that have a text in them, of several rooms, asked of the profile's client part by part: the newest first, and no
/// further back than is wanted.
public struct MessageSearch: Sendable {
    /// A message that was found.
    public struct Match: Sendable {
        /// The room.
        public var row: RoomRow
        /// The message, with the whole of its text.
        public var item: RoomItem
        /// When it was said, no later than what came after it in its room: milliseconds since 1970.
        fileprivate var moment: UInt64
    }

    /// What was found.
    public struct Findings: Sendable {
        /// The newest last.
        public fileprivate(set) var matches: [Match] = []
        /// Whether there are earlier ones.
        public fileprivate(set) var hasEarlier = false
        /// The rooms that could not be read, and why.
        public fileprivate(set) var unreadable: [(row: RoomRow, error: ClientError)] = []
    }

    /// A room, as far as it was looked through.
    private struct Place: Sendable {
        var row: RoomRow
        var before: UInt64?
        /// Nothing that is still to be looked at was said after this.
        var moment: UInt64

        init(_ row: RoomRow) {
            self.row = row
            // Of what is missing, nobody knows when it was said.
            let last = row.last?.at ?? 0
            moment = last > 0 ? last : .max
        }
    }

    private static let patience = Duration.seconds(70)

    private let text: String
    private let link: any ClientAsking

    /// A search.
    ///
    /// - Parameter text: 1 to ``LineLimits/soughtText`` bytes.
    public init(for text: String, from link: any ClientAsking) {
        self.text = text
        self.link = link
    }

    /// The last messages that have the text in them, so many at most.
    ///
    /// - Throws: ``ClientLinkError``.
    public func last(_ count: Int, in rows: [RoomRow]) async throws(ClientLinkError) -> Findings {
        var findings = Findings()
        var places = rows.filter { !$0.isOffered }.map { Place($0) }
        while let next = places.indices.max(by: { places[$0].moment < places[$1].moment }) {
            // One more than is wanted: whether there are earlier ones is then known.
            if findings.matches.count > count {
                findings.matches.sort { $0.isBefore($1) }
                findings.matches.removeFirst(findings.matches.count - count - 1)
                if let first = findings.matches.first, places[next].moment <= first.moment { break }
            }
            var place = places[next]
            do throws(ClientLinkError) {
                let found = try await step(&place)
                findings.matches += found
                places[next] = place
                if place.before == nil { places.remove(at: next) }
            } catch {
                guard case .refused(let refusal) = error, MessageSearch.causes.contains(refusal.code.rawValue) else {
                    throw error
                }
                places.remove(at: next)
                if refusal.code != .noSuchRoom { findings.unreadable.append((place.row, refusal)) }
            }
        }
        findings.matches.sort { $0.isBefore($1) }
        findings.hasEarlier = findings.matches.count > count
        findings.matches = Array(findings.matches.suffix(count))
        for index in findings.matches.indices {
            let match = findings.matches[index]
            findings.matches[index].item = try await RoomPages(of: match.row.room, from: link).whole(match.item)
        }
        return findings
    }

    /// What keeps one room from being looked through, and no other.
    private static let causes: Set = [ClientError.Code.noSuchRoom.rawValue, "not-readable"]

    /// Looks through the next part of a room.
    private func step(_ place: inout Place) async throws(ClientLinkError) -> [Match] {
        let ask = ClientAsk.search(room: place.row.room, text: text, before: place.before)
        let answer = try await link.ask(ask, within: MessageSearch.patience)
        guard case .matches(let items, let before, let at) = answer else { throw .misunderstood(.unknown) }
        var matches: [Match] = []
        var moment = place.moment
        for item in items.reversed() {
            if item.at > 0 { moment = min(moment, item.at) }
            matches.append(Match(row: place.row, item: item, moment: moment))
        }
        place.moment = min(moment, at ?? moment)
        // A part that was none would never end.
        if let before, let last = place.before, before >= last { throw .misunderstood(.unknown) }
        place.before = before
        return matches
    }
}

extension MessageSearch.Match {
    /// By when they were said; in a room, by their numbers.
    fileprivate func isBefore(_ other: MessageSearch.Match) -> Bool {
        (moment, row.room, item.number ?? 0) < (other.moment, other.row.room, other.item.number ?? 0)
    }
}
