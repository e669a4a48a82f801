import Foundation
import MildamCrypto
import MildamIdentity
import MildamOTP
import MildamRelayAPI
import TestSupport
import Testing

@testable import MildamRelay

private let codeKeys = CodeKeys(newest: .init(id: 1, key: SymmetricKey(data: Data(repeating: 1, count: 32))))
private let refreshKeys = RefreshKeys(newest: .init(id: 1, key: SymmetricKey(data: Data(repeating: 2, count: 32))))

/// Accounts, their devices, sessions and second factors.
extension StoreConformanceTests {
    @Test("accounts and their devices")
    func accounts() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        func variant(
            _ name: Handle,
            _ account: AccountID,
            _ device: DeviceRecord,
            bundle: [UInt8] = [1]
        ) -> Register {
            let registration = Registration(
                handle: name,
                account: account,
                device: device,
                bundle: bundle,
                authenticator: alice.registration.authenticator,
                verifier: alice.verifier
            )
            return Register(
                registration: registration,
                family: RefreshFamily(session: .random(), first: [1], at: 1),
                thumbprint: nil,
                tombstone: "gone:\(name.text)",
                network: NetworkID(bytes: [1])
            )
        }
        let carol = try Handle("carol")
        let keys = DeviceKeys()
        let renewal = DeviceRenewal(
            address: alice.address,
            signatureKey: keys.signing.publicKey,
            before: alice.registration.bundle,
            bundle: [7]
        )
        let check = FactorCheck(address: alice.address, presented: nil, keys: codeKeys)
        let later = CheckedLogin(address: alice.address, verifier: alice.verifier, key: keys.signing.publicKey)
        let deletion = DeleteAccount(login: later, sender: alice.sender, factor: check, removal: alice.removal())
        let room = RoomID.random()
        let steps = [
            ScriptStep("register", alice.register(at: 5)),
            ScriptStep("again", alice.register(at: 5)),
            ScriptStep("bob", bob.register(at: 5)),
            ScriptStep("handle", variant(alice.handle, .random(), bob.registration.device), .handleTaken),
            ScriptStep("account", variant(carol, alice.account, bob.registration.device), .badIdentity),
            ScriptStep("device", variant(carol, .random(), bob.registration.device), .badIdentity),
            make(room, by: alice),
            send("text", alice, room),
            ScriptStep(
                "bob comes",
                ScriptGroup.commit(
                    to: room,
                    by: alice.sender,
                    adding: [bob.account],
                    welcoming: [bob.address, alice.address]
                )
            ),
            ScriptStep("new keys", RenewDevice(renewal: renewal)),
            ScriptStep("new keys again", RenewDevice(renewal: renewal)),
            ScriptStep(
                "others",
                RenewDevice(
                    renewal: DeviceRenewal(
                        address: alice.address,
                        signatureKey: alice.key,
                        before: [9],
                        bundle: [8]
                    )
                ),
                .unavailable
            ),
            ScriptStep(
                "old key",
                DeleteAccount(
                    login: alice.login,
                    sender: alice.sender,
                    factor: check,
                    removal: alice.removal()
                ),
                .wrongCredentials
            ),
            ScriptStep("delete", deletion),
            ScriptStep("deleted", deletion, .wrongCredentials),
            ScriptStep("register anew", alice.register(at: 5), .handleTaken),
            ScriptStep("its id", variant(carol, alice.account, alice.registration.device), .badIdentity),
            ScriptStep("its token", ScriptGroup.create(.random(), by: alice.sender), .unauthorized),
            ScriptStep("its name", OperatorRemove(handle: alice.handle) { "gone:\($0.text)" }, .unknownAccount),
            send("bob alone", bob, room, epoch: 1),
            ScriptStep("its device id is free", variant(carol, .random(), alice.registration.device)),
            ScriptStep("the operator", OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }),
            ScriptStep("again", OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }, .unknownAccount),
        ]
        try hold(steps)
    }

    @Test("sessions and refresh tokens")
    func sessions() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        let seconds = Self.now / 1000
        func refresh(_ token: [UInt8], _ thumbprint: String? = nil, of session: SessionID? = nil) -> Refresh {
            let token = RefreshToken(session: session ?? alice.session, secret: token)
            return Refresh(token: token, thumbprint: thumbprint, keys: refreshKeys)
        }
        guard
            case .advanced(let second, let next) = alice.family(at: seconds)
                .present(alice.token, keys: refreshKeys, at: seconds),
            case .advanced(_, let third) = second.present(next, keys: refreshKeys, at: seconds)
        else { throw CancellationError() }
        let again = RefreshFamily(session: .random(), first: [1], at: seconds)
        let check = FactorCheck(address: alice.address, presented: nil, keys: codeKeys)
        func logIn(_ family: RefreshFamily) -> LogIn {
            LogIn(login: alice.login, family: family, thumbprint: "k", factor: check)
        }
        let sender = Sender(account: alice.account, device: alice.device, session: again.session, expires: 0)
        let other = SaltedVerifier(of: Data(repeating: 1, count: 32))
        let old = RefreshFamily(session: .random(), first: [2], at: 1)
        let changed = CheckedLogin(address: alice.address, verifier: other, key: alice.key)
        func address(_ person: ScriptPerson) -> MailboxAddress { person.address }
        let steps = [
            ScriptStep("refresh", refresh(alice.token)),
            ScriptStep("repeated", refresh(alice.token)),
            ScriptStep("repeated and bound", refresh(alice.token, "k")),
            ScriptStep("another key", refresh(next, "l"), .invalidProof),
            ScriptStep("next", refresh(next, "k")),
            ScriptStep("unknown", refresh(next, of: .random()), .sessionEnded),
            ScriptStep("reused", refresh(alice.token, "k"), .sessionEnded),
            ScriptStep("it is gone", refresh(third, "k"), .sessionEnded),
            ScriptStep("nothing to revoke", Revoke(token: alice.refresh)),
            ScriptStep("log in", logIn(again)),
            ScriptStep("others of none", EndOtherSessions(sender: alice.sender), .unauthorized),
            ScriptStep("others", EndOtherSessions(sender: sender)),
            ScriptStep("an unknown one", EndSession(session: bob.session, sender: sender), .unknownSession),
            ScriptStep("by a dead one", EndSession(session: again.session, sender: alice.sender), .unauthorized),
            ScriptStep("password", ChangePassword(login: alice.login, sender: sender, verifier: other, factor: check)),
            ScriptStep("the old one", logIn(old), .wrongCredentials),
            ScriptStep(
                "the old one again",
                ChangePassword(
                    login: alice.login,
                    sender: sender,
                    verifier: other,
                    factor: check
                ),
                .wrongCredentials
            ),
            ScriptStep("its own end", EndSession(session: again.session, sender: sender)),
            ScriptStep("again", EndSession(session: again.session, sender: sender), .unauthorized),
            ScriptStep("log out another's", LogOut(session: bob.session, address: alice.address)),
            ScriptStep("an idle one", LogIn(login: changed, family: old, thumbprint: nil, factor: check)),
            ScriptStep("is idle", refresh([2], of: old.session), .sessionEnded),
            ScriptStep("an idle one", LogIn(login: changed, family: old, thumbprint: nil, factor: check)),
            ScriptStep("the sweep", EndIdleSessions()),
            ScriptStep("was swept", refresh([2], of: old.session), .sessionEnded),
            ScriptStep("unknown token", Revoke(token: RefreshToken(session: bob.session, secret: [1]))),
            ScriptStep("revoke", Revoke(token: bob.refresh)),
            ScriptStep("revoke again", Revoke(token: bob.refresh)),
            ScriptStep("bob logs out", LogOut(session: bob.session, address: bob.address)),
            ScriptStep("failures", NoteFailedLogins(counts: [alice.account: 3, bob.account: 1, .random(): 1])),
            ScriptStep("failures", NoteFailedLogins(counts: [alice.account: 2])),
        ]
        try hold(steps, registered(alice, bob))
    }

    @Test("the operator ends sessions")
    func operatorSessions() throws {
        let alice = try ScriptPerson("alice")
        let nobody = try Handle("nobody")
        let steps = [
            ScriptStep("nobody's", OperatorLogOut(handle: nobody, session: nil), .unknownAccount),
            ScriptStep("unknown", OperatorLogOut(handle: alice.handle, session: .random()), .unknownSession),
            ScriptStep("one", OperatorLogOut(handle: alice.handle, session: alice.session)),
            ScriptStep("again", OperatorLogOut(handle: alice.handle, session: alice.session), .unknownSession),
            ScriptStep("all of none", OperatorLogOut(handle: alice.handle, session: nil)),
            ScriptStep("no factor", OperatorResetFactor(handle: alice.handle)),
            ScriptStep("nobody's factor", OperatorResetFactor(handle: nobody), .unknownAccount),
        ]
        try hold(steps, registered(alice))
    }

    @Test("second factors: a code and a recovery code count once, and what a wrong one stored stays")
    func factors() throws {
        let alice = try ScriptPerson("alice")
        let secret = SymmetricKey(data: Data(repeating: 3, count: SealedCodeSecret.secretSize))
        let token = try OneTimePassword(secret: secret)
        let seconds = UInt64(Self.now / 1000)
        let (first, second) = (token.code(at: seconds), token.code(at: seconds + 60))
        let wrong = try #require(["000000", "111111", "222222"].first { $0 != first && $0 != second })
        let recovery = [RecoveryCode.random(), RecoveryCode.random()]
        func check(_ presented: PresentedFactor?, _ keys: CodeKeys? = nil) -> FactorCheck {
            FactorCheck(address: alice.address, presented: presented, keys: keys ?? codeKeys)
        }
        func logIn(_ presented: PresentedFactor?, _ keys: CodeKeys? = nil) -> LogIn {
            let family = RefreshFamily(session: .random(), first: [1], at: Self.now / 1000)
            return LogIn(login: alice.login, family: family, thumbprint: nil, factor: check(presented, keys))
        }
        func confirm(_ code: String, _ sender: Sender) -> ConfirmFactor {
            ConfirmFactor(code: code, sender: sender, recovery: recovery.map(\.verifier), keys: codeKeys)
        }
        let enrol = EnrolFactor(alice.login, by: alice.sender, secret: secret, keys: codeKeys)
        let dead = Sender(account: alice.account, device: alice.device, session: .random(), expires: 0)
        let rotated = CodeKeys(older: codeKeys.all, newest: .init(id: 2, key: SymmetricKey(size: .bits256)))
        let lost = CodeKeys(newest: .init(id: 9, key: SymmetricKey(size: .bits256)))
        let last = logIn(.recovery(recovery[1].text))
        let sender = Sender(account: alice.account, device: alice.device, session: last.family.session, expires: 0)
        func remove(_ presented: PresentedFactor?) -> RemoveFactor {
            RemoveFactor(login: alice.login, sender: sender, factor: check(presented))
        }
        let begin = [
            ScriptStep("nothing waits", confirm(first, alice.sender), .noSecondFactor),
            ScriptStep(
                "by a dead session",
                EnrolFactor(
                    alice.login,
                    by: dead,
                    secret: secret,
                    keys: codeKeys
                ),
                .wrongCredentials
            ),
            ScriptStep("enrol", enrol),
            ScriptStep("enrol again", enrol),
            ScriptStep(
                "not asked for yet",
                RemoveFactor(
                    login: alice.login,
                    sender: alice.sender,
                    factor: check(nil)
                ),
                .noSecondFactor
            ),
            ScriptStep("confirm wrongly", confirm(wrong, alice.sender), .wrongCode),
            ScriptStep("confirm by a dead session", confirm(first, dead), .unauthorized),
            ScriptStep("confirm", confirm(first, alice.sender)),
            ScriptStep("confirm again", confirm(first, alice.sender), .secondFactorActive),
            ScriptStep("enrol over it", enrol, .secondFactorActive),
            ScriptStep("none shown", logIn(nil), .secondFactorRequired),
            ScriptStep("the same code", logIn(.code(first)), .wrongCode),
            ScriptStep("a wrong code", logIn(.code(wrong)), .wrongCode),
        ]
        let rest =
            [
                ScriptStep("without the key", logIn(.code(second), lost), .internalError),
                ScriptStep("a new code, sealed anew", logIn(.code(second), rotated)),
                ScriptStep("the same code again", logIn(.code(second), rotated), .wrongCode),
                ScriptStep("a recovery code", logIn(.recovery(recovery[0].text))),
                ScriptStep("the same recovery code", logIn(.recovery(recovery[0].text)), .wrongCode),
                ScriptStep("no recovery code", logIn(.recovery("nonsense")), .wrongCode),
            ] + (1...4).map { ScriptStep("wrong \($0)", logIn(.code(wrong), rotated), .wrongCode) } + [
                ScriptStep("locked", logIn(.code(second), rotated), .rateLimited),
                ScriptStep("the last recovery code", last),
                ScriptStep("remove without", remove(nil), .secondFactorRequired),
                ScriptStep("the operator", OperatorResetFactor(handle: alice.handle)),
                ScriptStep("there is none", remove(nil), .noSecondFactor),
                ScriptStep("again", OperatorResetFactor(handle: alice.handle)),
                ScriptStep("logs in without", logIn(nil)),
            ]
        try hold([(Self.now, registered(alice) + begin), (Self.now + 60_000, rest)])
    }

    @Test("removing a second factor with its last recovery code leaves nothing of it")
    func removal() throws {
        let alice = try ScriptPerson("alice")
        let secret = SymmetricKey(data: Data(repeating: 3, count: SealedCodeSecret.secretSize))
        let token = try OneTimePassword(secret: secret)
        let code = RecoveryCode.random()
        let check = FactorCheck(address: alice.address, presented: .recovery(code.text), keys: codeKeys)
        let other = SaltedVerifier(of: Data(repeating: 1, count: 32))
        let steps = [
            ScriptStep("enrol", EnrolFactor(alice.login, by: alice.sender, secret: secret, keys: codeKeys)),
            ScriptStep(
                "confirm",
                ConfirmFactor(
                    code: token.code(at: UInt64(Self.now / 1000) + 1),
                    sender: alice.sender,
                    recovery: [code.verifier],
                    keys: codeKeys
                )
            ),
            ScriptStep(
                "wrong password",
                RemoveFactor(
                    login: CheckedLogin(address: alice.address, verifier: other, key: alice.key),
                    sender: alice.sender,
                    factor: check
                ),
                .wrongCredentials
            ),
            ScriptStep("remove", RemoveFactor(login: alice.login, sender: alice.sender, factor: check)),
            ScriptStep(
                "remove again",
                RemoveFactor(
                    login: alice.login,
                    sender: alice.sender,
                    factor: check
                ),
                .noSecondFactor
            ),
            ScriptStep(
                "delete",
                DeleteAccount(
                    login: alice.login,
                    sender: alice.sender,
                    factor: check,
                    removal: alice.removal()
                )
            ),
        ]
        try hold(steps, registered(alice))
    }
}
