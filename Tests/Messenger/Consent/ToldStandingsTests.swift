import Foundation
import MildamIdentity
import Testing

@testable import MildamMessenger

@Suite("Consent: what the relay is told of others")
struct ToldStandingsTests {
    private let mallory = AccountID.random()

    @Test func eachIsToldOnceAndUnderOneId() throws {
        var standings = ToldStandings()
        standings.say(.known, of: mallory)
        let first = try #require(standings.due.first)
        #expect(first.account == mallory && first.entry.standing == .known)
        standings.settle(first.entry, of: mallory)
        #expect(standings.due.isEmpty)
        standings.say(.known, of: mallory)
        #expect(standings.due.isEmpty, "the relay has it")
        standings.say(.blocked, of: mallory)
        #expect(standings.due.map(\.entry.id) == [first.entry.id])
        let read = try JSONDecoder().decode(ToldStandings.self, from: JSONEncoder().encode(standings))
        #expect(read.due.map(\.entry) == standings.due.map(\.entry))
    }

    /// What changed while the relay was being told is told again.
    @Test func whatChangedMeanwhile() throws {
        var standings = ToldStandings()
        standings.say(.known, of: mallory)
        let asked = try #require(standings.due.first?.entry)
        standings.say(.blocked, of: mallory)
        standings.settle(asked, of: mallory)
        #expect(standings.due.map(\.entry.standing) == [.blocked])
    }

    /// A relay without room is asked again once something was taken back, and the person is told once.
    @Test func whatTheRelayWouldNotTake() throws {
        var standings = ToldStandings()
        let blocked = AccountID.random()
        standings.say(.blocked, of: blocked)
        standings.settle(try #require(standings.due.first?.entry), of: blocked)
        standings.say(.known, of: mallory)
        let first = try #require(standings.due.first?.entry)
        let isNew = standings.refuse(first, of: mallory)
        #expect(isNew && standings.due.isEmpty && standings.refused == [.known])
        standings.say(nil, of: blocked)
        standings.settle(try #require(standings.due.first?.entry), of: blocked)
        let again = try #require(standings.due.first?.entry)
        #expect(again.id == first.id && standings.refused == [.known])
        let isNewAgain = standings.refuse(again, of: mallory)
        #expect(!isNewAgain, "the person knows")
        standings.say(.blocked, of: mallory)
        #expect(standings.refused.isEmpty && standings.due.map(\.entry.standing) == [.blocked])
        let isNewToo = standings.refuse(try #require(standings.due.first?.entry), of: mallory)
        #expect(isNewToo && standings.refused == [.blocked], "that is another thing to know")
    }

    @Test func whatIsTakenBack() throws {
        var standings = ToldStandings()
        standings.say(nil, of: mallory)
        #expect(standings.due.isEmpty, "there was nothing")
        standings.say(.blocked, of: mallory)
        let id = try #require(standings.due.first?.entry.id)
        standings.settle(standings.due[0].entry, of: mallory)
        standings.say(nil, of: mallory)
        let back = try #require(standings.due.first?.entry)
        #expect(back.id == id && back.standing == nil)
        standings.settle(back, of: mallory)
        standings.say(.known, of: mallory)
        #expect(standings.due.first?.entry.id != id, "nothing connects it with what is over")
    }
}
