import Foundation
import MildamCrypto
import MildamIdentity
import MildamOneTimeCode
import MildamRelayAPI
import MildamStorage
import TestSupport
import Testing

@testable import MildamRelay

/// Each operation accepted, refused in every way, and repeated. The same script runs step by step, in pairs and as one
/// batch, with facts that are told before and with facts that are missing at each look, on each store. Every run has to
/// come to the same answers and the same rows.
@Suite("What a store has to do", .timeLimit(.minutes(5)))
struct StoreConformanceTests {
    private static let now: Int64 = 1_700_000_000_000

    private var quota: RelayQuota {
        var quota = RelayQuota()
        quota.accountRooms = 3
        quota.mailboxItems = 2
        quota.accountBlobs = 2
        quota.accountBlobBytes = 1_000
        quota.roomBytes = 2_000
        return quota
    }

    /// Runs a script in every way on every store.
    private func hold(_ steps: [ScriptStep], _ setUp: [ScriptStep] = []) throws {
        try hold([(Self.now, setUp), (Self.now + 1_000, steps)])
    }

    private func hold(_ parts: [(now: Int64, steps: [ScriptStep])]) throws {
        var first: (dump: StoreDump, answers: [ScriptStep.Outcome], readings: [String])?
        for store in TestedStore.allCases {
            for size in [1, 2, .max] {
                for prefetches in [true, false] {
                    let folder = try TemporaryFolder()
                    let path = folder.file("relay.db")
                    let transactor = try store.transactor(at: path, quota)
                    var outcomes: [ScriptStep.Outcome] = []
                    for (now, steps) in parts {
                        for batch in steps.batches(of: size) {
                            outcomes += try transactor.batch(batch, at: now, prefetches: prefetches)
                        }
                    }
                    let run = "\(store), batches of \(size), prefetch \(prefetches)"
                    for (step, outcome) in zip(parts.flatMap(\.steps), outcomes) {
                        #expect(outcome.code == step.expected, "\(step.name): \(outcome.answer); \(run)")
                    }
                    let dump = try store.dump(at: path)
                    if let first {
                        #expect(dump == first.dump, "\(run)")
                        #expect(outcomes == first.answers, "\(run)")
                    }
                    let readings = try store.reads(at: path).everything(of: dump)
                    if let first { #expect(readings == first.readings, "\(run)") }
                    first = first ?? (dump, outcomes, readings)
                    transactor.lane.close()
                }
            }
        }
    }

    private func send(
        _ name: String,
        _ person: ScriptPerson,
        _ room: RoomID,
        id: MessageID = .random(),
        generation: UInt32 = 1,
        _ text: String = "text",
        _ change: MembershipChange? = nil,
        _ refusal: APIErrorCode? = nil
    ) -> ScriptStep {
        let request = SendRequest(id: id, generation: generation, body: Data(text.utf8), change: change)
        return ScriptStep(name, SendMessage(request, to: room, by: person.sender), refusal)
    }

    private func registered(_ people: ScriptPerson...) -> [ScriptStep] {
        people.map { ScriptStep("register \($0.handle)", $0.register(at: Self.now / 1000)) }
    }

    @Test("rooms and messages")
    func rooms() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        let (room, id) = (RoomID.random(), MessageID.random())
        let nobody = AccountID.random()
        func add(_ accounts: [AccountID], after: UInt64, _ envelopes: [AddressedEnvelope] = []) -> MembershipChange {
            MembershipChange(action: .add, accounts: accounts, after: after, envelopes: envelopes)
        }
        let leave = MembershipChange(action: .leave, after: 8)
        let adding = MessageID.random()
        let steps = [
            ScriptStep("create", CreateRoom(id: room, sender: alice.sender)),
            ScriptStep("create again", CreateRoom(id: room, sender: alice.sender)),
            ScriptStep("taken", CreateRoom(id: room, sender: bob.sender), .roomTaken),
            ScriptStep("second", CreateRoom(id: .random(), sender: alice.sender)),
            ScriptStep("third", CreateRoom(id: .random(), sender: alice.sender)),
            ScriptStep("too many", CreateRoom(id: .random(), sender: alice.sender), .quotaExceeded),
            send("first", alice, room, id: id),
            send("repeated", alice, room, id: id),
            send("reused id", alice, room, id: id, "other", nil, .idReused),
            send("the id of another device", bob, room, id: id, "text", nil, .notAMember),
            send("no such room", alice, .random(), "text", nil, .unknownRoom),
            send("stale", alice, room, generation: 2, "text", nil, .staleEpoch),
            send("add nobody", alice, room, "add", add([nobody], after: 1), .unknownAccount),
            send("stale number", alice, room, "add", add([bob.account], after: 7), .staleNumber),
            send(
                "an envelope for nobody",
                alice,
                room,
                "add",
                add(
                    [bob.account],
                    after: 1,
                    [
                        AddressedEnvelope(account: bob.account, device: .random(), body: Data([1]))
                    ]
                ),
                .badRequest
            ),
            send("add", alice, room, id: adding, "add", add([bob.account], after: 1, [bob.envelope()])),
            send("add repeated", alice, room, id: adding, "add", add([bob.account], after: 1, [bob.envelope()])),
            send("already", alice, room, "add", add([bob.account], after: 2), .alreadyAMember),
            send("bob", bob, room),
            send(
                "remove",
                alice,
                room,
                generation: 2,
                "out",
                MembershipChange(
                    action: .remove,
                    accounts: [bob.account],
                    after: 3,
                    envelopes: [alice.envelope()]
                )
            ),
            send("bob is out", bob, room, generation: 2, "text", nil, .notAMember),
            send("add again", alice, room, generation: 2, "in", add([bob.account], after: 4, [bob.envelope()])),
            send(
                "the mailbox is full",
                alice,
                room,
                generation: 2,
                "in",
                add([], after: 5, [bob.envelope()]),
                .badRequest
            ),
            send("bob leaves", bob, room, generation: 2, "bye", MembershipChange(action: .leave, after: 5)),
            send("a renewal is due", alice, room, generation: 2, "text", nil, .staleEpoch),
            send(
                "renewal",
                alice,
                room,
                generation: 3,
                "renew",
                MembershipChange(
                    action: .renew,
                    after: 6,
                    envelopes: [alice.envelope()]
                )
            ),
            send(
                "full mailbox",
                alice,
                room,
                generation: 3,
                "in",
                add([bob.account], after: 7, [bob.envelope()]),
                .quotaExceeded
            ),
            ScriptStep("bob empties it", DropMailbox(address: bob.address, last: 1)),
            ScriptStep("repeated", DropMailbox(address: bob.address, last: 1)),
            ScriptStep("beyond", DropMailbox(address: bob.address, last: 9), .badRequest),
            ScriptStep(
                "no device",
                DropMailbox(
                    address: MailboxAddress(account: bob.account, device: alice.device),
                    last: 1
                ),
                .unauthorized
            ),
            send("now it goes", alice, room, generation: 3, "in", add([bob.account], after: 7, [bob.envelope()])),
            send("a full room", alice, room, generation: 3, String(repeating: "x", count: 3_000), nil, .quotaExceeded),
            send("first leaves", alice, room, generation: 3, "bye", leave),
            send("last leaves", bob, room, generation: 3, "bye", MembershipChange(action: .leave, after: 9)),
            send("nobody is left", bob, room, generation: 3, "text", nil, .notAMember),
            ScriptStep("create after leaving", CreateRoom(id: room, sender: alice.sender), .notAMember),
        ]
        try hold(steps, registered(alice, bob))
    }

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
                tombstone: "gone:\(name.text)"
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
            ScriptStep("room", CreateRoom(id: room, sender: alice.sender)),
            send("text", alice, room),
            send(
                "bob comes",
                alice,
                room,
                "in",
                MembershipChange(
                    action: .add,
                    accounts: [bob.account],
                    after: 1,
                    envelopes: [bob.envelope(), alice.envelope()]
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
            ScriptStep("its token", CreateRoom(id: .random(), sender: alice.sender), .unauthorized),
            ScriptStep("its name", OperatorRemove(handle: alice.handle) { "gone:\($0.text)" }, .unknownAccount),
            send("bob alone", bob, room, "text", nil, .staleEpoch),
            ScriptStep("its device id is free", variant(carol, .random(), alice.registration.device)),
            ScriptStep("the operator", OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }),
            ScriptStep("again", OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }, .unknownAccount),
        ]
        try hold(steps)
    }

    private let codeKeys = CodeKeys(newest: .init(id: 1, key: SymmetricKey(data: Data(repeating: 1, count: 32))))
    private let refreshKeys = RefreshKeys(newest: .init(id: 1, key: SymmetricKey(data: Data(repeating: 2, count: 32))))

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

    @Test("blobs, and what goes with time")
    func blobs() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        let (room, blob, half) = (RoomID.random(), BlobID.random(), BlobID.random())
        func record(
            _ name: String,
            _ blob: BlobID,
            _ size: Int,
            _ offset: Int,
            _ count: Int,
            by sender: AccountID? = nil,
            _ refusal: APIErrorCode? = nil
        ) -> ScriptStep {
            let piece = BlobPiece(room: room, blob: blob, size: size, offset: offset, count: count)
            return ScriptStep(name, RecordPiece(piece: piece, sender: sender ?? alice.account), refusal)
        }
        let cutoff = Self.now + 500
        let (lateRoom, growing) = (RoomID.random(), RoomID.random())
        let early =
            registered(alice, bob) + [
                ScriptStep("room", CreateRoom(id: room, sender: alice.sender)),
                ScriptStep("other room", CreateRoom(id: lateRoom, sender: bob.sender)),
                send("one", alice, room),
                send("two", alice, room),
                send("elsewhere", bob, lateRoom),
                send("elsewhere", bob, lateRoom),
                ScriptStep("one that grows", CreateRoom(id: growing, sender: bob.sender)),
                send("its first", bob, growing),
                record("half", half, 10, 0, 5),
                record("again", half, 10, 0, 5, .wrongOffset),
                record("another size", half, 11, 5, 5, .badRequest),
                record("beyond", half, 10, 5, 6, .badRequest),
                record("a stranger", .random(), 1, 0, 1, by: bob.account, .notAMember),
                record("whole", blob, 900, 0, 900),
                record("too many bytes", .random(), 500, 0, 1, .quotaExceeded),
            ]
        let late = [
            record("too many", .random(), 1, 0, 1, .quotaExceeded),
            send("three", alice, room),
            send("late", bob, lateRoom),
            send("its second", bob, growing),
            ScriptStep("unfinished ones", DropUnfinishedBlobs(cutoff: cutoff)),
            ScriptStep("unfinished ones again", DropUnfinishedBlobs(cutoff: cutoff)),
            record("room for another", .random(), 100, 0, 1),
            record("room for no third", .random(), 100, 0, 1, .quotaExceeded),
            ScriptStep("whole ones", DropBlobs(cutoff: cutoff)),
            record("what is gone begins anew", blob, 900, 0, 1),
            ScriptStep("messages", DropMessages(cutoff: cutoff, start: [])),
            ScriptStep("messages again", DropMessages(cutoff: cutoff, start: [])),
            send("goes on", alice, room),
            ScriptStep("remains of nothing", DeleteRemains(remains: .room(room))),
            ScriptStep(
                "remains of nobody",
                DeleteRemains(
                    remains: .device(
                        MailboxAddress(
                            account: alice.account,
                            device: .random()
                        )
                    )
                )
            ),
        ]
        try hold([(Self.now, early), (Self.now + 1_000, late)])
    }

    @Test("what is deleted in steps: the next operation of the batch sees each")
    func steps() throws {
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        let (room, blob) = (RoomID.random(), BlobID.random())
        let messages = Portion.maxRows + 20
        let leave = MembershipChange(action: .leave, after: UInt64(messages))
        let piece = BlobPiece(room: room, blob: blob, size: 1, offset: 0, count: 1)
        let filling = Doing<Void> { facts, _ throws(Missing) in
            for _ in 0..<Portion.maxRows + 1 {
                guard let device = try facts.device(bob.address) else { return .failure(.noSuchAccount) }
                facts.append(Data([1]), of: room, to: bob.address, device)
            }
            return .success(())
        }
        let steps =
            [ScriptStep("room", CreateRoom(id: room, sender: alice.sender))]
            + (0..<messages).map { send("\($0)", alice, room, "x") } + [
                ScriptStep("blob", RecordPiece(piece: piece, sender: alice.account)),
                ScriptStep("a full mailbox", filling),
                send("leave", alice, room, "bye", leave),
                ScriptStep("first step", DeleteRemains(remains: .room(room))),
                ScriptStep("last step", DeleteRemains(remains: .room(room))),
                ScriptStep("remove", OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }),
                ScriptStep("its device", DeleteRemains(remains: .device(bob.address))),
            ]
        try hold(steps, registered(alice, bob))
    }

    @Test("a batch that is undone leaves nothing, and nothing is remembered of it", arguments: TestedStore.allCases)
    func undone(_ store: TestedStore) throws {
        let alice = try ScriptPerson("alice")
        let folder = try TemporaryFolder()
        let path = folder.file("relay.db")
        let transactor = try store.transactor(at: path, quota)
        let room = RoomID.random()
        _ = try transactor.batch(
            registered(alice) + [ScriptStep("room", CreateRoom(id: room, sender: alice.sender))],
            at: Self.now,
            prefetches: true
        )
        let before = try store.dump(at: path)
        try transactor.begin(at: Self.now)
        #expect(try send("lost", alice, room).run(transactor).code == "ok")
        #expect(
            try ScriptStep("lost", LogOut(session: alice.session, address: alice.address)).run(transactor).code == "ok"
        )
        transactor.abort()
        #expect(try store.dump(at: path) == before)
        let again = try transactor.batch(
            [send("first", alice, room), ScriptStep("others", EndOtherSessions(sender: alice.sender))],
            at: Self.now,
            prefetches: false
        )
        #expect(again.map(\.code) == ["ok", "ok"])
        #expect(again[0].answer == "\(SendReceipt(number: 1))")
    }
}

extension Array {
    /// The elements, so many at a time.
    fileprivate func batches(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: Swift.min(size, Swift.max(count, 1))).map { start in
            Array(self[start..<Swift.min(count, start + Swift.min(size, count))])
        }
    }
}
