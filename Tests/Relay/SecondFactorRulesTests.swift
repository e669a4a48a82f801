import MildamCrypto
import MildamIdentity
import MildamOTP
import MildamWire
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Second factor: which codes are good")
struct SecondFactorRulesTests {
    private static let now: Int64 = 1_700_000_010
    private let token: OneTimePassword

    init() throws {
        token = try OneTimePassword(secret: SymmetricKey(data: SecureRandom.bytes(count: 20)))
    }

    private func code(at time: Int64) -> String { token.code(at: UInt64(time)) }

    private let fresh = SecondFactor(step: 0, failures: 0, lockedUntil: 0)

    private static func step(at time: Int64) -> UInt64 { UInt64(time) / 30 }

    @Test("a code of this half minute, the one before and the one after is taken; no other", arguments: -3...3)
    func window(_ offset: Int) {
        let time = Self.now + Int64(offset) * 30
        let outcome = fresh.present(code(at: time), to: token, at: Self.now)
        if abs(offset) <= 1 {
            #expect(outcome == .accepted(SecondFactor(step: Self.step(at: time), failures: 0, lockedUntil: 0)))
        } else {
            #expect(outcome == .refused(SecondFactor(step: 0, failures: 1, lockedUntil: Self.now)))
        }
    }

    @Test("a step counts once, and none before it any more")
    func once() {
        guard case .accepted(let after) = fresh.present(code(at: Self.now), to: token, at: Self.now) else {
            Issue.record("the first was refused")
            return
        }
        for time in [Self.now, Self.now - 30] {
            guard case .refused(let state) = after.present(code(at: time), to: token, at: Self.now) else {
                Issue.record("taken again")
                return
            }
            #expect(state.step == after.step)
        }
        guard case .accepted(let next) = after.present(code(at: Self.now + 30), to: token, at: Self.now) else {
            Issue.record("the next was refused")
            return
        }
        #expect(next.step == after.step + 1)
    }

    @Test(
        "the fifth wrong code in a row makes wait, each further one twice as long, up to an hour; a right one ends it"
    )
    func delays() {
        #expect((0...4).allSatisfy { SecondFactor.delay(after: $0) == 0 })
        #expect((5...13).map { SecondFactor.delay(after: $0) } == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
        #expect(SecondFactor.delay(after: .max) == 3600)
        var state = fresh
        var time = Self.now
        for failures in 1...2000 {
            guard case .refused(let next) = state.present("abcdef", to: token, at: time) else {
                Issue.record("not refused")
                return
            }
            state = next
            #expect(state.failures == min(failures, SecondFactor.maximumFailures))
            guard state.lockedUntil > time else { continue }
            let wait = state.lockedUntil - time
            #expect(state.present(code(at: time), to: token, at: time) == .locked(seconds: wait))
            #expect(state.present(code(at: time + wait - 1), to: token, at: time + wait - 1) == .locked(seconds: 1))
            time += wait
        }
        guard case .accepted(let after) = state.present(code(at: time), to: token, at: time) else {
            Issue.record("the owner is kept out")
            return
        }
        #expect(after.failures == 0 && after.lockedUntil == 0)
    }

    @Test("no clock and no count brings it down", arguments: [Int64.min, -1, 0, Int64.max])
    func absurd(_ now: Int64) {
        for state in [
            fresh, SecondFactor(step: .max, failures: .max - 1, lockedUntil: .min),
            SecondFactor(step: 0, failures: SecondFactor.maximumFailures, lockedUntil: 0),
        ] {
            _ = state.present("000000", to: token, at: now)
        }
    }

    @Test("a recovery code is read however it is typed, and has 80 bits")
    func recoveryCodes() throws {
        let code = RecoveryCode.random()
        let verifier = code.verifier
        #expect(code.text.count == 19 && code.text.split(separator: "-").map(\.count) == [4, 4, 4, 4])
        let plain = code.text.filter { $0 != "-" }
        #expect(try Base32.decode(plain).count * 8 == 80)
        for typed in [code.text, code.text.uppercased(), plain, code.text.replacing("-", with: " ") + " "] {
            #expect(try #require(RecoveryCode(typed: typed)).matches(verifier))
        }
        #expect(!RecoveryCode.random().matches(verifier))
        for typed in ["", "x", String(plain.dropLast()), plain + "a", plain + plain, "1" + plain.dropFirst(), "äöü"] {
            #expect(RecoveryCode(typed: typed)?.matches(verifier) != true)
        }
        #expect(code.verifier.salt != verifier.salt)
    }

    @Test("a secret is sealed for its account under a key by number; anything else opens nothing")
    func sealed() throws {
        let old = CodeKeys(newest: .init(id: 1, key: SymmetricKey(size: .bits256)))
        let rotated = CodeKeys(older: old.all, newest: .init(id: 2, key: SymmetricKey(size: .bits256)))
        let account = AccountID.random()
        let secret = SymmetricKey(data: SecureRandom.bytes(count: 20))
        let sealed = try SealedCodeSecret(SecretBytes(copying: secret), of: account, under: old)
        #expect(sealed.key == 1 && sealed.sealed.count == 48)
        #expect(sealed.open(of: account, under: old) == secret && sealed.open(of: account, under: rotated) == secret)
        #expect(try SealedCodeSecret(SecretBytes(copying: secret), of: account, under: rotated).key == 2)
        #expect(sealed.open(of: .random(), under: old) == nil)
        let others = CodeKeys(newest: .init(id: 1, key: SymmetricKey(size: .bits256)))
        #expect(sealed.open(of: account, under: others) == nil)
        #expect(SealedCodeSecret(key: 3, sealed: sealed.sealed).open(of: account, under: rotated) == nil)
        for count in 0..<sealed.sealed.count {
            let cut = SealedCodeSecret(key: 1, sealed: Array(sealed.sealed.prefix(count)))
            #expect(cut.open(of: account, under: old) == nil)
            var flipped = sealed.sealed
            flipped[count] ^= 1
            #expect(SealedCodeSecret(key: 1, sealed: flipped).open(of: account, under: old) == nil)
        }
    }
}
