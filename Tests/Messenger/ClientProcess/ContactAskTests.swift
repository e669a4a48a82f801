import MildamClientAPI
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("People whom a profile meets, and its links, as windows ask for them")
struct ContactAskTests {
    private func contact(_ ask: ClientAsk, _ link: ClientLink) async throws -> ContactRow {
        guard case .contact(let row) = try await link.ask(ask) else { throw ClientLinkError.ended }
        return row
    }

    private func code(_ ask: ClientAsk, _ link: ClientLink) async throws -> String? {
        do throws(ClientLinkError) { _ = try await link.ask(ask) } catch {
            guard case .refused(let refusal) = error else { throw error }
            return refusal.code.rawValue
        }
        return nil
    }

    @Test func somebodyIsMetAndBelieved() async throws {
        let served = try ServedRooms()
        let (link, carol, dave) = (try served.link(), try Handle("carol"), try Handle("dave"))
        let met = try await contact(.addContact(handle: carol), link)
        #expect(met.handle == carol && met.isNew && met.state == .seen && met.refused == nil)
        let ask = ClientAsk.acceptContact(handle: carol, fingerprint: met.fingerprint)
        #expect(try await contact(ask, link).state == .compared)
        #expect(try await code(.addContact(handle: dave), link) == "unknown-account")
        let other = ClientAsk.acceptContact(handle: carol, fingerprint: "11111")
        #expect(try await code(other, link) == "other-fingerprint")
    }

    @Test func linksAreMadeTakenAndTakenBack() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        guard case .link(let text, 1, let expires) = try await link.ask(.makeLink(days: 2)),
            case .link(_, 2, _) = try await link.ask(.makeLink(days: 7))
        else { throw ClientLinkError.ended }
        #expect(text.hasPrefix("mildam:") && expires == 2 * 86_400)
        #expect(try await contact(.addContactByLink(link: text), link).handle.text == "carol")
        #expect(try await code(.addContactByLink(link: String(text.dropLast())), link) == "bad-line")
        #expect(try await link.ask(.revokeLinks(number: 1)) == .revoked(count: 1))
        #expect(try await code(.revokeLinks(number: 1), link) == "unknown-link")
        #expect(try await code(.addContactByLink(link: text), link) == "link-differs")
        #expect(try await link.ask(.revokeLinks()) == .revoked(count: 1))
        #expect(try await link.ask(.revokeLinks()) == .revoked(count: 0))
    }

    /// A relay's words are cut to what a line has room for, and so is how many there are.
    @Test func whatTheRelayWouldNotBeTold() throws {
        let refused = RefusedStanding(
            handle: nil,
            standing: .blocked,
            reason: String(repeating: "full ", count: 100)
        )
        #expect(StandingRefusal.list(of: []) == nil)
        let told = try #require(StandingRefusal.list(of: Array(repeating: refused, count: 150)))
        #expect(told.count == StandingRefusal.most && told.allSatisfy(\.isBlock))
        let row = BlockedRow(handle: try Handle("dave"), hasPinned: true, claims: 0, refused: told)
        #expect(throws: Never.self) { try ClientLine.bytes(of: .ok(id: 1, .blocked(row: row))) }
    }
}
