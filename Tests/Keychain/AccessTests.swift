import MildamKeychain
import TestSupport
import Testing

@Suite("Access groups and the audit log")
struct AccessTests {
    private func options(_ executable: String) -> LocalKeychain.Options {
        var options = LocalKeychain.Options()
        options.program = ProgramIdentity(executable: executable, user: 1000)
        return options
    }

    @Test func aProgramSeesItsOwnAndWhatItWasGranted() async throws {
        let fixture = try await Fixture()
        let mail = try await fixture.another(options: options("/usr/bin/mail"))
        let news = try await fixture.another(options: options("/usr/bin/news"))
        try mail.add(password("a", "service", "of mail"))
        try news.add(password("a", "service", "of news"))
        #expect(try mail.text("a") == "of mail")
        #expect(try mail.copyMatching(KeychainQuery(.genericPassword), limit: .all).count == 1)
        var theirs = KeychainQuery.genericPassword(service: "service", account: "a")
        theirs.accessGroup = "program:/usr/bin/news"
        #expect(throws: KeychainError.accessGroupDenied(group: "program:/usr/bin/news")) { try mail.item(theirs) }
        let reference = try news.item(.genericPassword(service: "service")).reference
        #expect(throws: KeychainError.itemNotFound) { try mail.item(KeychainQuery(reference)) }
        let grant = AccessGrant(ProgramIdentity(executable: "/usr/bin/mail", user: 1000), "program:/usr/bin/news")
        try fixture.keychain.grant(grant)
        #expect(try mail.item(theirs).secret?.text == "of news")
        #expect(try mail.copyMatching(KeychainQuery(.genericPassword), limit: .all).count == 2)
        try fixture.keychain.revoke(grant)
        #expect(throws: KeychainError.accessGroupDenied(group: "program:/usr/bin/news")) { try mail.item(theirs) }
        #expect(throws: KeychainError.itemNotFound) { try fixture.keychain.revoke(grant) }
        let events = try fixture.keychain.auditLog().map(\.event)
        #expect(events.filter { $0 == .denied }.count == 2)
        #expect(events.contains(.granted))
        #expect(events.contains(.revoked))
        #expect(events.filter { $0 == .readPastAgent }.count >= 3, "\(events)")
    }

    @Test func anotherUsersProgramIsAnotherProgram() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.grant(AccessGrant(ProgramIdentity(executable: "/usr/bin/mail", user: 1001), "shared"))
        let mail = try await fixture.another(options: options("/usr/bin/mail"))
        var item = password("a")
        item.accessGroup = "shared"
        #expect(throws: KeychainError.accessGroupDenied(group: "shared")) { try mail.add(item) }
    }

    /// Whatever is asked for: it is refused, written down once, and nothing else is.
    @Test func everyDenialIsNoted() async throws {
        let fixture = try await Fixture()
        let mail = try await fixture.another(options: options("/usr/bin/mail"))
        try mail.add(password("a"))
        let own = KeychainQuery.genericPassword(service: "service", account: "a")
        var (theirs, item, change) = (own, password("b"), ItemChange())
        theirs.accessGroup = "shared"
        item.accessGroup = "shared"
        change.accessGroup = "shared"
        let requests: [() throws -> Void] = [
            { _ = try mail.copyMatching(theirs) }, { try mail.add(item) }, { try mail.set(item) },
            { try mail.update(own, change) }, { try mail.update(theirs, ItemChange([.label: "new"])) },
            { try mail.delete(theirs) },
        ]
        for (number, request) in requests.enumerated() {
            #expect(throws: KeychainError.accessGroupDenied(group: "shared")) { try request() }
            #expect(try fixture.keychain.auditLog().filter { $0.event == .denied }.count == number + 1)
        }
        #expect(
            try mail.copyMatching(KeychainQuery(.genericPassword), limit: .all).map(\.accessGroup) == [
                "program:/usr/bin/mail"
            ]
        )
        #expect(try fixture.keychain.verify().isSound)
    }

    @Test func theOwnersToolSeesEverything() async throws {
        let fixture = try await Fixture()
        try await fixture.another(options: options("/usr/bin/mail")).add(password("a"))
        var owner = LocalKeychain.Options()
        owner.isOwner = true
        let tool = try await fixture.another(options: owner)
        #expect(try tool.text("a") == "secret")
    }
}
