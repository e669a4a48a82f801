import MildamCrypto
import Testing

@testable import MildamIdentity

@Suite("protocol.md, Identity: how far a key is believed")
struct PinStateTests {
    private static func pin(_ state: PinState, key: Curve25519.Signing.PrivateKey = Sample.identity) -> AccountPin {
        AccountPin(
            handle: Sample.handle,
            account: Sample.account,
            identityKey: key.publicKey,
            listNumber: state.isPin ? 1 : 0,
            listDigest: state.isPin ? Sample.list.digest : [],
            state: state
        )
    }

    @Test func theOrder() {
        #expect(PinState.allCases == PinState.allCases.sorted())
        #expect(PinState.allCases.map(\.rawValue) == ["told", "seen", "compared"])
        #expect(PinState.allCases.map(\.isPin) == [false, true, true])
    }

    /// Records from before there were states say only whether a list was seen.
    @Test func whereTheStateIsNotKnown() {
        #expect(Refusal.pin().state == .seen)
        #expect(Refusal.pin(number: 0, digest: []).state == .told)
    }

    @Test func whatWasToldIsHeldAgainstNothing() throws {
        let told = Self.pin(.told, key: Refusal.stranger)
        let found = try Sample.bundle.verified(for: Sample.handle, on: Sample.relay, pin: told, at: 0)
        #expect(found.pin.state == .seen && found.pin.identityKey == Sample.identity.publicKey)
    }

    @Test(arguments: [PinState.seen, .compared])
    func whatWasSeenIsHeldAgainstTheRelay(_ state: PinState) {
        let pin = Self.pin(state, key: Refusal.stranger)
        #expect(
            throws: IdentityError.identityKeyChanged(
                handle: Sample.handle,
                pinned: pin.fingerprint,
                shown: Sample.accountRecord.fingerprint
            )
        ) { try Sample.bundle.verified(for: Sample.handle, on: Sample.relay, pin: pin, at: 0) }
    }

    /// A key that a person compared stays compared when it is seen again; another key inherits nothing.
    @Test func followingWhatWasKnown() {
        let seen = Self.pin(.seen)
        #expect(seen.following(nil) == seen)
        #expect(seen.following(Self.pin(.told)) == seen)
        #expect(seen.following(Self.pin(.compared)).state == .compared)
        #expect(seen.following(Self.pin(.compared, key: Refusal.stranger)) == seen)
        #expect(Self.pin(.told).following(Self.pin(.compared)).state == .compared)
        #expect(seen.believed(.compared).listDigest == seen.listDigest)
    }
}
