import MildamClientAPI
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("A profile that its client lends")
struct LendingTests {
    /// Asks how many rooms there are, and notes that it was answered.
    private func ask(_ link: ClientLink, _ answered: Lock<Bool>) -> Task<ClientAnswer, any Error> {
        Task {
            let answer = try await link.ask(.rooms())
            answered.withLock { $0 = true }
            return answer
        }
    }

    /// What has become of the account is known to who comes, whatever is done with the profile then.
    @Test func itGreetsWithWhatTheAccountIsAfterwards() async throws {
        let served = try ServedRooms()
        let borrower = try served.link()
        #expect(borrower.hello.stage == .ready)
        #expect(try await borrower.ask(.lend) == .done)
        await served.book.set(loggedIn: false)
        #expect(try await borrower.ask(.giveBack) == .done)
        #expect(try await borrower.ask(.rooms()) == .rooms(rows: [], hasMore: false))
        await served.book.set(busy: true)
        let next = try await Blocking.run { try served.link() }
        #expect(next.hello.stage == .loggedOut)
        await served.book.set(busy: false)
    }

    @Test func othersWaitUntilItIsGivenBack() async throws {
        let served = try ServedRooms()
        let (borrower, other) = (try served.link(), try served.link())
        let room = try await other.made("kitchen")
        #expect(try await borrower.ask(.lend) == .done)
        #expect(await served.lender.isLent)
        let answered = Lock(false)
        let asked = ask(other, answered)
        try await Task.sleep(for: .milliseconds(300))
        #expect(!answered.withLock { $0 })
        #expect(try served.link().hello.stage == .ready, "it greets meanwhile")
        #expect(try await borrower.ask(.giveBack) == .done)
        guard case .rooms(let rows, false) = try await asked.value else { throw ClientLinkError.ended }
        #expect(rows.map(\.room) == [room])
        #expect(await !served.lender.isLent)
        #expect(try await borrower.ask(.giveBack) == .done, "once more is nothing")
    }

    /// The kernel ends the connection of a program that is killed.
    @Test func whoHangsUpHasGivenItBack() async throws {
        let served = try ServedRooms()
        let (borrower, other) = (try served.raw(), try served.link())
        _ = try await borrower.line()
        try await borrower.say("{\"id\":1,\"ask\":{\"lend\":{}}}\n")
        #expect(try await borrower.line() == #"{"id":1,"ok":{"done":{}}}"#)
        let answered = Lock(false)
        let asked = ask(other, answered)
        try await Task.sleep(for: .milliseconds(200))
        #expect(!answered.withLock { $0 })
        borrower.hangUp()
        _ = try await asked.value
        #expect(await !served.lender.isLent)
    }

    @Test func severalHaveItAtOnce() async throws {
        let served = try ServedRooms()
        let (one, two, other) = (try served.link(), try served.link(), try served.link())
        #expect(try await one.ask(.lend) == .done)
        #expect(try await two.ask(.lend) == .done)
        #expect(await served.lender.lendings == 1)
        let answered = Lock(false)
        let asked = ask(other, answered)
        #expect(try await one.ask(.giveBack) == .done)
        try await Task.sleep(for: .milliseconds(200))
        #expect(!answered.withLock { $0 })
        #expect(try await two.ask(.giveBack) == .done)
        _ = try await asked.value
    }

    @Test func whoDrawsIsToldToAskAnew() async throws {
        let served = try ServedRooms()
        let (borrower, window) = (try served.link(), try served.link())
        let events = try await window.subscribe()
        #expect(try await borrower.ask(.lend) == .done)
        #expect(try await borrower.ask(.giveBack) == .done)
        var arrived: [ClientLink.Event] = []
        for await event in events {
            arrived.append(event)
            guard arrived.count < 2 else { break }
        }
        #expect(arrived.first == .resync)
        guard case .changes(_, let changes)? = arrived.last, case .status(let status)? = changes.first else {
            Issue.record("\(arrived)")
            return
        }
        #expect(status.stage == .ready)
        // It goes on being told.
        let room = try await borrower.made("kitchen")
        for await event in events {
            guard case .changes(_, let changes) = event else { continue }
            let isThere = changes.contains { change in
                guard case .room(let row) = change else { return false }
                return row.room == room
            }
            if isThere { break }
        }
    }

    @Test func thatItIsLentForTooLongIsTold() async throws {
        let served = try ServedRooms(patience: .milliseconds(300))
        let (borrower, other) = (try served.link(), try served.link())
        #expect(try await borrower.ask(.lend) == .done)
        await #expect(throws: ClientLinkError.refused(ClientError(.lent))) { try await other.ask(.rooms()) }
        #expect(try await borrower.ask(.giveBack) == .done)
        #expect(try await other.ask(.rooms()) == .rooms(rows: [], hasMore: false))
    }

    @Test func whatCannotBeLentIsGoneOnWith() async throws {
        let served = try ServedRooms()
        let (borrower, other) = (try served.link(), try served.link())
        await served.lender.refuse(.notLent("it is busy"))
        await #expect(throws: ClientLinkError.refused(ClientError(.notLent, ["reason": "it is busy"]))) {
            try await borrower.ask(.lend)
        }
        #expect(try await other.ask(.rooms()) == .rooms(rows: [], hasMore: false))
        #expect(try await borrower.ask(.lend) == .done)
    }

    @Test func aBorrowerKeepsItsPlaceAmongManyWindows() async throws {
        let served = try ServedRooms()
        let borrower = try served.link()
        #expect(try await borrower.ask(.lend) == .done)
        var windows: [ClientLink] = []
        for _ in 0..<ClientServer.maximumWindows { windows.append(try served.link()) }
        #expect(try await borrower.ask(.giveBack) == .done)
    }

    @Test func stoppedWhileItIsLent() async throws {
        let served = try ServedRooms()
        let (borrower, other) = (try served.link(), try served.link())
        #expect(try await borrower.ask(.lend) == .done)
        #expect(try await other.ask(.stop) == .done)
        for await _ in served.stops {}
    }
}
