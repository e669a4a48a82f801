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

    private func owner(_ executable: String) -> LocalKeychain.Options {
        var owner = options(executable)
        owner.isOwner = true
        return owner
    }

    @Test func theOwnersToolSeesEverything() async throws {
        let fixture = try await Fixture()
        try await fixture.another(options: options("/usr/bin/mail")).add(password("a"))
        let tool = try await fixture.another(options: owner("/usr/bin/mildam"))
        #expect(try tool.text("a") == "secret")
    }

    @Test func theOwnersToolHasOneGroupWhereverItLies() async throws {
        let fixture = try await Fixture()
        let here = try await fixture.another(options: owner("/usr/bin/mildam"))
        let moved = try await fixture.another(options: owner("/elsewhere/mildam"))
        let reference = try here.set(password("a", "service", "one"))
        #expect(try moved.set(password("a", "service", "two")) == reference)
        #expect(throws: KeychainError.duplicateItem) { try moved.add(password("a")) }
        let items = try here.copyMatching(KeychainQuery(.genericPassword), limit: .all)
        #expect(items.map(\.accessGroup) == [AccessGroup.owners] && items.first?.secret?.text == "two")
    }

    @Test func whatTheOwnersToolSetsIsTheItemOfAnyGroup() async throws {
        let fixture = try await Fixture()
        let mail = try await fixture.another(options: options("/usr/bin/mail"))
        let reference = try mail.add(password("a", "service", "of mail"))
        let tool = try await fixture.another(options: owner("/usr/bin/mildam"))
        #expect(throws: KeychainError.duplicateItem) { try tool.add(password("a")) }
        #expect(try tool.set(password("a", "service", "new")) == reference)
        #expect(try mail.text("a") == "new" && mail.item(KeychainQuery(reference)).accessGroup == mailGroup)
        // One without an account is another item than one with any.
        let nobodys = NewItem(.genericPassword, [.service: "service"], secret: SecretValue(text: "nobody's"))
        let other = try tool.set(nobodys)
        #expect(try other != reference && tool.set(nobodys) == other && mail.text("a") == "new")
        // So is one that goes to other devices.
        var travelling = password("a")
        travelling.isSynchronizable = true
        #expect(try tool.set(travelling) != reference)
    }

    private let mailGroup = "program:/usr/bin/mail"

    @Test func whatIsAmbiguousIsRefused() async throws {
        let fixture = try await Fixture()
        let tool = try await fixture.another(options: owner("/usr/bin/mildam"))
        for name in ["mail", "news"] {
            try await fixture.another(options: options("/usr/bin/" + name)).add(password("a", "service", name))
        }
        let ambiguous = KeychainError.ambiguousItem(numbers: [1, 2])
        #expect(throws: ambiguous) { try tool.set(password("a", "service", "new")) }
        #expect(throws: KeychainError.duplicateItem) { try tool.add(password("a", "service", "new")) }
        #expect(ambiguous.description.contains("1, 2"))
        func secrets() throws -> [String?] {
            try tool.copyMatching(KeychainQuery(.genericPassword), limit: .all).map { $0.secret?.text }
        }
        #expect(try secrets() == ["mail", "news"])
        var meant = password("a", "service", "new")
        meant.accessGroup = mailGroup
        try tool.set(meant)
        #expect(try secrets() == ["new", "news"])
        // A program sees its own alone, and nothing is ambiguous to it.
        try await fixture.another(options: options("/usr/bin/news")).set(password("a", "service", "newer"))
        #expect(try secrets() == ["new", "newer"])
    }

    /// A profile's root key has a name that anybody may use: without its group, another item is meant.
    @Test func whatIsOfAPartOfTheToolIsChangedByWhoNamesItsGroup() async throws {
        let fixture = try await Fixture()
        let tool = try await fixture.another(options: owner("/usr/bin/mildam"))
        var part = password("a", "service", "of a part")
        part.accessGroup = "mildam.profile"
        let reference = try tool.add(part)
        let other = try tool.set(password("a", "service", "another"))
        #expect(try other != reference && tool.item(KeychainQuery(reference)).secret?.text == "of a part")
        #expect(try tool.set(part) == reference)
    }
}
