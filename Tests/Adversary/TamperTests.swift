import Foundation
import HouseSupport
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import MildamWire
import TestSupport
import Testing

/// A dishonest relay, as alice meets it. Whatever it shows, nothing goes to whom it has put in.
@Suite("A relay that lies about people")
struct TamperedPeopleTests {
    /// alice behind a proxy, bob honest; a room that both are in, so that alice has bob pinned.
    private struct Scene {
        let house: House
        let proxy: TamperingProxy
        let alice: Person
        let bob: Person

        static func set() async throws -> Scene {
            let house = try await House.open()
            let proxy = try TamperingProxy.start(before: house.relay.url)
            let (alice, bob) = (house.person("alice", at: proxy.url), house.person("bob"))
            try await house.settle(alice, bob)
            try await house.room("kitchen", of: [alice, bob])
            try await alice.done("room", "create", "attic")
            try await alice.done("send", "attic", "to myself")
            proxy.forget()
            return Scene(house: house, proxy: proxy, alice: alice, bob: bob)
        }

        /// Nothing was said and no key given away since the relay began to lie.
        func nothingWentOut(sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(proxy.sends.isEmpty, sourceLocation: sourceLocation)
        }

        /// When the relay is honest again, everything goes on.
        func goesOn(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            proxy.behave()
            try await alice.done("room", "invite", "attic", "bob", sourceLocation: sourceLocation)
            #expect(!proxy.welcomes.isEmpty, "what goes out is seen here", sourceLocation: sourceLocation)
            try await bob.join("attic", sourceLocation: sourceLocation)
            try await alice.done("send", "attic", "for bob", sourceLocation: sourceLocation)
            #expect(try await bob.texts("attic").last == "for bob", sourceLocation: sourceLocation)
        }
    }

