import Foundation
import TestSupport
import Testing

@testable import MildamKeychain

/// What is taken is kept: nothing is sealed that could not be opened again.
@Suite("The largest items")
struct LimitTests {
    private func text(_ count: Int) -> AttributeValue { .text(String(repeating: "x", count: count)) }

    @Test(arguments: [0, 1, 15, 16, 17])
    func attributesAtTheLimitAreReadBackOrRefused(_ below: Int) async throws {
        let fixture = try await Fixture()
        let half = AttributeValue.maximumSize
        let item = NewItem(
            .genericPassword,
            [.account: text(half), .service: text(half - below)],
            secret: SecretValue(text: "secret")
        )
        guard below >= 16 else {
            #expect(isRefused { _ = try fixture.keychain.add(item) })
            return
        }
        try fixture.keychain.add(item)
        #expect(try fixture.keychain.copyMatching(KeychainQuery(.genericPassword))[0].secret?.text == "secret")
    }

    @Test func settingDoesNotMakeAnItemLargerThanItMayBe() async throws {
        let fixture = try await Fixture()
        var item = password("a")
        item.attributes[.label] = text(AttributeValue.maximumSize)
        try fixture.keychain.set(item)
        item.attributes[.label] = nil
        item.attributes[.comment] = text(AttributeValue.maximumSize)
        #expect(throws: KeychainError.self) { try fixture.keychain.set(item) }
        #expect(try fixture.keychain.text("a") == "secret")
        #expect(try fixture.keychain.verify().isSound)
    }

    @Test func anUpdateDoesNot() async throws {
        let fixture = try await Fixture()
        var item = password("a")
        item.attributes[.label] = text(AttributeValue.maximumSize)
        try fixture.keychain.add(item)
        for size in [AttributeValue.maximumSize, AttributeValue.maximumSize - 23] {
            #expect(throws: KeychainError.self) {
                try fixture.keychain.update(KeychainQuery(.genericPassword), ItemChange([.comment: text(size)]))
            }
            #expect(try fixture.keychain.text("a") == "secret")
        }
    }

    /// The agent refuses in the same words as the file, and goes on.
    @Test func whatIsTooLargeIsRefusedAlikeWithAndWithoutTheAgent() async throws {
        let served = try await AgentTests.Served()
        let client = try served.client()
        let large = SecretValue(copying: [UInt8](repeating: 1, count: SecretValue.maximumSize + 1))
        var items: [NewItem] = []
        for name in ["", String(repeating: "g", count: 1025), String(repeating: "g", count: 70_000)] {
            var item = password("a")
            item.accessGroup = name
            items.append(item)
        }
        items.append(NewItem(.genericPassword, [:], secret: large))
        items.append(NewItem(.genericPassword, [.account: text((1 << 20) + 1)], secret: SecretValue(text: "")))
        items.append(NewItem(.genericPassword, [.account: .data([1])], secret: SecretValue(text: "")))
        for item in items {
            for keychain in [client, served.fixture.keychain] as [any Keychain] {
                #expect(isRefused { _ = try keychain.add(item) }, "\(type(of: keychain))")
                #expect(isRefused { _ = try keychain.set(item) }, "\(type(of: keychain))")
            }
        }
        let group = String(repeating: "g", count: 70_000)
        let (query, change) = (Self.query(group), Self.change(group))
        let all = KeychainQuery(.genericPassword)
        #expect(isRefused { _ = try client.copyMatching(query) })
        #expect(isRefused { _ = try client.delete(query) })
        #expect(isRefused { _ = try client.update(all, change) })
        #expect(isRefused { _ = try client.update(all, ItemChange(secret: large)) })
        let tooLong = SlotSecret.passphrase(SecretValue(copying: [UInt8](repeating: 65, count: 4097)))
        #expect(isRefused { try client.unlock(tooLong) })
        let grant = AccessGrant(ProgramIdentity(executable: "/x", user: 1), group)
        #expect(isRefused { try client.grant(grant) })
        #expect(try client.state() == .unlocked)
    }

    @Test func moreSecretsThanAMessageHoldsAreRefused() async throws {
        let served = try await AgentTests.Served()
        let secret = SecretValue(copying: [UInt8](repeating: 1, count: SecretValue.maximumSize))
        for number in 0..<17 {
            var item = password("a\(number)")
            item.secret = secret
            try served.fixture.keychain.add(item)
        }
        let client = try served.client()
        let query = KeychainQuery(.genericPassword)
        let isTooMuch = isRefused { _ = try client.copyMatching(query, limit: .all) }
        #expect(isTooMuch, "they were taken, or broke the connection")
        #expect(try client.copyMatching(query, limit: .all, returningSecrets: false).count == 17)
        #expect(try client.copyMatching(query, limit: .atMost(9)).count == 9)
        #expect(try served.fixture.keychain.copyMatching(query, limit: .all).count == 17)
    }

    private static func query(_ group: String) -> KeychainQuery {
        var query = KeychainQuery(.genericPassword)
        query.accessGroup = group
        return query
    }

    private static func change(_ group: String) -> ItemChange {
        var change = ItemChange()
        change.accessGroup = group
        return change
    }

    /// Whether a request is refused for what it is.
    private func isRefused(_ body: () throws -> Void) -> Bool {
        do { try body() } catch {
            if case .invalidRequest = error as? KeychainError { return true }
        }
        return false
    }
}
