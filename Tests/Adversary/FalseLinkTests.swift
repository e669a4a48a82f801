import Foundation
import HouseSupport
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

/// A relay that lies about how something came, and from whom.
@Suite("The relay's word on the mail")
struct FalseLinkTests {
    private struct Scene {
        let house: House
        let proxy: TamperingProxy
        let bob, mallory: Person

        init() async throws {
            house = try await House.open()
            proxy = try TamperingProxy.start(before: house.relay.url)
            (bob, mallory) = (house.person("bob", at: proxy.url), house.person("mallory"))
            try await house.settle(bob, mallory)
        }

        func invite(to room: String) async throws {
            try await mallory.done("room", "create", room)
            try await mallory.done("room", "invite", room, "bob")
        }

        func tamper(_ change: @escaping @Sendable (inout MailboxItem) -> Void) {
            proxy.tamper { route, request, answer in
                guard case Routes.mailbox = route, request.method == .get else { return answer }
                return try answer.changing(MailboxPage.self) { page in
                    for index in page.items.indices { change(&page.items[index]) }
                }
            }
        }
    }

    /// It gets as many unasked invitations past the requests as there are links, and none without.
    @Test func aLinkThatNobodyShowed() async throws {
        let scene = try await Scene()
        scene.tamper { $0.isRequest = false }
        try await scene.invite(to: "one")
        expect(try await scene.bob.run("room", "list"), 0, "1 request of people")
        try await scene.bob.done("request", "decline", "--all")
        try await scene.bob.done("invite-link")
        try await scene.invite(to: "two")
        try await scene.invite(to: "three")
        let list = try await scene.bob.run("room", "list")
        expect(list, 0, "two", "1 request of people")
        #expect(!list.output.contains("three"), "\(list)")
        #expect(try await !scene.bob.done("contact", "list").contains("mallory"), "nobody is known by it")
    }

    /// In the name of an account that is none it waits like any other, and is gone once it is looked at.
    @Test func inSomebodysName() async throws {
        let scene = try await Scene()
        let nobody = AccountID.random()
        scene.tamper { $0.from = nobody }
        try await scene.invite(to: "one")
        expect(try await scene.bob.run("request", "list"), 0, "somebody (unverified)")
        expect(try await scene.bob.run("request", "accept", "1"), 4, "no request is of 1")
        expect(try await scene.bob.run("request", "list"), 0, "no requests")
        expect(try await scene.bob.run("room", "list"), 0, "no rooms")
        expect(try await scene.bob.run("doctor"), 0, "mail set aside: 1", "from nobody on this relay")
    }
}