    @Test func anotherIdentityKey() async throws {
        let scene = try await Scene.set()
        let forger = try await Forger(imitating: scene.bob)
        let forged = forger.bundle
        scene.proxy.tamper { route, _, answer in
            guard let handle = Routes.account.names(in: route), handle.text == "bob" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = forged }
        }
        expect(
            try await scene.alice.run("room", "invite", "attic", "bob"),
            6,
            "refused: the identity key of bob has changed",
            "pinned:",
            "shown:",
            try await scene.bob.account().fingerprint
        )
        scene.nothingWentOut()
        // Nor does a new key of a room he is in go to the other one.
        expect(try await scene.alice.run("room", "remove", "kitchen", "bob"), 0)
        #expect(scene.proxy.welcomes.isEmpty)
        try await scene.goesOn()
    }

    /// Before the first meeting there is nothing to hold it against but the fingerprint, which is therefore shown.
    @Test func anotherIdentityKeyAtFirstSight() async throws {
        let scene = try await Scene.set()
        let carol = try await scene.house.people("carol")[0]
        let forger = try await Forger(imitating: carol)
        let forged = forger.bundle
        scene.proxy.tamper { route, _, answer in
            guard Routes.account.names(in: route)?.text == "carol" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = forged }
        }
        let fooled = try await scene.alice.run("contact", "add", "carol")
        let shown = AccountRecord(
            relay: forger.relay,
            account: forger.account,
            handle: forger.handle,
            identityKey: forger.identity.publicKey
        ).fingerprint.description
        expect(fooled, 0, "met carol", shown)
        #expect(!fooled.output.contains(try await carol.account().fingerprint), "\(fooled)")
        // From then on it is pinned: the true key is refused, with both fingerprints shown, each on a line of its own.
        scene.proxy.behave()
        let genuine = try await carol.account().fingerprint
        let refused = try await scene.alice.run("room", "invite", "attic", "carol")
        expect(refused, 6)
        #expect(
            refused.errors.split(separator: "\n") == [
                "mildam: refused: the identity key of carol has changed", "  pinned: \(shown)", "  shown:  \(genuine)",
                "  ask carol for theirs; `mildam contact accept` takes the one you were told",
            ]
        )
        scene.nothingWentOut()
    }

    enum Lie: CaseIterable, Sendable {
        case deviceKeyFromElsewhere, deviceSwapped, deviceAdded, deviceLeftOut, otherAccount, otherRelay, cut
    }

    /// The account's own records, with something put in or taken out: each is signed, and named by the signed list.
    @Test(arguments: Cases.drawn(3, of: Lie.allCases, for: "lies about people"))
    func alteredRecords(_ lie: Lie) async throws {
        let scene = try await Scene.set()
        let forger = try await Forger(imitating: scene.bob)
        let (genuine, identity, keys) = try await scene.bob.secrets()
        let account = genuine.account
        let list = genuine.list
        let devices = genuine.devices
        let impostor = Signed(forger.device, by: forger.identity)
        let (shown, words): (AccountBundle, String) =
            switch lie {
            case .deviceKeyFromElsewhere:
                // The true device's id, and keys that are not its own.
                (
                    AccountBundle(
                        account: account,
                        list: list,
                        devices: [
                            Signed(
                                DeviceKeys(
                                    device: keys.device,
                                    signing: forger.keys.signing,
                                    agreement: forger.keys.agreement
                                )
                                .record(relay: forger.relay, account: forger.account, notAfter: Forger.later),
                                by: forger.identity
                            )
                        ]
                    ), "the signature on \"mildam/1 device record\""
                )
            case .deviceSwapped:
                (AccountBundle(account: account, list: list, devices: [impostor]), "the signature on")
            case .deviceAdded:
                (AccountBundle(account: account, list: list, devices: devices + [impostor]), "the signature on")
            case .deviceLeftOut:
                (AccountBundle(account: account, list: list, devices: []), "whose record is not shown")
            case .otherAccount:
                // alice's own, sound in every way.
                (try await scene.alice.secrets().bundle, "refused: the identity key of bob has changed")
            case .otherRelay:
                (
                    AccountBundle(
                        account: Signed(
                            AccountRecord(
                                relay: .random(),
                                account: forger.account,
                                handle: forger.handle,
                                identityKey: identity.publicKey
                            ),
                            by: identity
                        ),
                        list: list,
                        devices: devices
                    ), "a record for another relay"
                )
            case .cut:
                // An old device, signed once by bob himself, that his list does not name.
                (
                    AccountBundle(
                        account: account,
                        list: list,
                        devices: devices + [
                            Signed(
                                DeviceKeys().record(
                                    relay: forger.relay,
                                    account: forger.account,
                                    notAfter: Forger.later
                                ),
                                by: identity
                            )
                        ]
                    ), "is not on its account's newest device list"
                )
            }
        scene.proxy.tamper { route, _, answer in
            guard let handle = Routes.account.names(in: route), handle.text == "bob" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = shown }
        }
        expect(try await scene.alice.run("room", "invite", "attic", "bob"), 6, "refused", words)
        scene.nothingWentOut()
        try await scene.goesOn()
    }

    /// Once list 2 was seen, list 1 is refused, and so is another list 2.
    @Test func anOldDeviceList() async throws {
        let scene = try await Scene.set()
        let (genuine, identity, keys) = try await scene.bob.secrets()
        let forger = try await Forger(imitating: scene.bob)
        guard let own = try genuine.verified(for: forger.handle, on: forger.relay, pin: nil, at: 0).devices[keys.device]
        else {
            Issue.record("bob has no device")
            return
        }
        let second = DeviceKeys().record(relay: forger.relay, account: forger.account, notAfter: Forger.later)
        func list(_ number: UInt64, _ records: [DeviceRecord]) -> DeviceList {
            DeviceList(relay: forger.relay, account: forger.account, number: number, records: records)
        }
        func bundle(_ number: UInt64, _ records: [DeviceRecord]) -> AccountBundle {
            let handover = DeviceHandover(by: keys.device, from: list(number - 1, [own]), to: list(number, records))
            return AccountBundle(
                account: genuine.account,
                list: Signed(list(number, records), by: identity),
                devices: records.map { Signed($0, by: identity) },
                earlier: [
                    EarlierDevices(list: genuine.list, devices: [], handover: Signed(handover, by: keys.signing))
                ]
            )
        }
        func show(_ bundle: AccountBundle) {
            scene.proxy.tamper { route, _, answer in
                guard let handle = Routes.account.names(in: route), handle.text == "bob" else { return answer }
                return try answer.changing(AccountBundle.self) { $0 = bundle }
            }
        }
        // The newer list is genuine.
        show(bundle(2, [own, second]))
        try await scene.alice.done("contact", "add", "bob")
        scene.proxy.forget()
        show(genuine)
        expect(
            try await scene.alice.run("room", "invite", "attic", "bob"),
            6,
            "the relay has device list 1 of bob, and this profile has seen 2",
            "nothing was sent"
        )
        show(bundle(2, [own]))
        expect(
            try await scene.alice.run("room", "invite", "attic", "bob"),
            6,
            "refused: the relay shows another device list 2 of bob than before"
        )
        scene.nothingWentOut()
    }

    @Test func anotherRelay() async throws {
        let scene = try await Scene.set()
        let other = RelayID.random()
        scene.proxy.tamper { route, _, answer in
            guard case Routes.login = route else { return answer }
            return try answer.changing(LoginParameters.self) { $0.relay = other }
        }
        expect(
            try await scene.alice.run("account", "login", "--password-file", "-", input: scene.alice.password + "\n"),
            6,
            "refused: this address now answers as another relay",
            other.description
        )
        // A real other relay behind the same address knows none of it.
        let second = try await RelayProcess.start(data: scene.house.folder.file("second"))
        var bob = scene.bob
        try await bob.move(to: second.url)
        bob = Person(name: "bob", home: bob.home, relay: second.url)
        expect(
            try await bob.run("account", "login", "--password-file", "-", input: bob.password + "\n"),
            6,
            "refused: this address now answers as another relay",
            second.id
        )
        #expect(try await bob.run("send", "kitchen", "hello?").status != 0)
    }

    /// Costs that would give the password away, or bind the machine.
    @Test(
        arguments: Cases.drawn(2, of: [(8, 3), (65_536, 1), (4 << 20, 3), (65_536, 1_000), (-1, 3)], for: "prices")
    )
    func anotherPriceOfThePassword(_ memory: Int, _ passes: Int) async throws {
        let scene = try await Scene.set()
        scene.proxy.tamper { route, _, answer in
            guard case Routes.login = route else { return answer }
            return try answer.changing(LoginParameters.self) { ($0.memory, $0.passes) = (memory, passes) }
        }
        expect(
            try await scene.alice.run("account", "login", "--password-file", "-", input: scene.alice.password + "\n"),
            6,
            "refused: the relay asks for password costs outside what is safe"
        )
    }
}
