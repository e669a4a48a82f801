import Foundation
import MildamIdentity
import Testing

@testable import MildamRelayAPI

private let badTimes: [Int64] = [.min, .min + 1, -1, Limits.seconds.upperBound + 1, .max / 1000, .max - 1, .max]
private let badNumbers: [UInt64] = [UInt64(Int64.max), 1 << 63, .max - 1, .max]

@Suite("A relay's answers: numbers and times")
struct BoundedAnswerTests {
    /// What a client reads of an answer of a route.
    private func isRead<Body, Answer>(
        _ value: some Encodable,
        by place: RouteTarget<Body, Answer>
    ) throws -> Bool {
        do {
            _ = try place.answer.decode([UInt8](JSONEncoder().encode(value)))
            return true
        } catch is OutOfBounds {
            return false
        }
    }

    @Test("times of the account's log", arguments: badTimes)
    func log(_ time: Int64) throws {
        func log(_ time: Int64) -> AuditLog { AuditLog(entries: [.init(kind: .loggedIn, time: time)]) }
        #expect(try !isRead(log(time), by: Routes.accountLog.at()))
        for end in [0, Limits.seconds.upperBound] { #expect(try isRead(log(end), by: Routes.accountLog.at())) }
    }

    @Test("times of sessions", arguments: badTimes)
    func sessions(_ time: Int64) throws {
        func list(_ begun: Int64, _ refreshed: Int64) -> SessionList {
            let one = SessionDescription(
                session: .random(),
                device: .random(),
                begun: begun,
                refreshed: refreshed,
                isCurrent: true
            )
            return SessionList(sessions: [one])
        }
        #expect(try !isRead(list(time, 1), by: Routes.sessions.at()))
        #expect(try !isRead(list(1, time), by: Routes.sessions.at()))
        #expect(try isRead(list(1, 2), by: Routes.sessions.at()))
    }

    @Test("when the socket stays open until, and when a message was stored", arguments: badTimes)
    func liveTimes(_ time: Int64) {
        #expect(!LiveEvent.renewed(until: time).isWithinBounds)
        #expect(LiveEvent.renewed(until: 1_700_000_000).isWithinBounds)
        guard !Limits.milliseconds.contains(time) else { return }
        #expect(!message(1, stored: time).isWithinBounds)
    }

    private func message(_ number: UInt64, stored: Int64 = 1_700_000_000_000) -> RoomMessage {
        RoomMessage(
            number: number,
            generation: 1,
            epoch: 0,
            kind: .application,
            account: .random(),
            device: .random(),
            stored: stored,
            body: Data([1])
        )
    }

    private func state(first: UInt64, next: UInt64, delivered: UInt64? = nil) -> RoomState {
        RoomState(
            room: .random(),
            generation: 1,
            epoch: 0,
            renewalDue: false,
            first: first,
            next: next,
            members: [],
            isGroup: true,
            delivered: delivered
        )
    }

    @Test("numbers of messages, rooms, mailboxes and receipts", arguments: badNumbers)
    func numbers(_ number: UInt64) throws {
        for (number, isRight) in [(number, false), (Limits.number, true)] {
            let room = RoomID.random()
            #expect(try isRead(SendReceipt(number: number), by: Routes.sendToGroup.at(room)) == isRight)
            let messages = Routes.messages.at(room, query: 1)
            #expect(try isRead(MessagePage(first: number, next: 1, messages: []), by: messages) == isRight)
            #expect(try isRead(MessagePage(first: 1, next: number, messages: []), by: messages) == isRight)
            let page = MessagePage(first: 1, next: 2, messages: [message(1), message(number)])
            #expect(try isRead(page, by: messages) == isRight)
            #expect(try isRead(state(first: number, next: 1), by: Routes.room.at(room)) == isRight)
            #expect(try isRead(state(first: 1, next: number), by: Routes.createGroup.at(room)) == isRight)
            #expect(
                RoomList(rooms: [state(first: 1, next: 1), state(first: 1, next: number)]).isWithinBounds == isRight
            )
            let delivered = state(first: 1, next: 2, delivered: number)
            #expect(try isRead(delivered, by: Routes.room.at(room)) == isRight)
            #expect(RoomList(rooms: [state(first: 1, next: 1), delivered]).isWithinBounds == isRight)
            let mailbox = Routes.mailbox.at(query: 1)
            #expect(try isRead(MailboxPage(first: number, next: 1, items: []), by: mailbox) == isRight)
            #expect(try isRead(MailboxPage(first: 1, next: number, items: []), by: mailbox) == isRight)
            let item = MailboxItem(number: number, kind: .envelope, room: room, body: Data([1]))
            #expect(try isRead(MailboxPage(first: 1, next: 2, items: [item]), by: mailbox) == isRight)
            #expect(LiveEvent.message(room: room, message: message(number)).isWithinBounds == isRight)
            #expect(LiveEvent.behind(room: room, from: number).isWithinBounds == isRight)
            #expect(LiveEvent.mailbox(next: number).isWithinBounds == isRight)
            #expect(LiveEvent.lost(room: room, first: 1, last: number).isWithinBounds == isRight)
            let gap = MessagePage(first: 1, next: 2, messages: [], lost: [LostNumbers(first: 1, last: number)])
            #expect(try isRead(gap, by: messages) == isRight)
            #expect(try isRead(MessagePage(first: 1, next: 2, messages: [], epoch: number), by: messages) == isRight)
            let error = APIError(.gone, "gone", number: number)
            #expect(error.isWithinBounds == isRight)
            #expect(APIErrorBody(error).isWithinBounds == isRight)
            #expect(LiveEvent.refused(error: error).isWithinBounds == isRight)
            let late = APIError(.staleEpoch, "late", generation: 1, epoch: 3)
            for missed in [
                MessagePage(first: number, next: 1, messages: []), MessagePage(first: 1, next: number, messages: []),
                MessagePage(first: 1, next: 2, messages: [], epoch: number), page, gap,
            ] {
                #expect(APIErrorBody(late, missed: missed).isWithinBounds == isRight)
            }
        }
        #expect(APIError(.gone, "gone").isWithinBounds)
        for (count, isRight) in [(0, false), (31, false), (32, true), (33, false)] {
            var commit = message(1)
            commit.externalPub = Data(count: count)
            #expect(commit.isWithinBounds == isRight)
        }
    }

    @Test("the name of a rule that is broken")
    func rules() throws {
        let longest = String(repeating: "r", count: 48)
        for rule in ["mls", "inviterMayInvite", "reInitializedGroupHasAllMembers", "a-b_9", longest] {
            #expect(APIError(.invalidCommit, "broken", rule: rule).isWithinBounds, "\(rule)")
        }
        let endless = String(repeating: "r", count: 65_522)
        for rule in ["", longest + "r", "two words", "line\n", "\u{1B}[2J", "ré", endless] {
            let error = APIError(.invalidCommit, "broken", rule: rule)
            #expect(!error.isWithinBounds)
            #expect(!APIErrorBody(error).isWithinBounds)
            #expect(!LiveEvent.refused(error: error).isWithinBounds)
        }
    }
}
