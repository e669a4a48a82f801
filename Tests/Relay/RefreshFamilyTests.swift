import Foundation
import MildamCrypto
import MildamIdentity
import Testing

@testable import MildamRelay

@Suite("Refresh tokens")
struct RefreshFamilyTests {
    private let keys = RefreshKeys(newest: .init(id: 1, key: SymmetricKey(size: .bits256)))
    private let first = SecureRandom.bytes(count: 32)
    private let family: RefreshFamily

    init() {
        family = RefreshFamily(session: .random(), first: first, at: 1000)
    }

    private func advance(_ family: RefreshFamily, _ token: [UInt8]) throws -> (RefreshFamily, [UInt8]) {
        guard case .advanced(let next, let token) = family.present(token, keys: keys, at: 2000) else {
            throw CancellationError()
        }
        return (next, token)
    }

    @Test("the newest token yields a successor that is derived from it")
    func advances() throws {
        let (second, token) = try advance(family, first)
        #expect(second.step == 1 && second.used == 2000)
        #expect(second.previous == RefreshFamily.digest(of: first))
        #expect(second.digest == RefreshFamily.digest(of: token))
        let (_, other) = try advance(RefreshFamily(session: .random(), first: first, at: 0), first)
        #expect(other != token)
    }

    @Test("the previous token yields the same successor, whatever the clock says, until that one is presented")
    func repeats() throws {
        let (second, token) = try advance(family, first)
        for now: Int64 in [2000, 2001, 2000 + RefreshFamily.idleLifetime] {
            #expect(second.present(first, keys: keys, at: now) == .repeated(token: token))
        }
        let (third, next) = try advance(second, token)
        #expect(third.present(first, keys: keys, at: 2000) == .ended)
        #expect(third.present(token, keys: keys, at: 2000) == .repeated(token: next))
        #expect(third.present(next, keys: keys, at: 2000) != .ended)
    }

    @Test(
        "a token that is none of the family's last two ends it",
        arguments: [[], [7], [UInt8](repeating: 7, count: 32)]
    )
    func ends(_ token: [UInt8]) throws {
        #expect(family.present(token, keys: keys, at: 2000) == .ended)
        #expect(try advance(family, first).0.present(token, keys: keys, at: 2000) == .ended)
    }

    @Test("a session that is not refreshed for 90 days ends")
    func idle() {
        #expect(family.present(first, keys: keys, at: 1000 + RefreshFamily.idleLifetime) != .ended)
        #expect(family.present(first, keys: keys, at: 1001 + RefreshFamily.idleLifetime) == .ended)
    }

    @Test("after a change of the relay's key the lost answer is still repeated")
    func keyChange() throws {
        let (second, token) = try advance(family, first)
        let changed = RefreshKeys(older: keys.all, newest: .init(id: 2, key: SymmetricKey(size: .bits256)))
        #expect(second.present(first, keys: changed, at: 2000) == .repeated(token: token))
        guard case .advanced(let third, _) = second.present(token, keys: changed, at: 2000) else {
            Issue.record("not advanced")
            return
        }
        #expect(third.key == 2)
        let without = RefreshKeys(newest: .init(id: 3, key: SymmetricKey(size: .bits256)))
        #expect(second.present(first, keys: without, at: 2000) == .ended)
    }
}
