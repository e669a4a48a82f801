import Foundation
import MildamKeychain
import MildamSystem
import TestSupport
import Testing

@Suite("Copies of the last states")
struct CopiesTests {
    /// A clock that stands until it is moved.
    private final class Hand: Sendable {
        private let time = Lock<Int64>(1_700_000_000_000)

        var clock: WallClock { WallClock { [self] in time.withLock { $0 } } }

        func move(seconds: Int64) { time.withLock { $0 += seconds * 1000 } }
    }

    /// Another program with the keychain open: it adds an item as soon as its moment has come, once, while the first looks at
    /// the clock.
    private final class OtherProgram: Sendable {
        let hand = Hand()
        private let waiting = Lock<LocalKeychain?>(nil)
        private let isDue: @Sendable (_ path: String) -> Bool

        init(_ isDue: @escaping @Sendable (_ path: String) -> Bool) {
            self.isDue = isDue
        }

        /// The keychain, whose clock it sees.
        func fixture() async throws -> Fixture {
            var options = LocalKeychain.Options()
            options.clock = WallClock { [self] in
                let program = waiting.withLock { (program) -> LocalKeychain? in
                    guard let other = program, isDue(other.path) else { return nil }
                    program = nil
                    return other
                }
                _ = try? program?.add(password("late"))
                return hand.clock.milliseconds
            }
            return try await Fixture(options: options)
        }

        /// Opens it and waits for its moment.
        func open(_ fixture: Fixture) async throws {
            var options = LocalKeychain.Options()
            options.clock = hand.clock
            let program = try await fixture.another(options: options)
            waiting.withLock { $0 = program }
        }

        var hasAdded: Bool { waiting.withLock { $0 == nil } }
    }

    private func fixture(_ hand: Hand) async throws -> Fixture {
        var options = LocalKeychain.Options()
        options.clock = hand.clock
        return try await Fixture(options: options)
    }

    private func copies(_ fixture: Fixture) throws -> [KeychainCopy] { try LocalKeychain.copies(of: fixture.path) }

    @Test func oneIsMadeInAMinuteAndTenAreKept() async throws {
        let hand = Hand()
        let fixture = try await fixture(hand)
        #expect(try copies(fixture).isEmpty)
        for number in 0..<5 { try fixture.keychain.add(password("a\(number)")) }
        #expect(try copies(fixture).count == 1)
        hand.move(seconds: 59)
        try fixture.keychain.add(password("b"))
        #expect(try copies(fixture).count == 1)
        for minute in 1...12 {
            hand.move(seconds: 61)
            try fixture.keychain.add(password("minute \(minute)"))
            let kept = try copies(fixture)
            #expect(kept.count == min(minute + 1, 10))
            // The state before the change.
            #expect(try kept.first?.itemCount() == 5 + minute)
            #expect(kept.map(\.number) == kept.map(\.number).sorted(by: >))
        }
        // A clock that was put back a day does not end it, nor turn the order around.
        hand.move(seconds: -86_400)
        let newest = try copies(fixture).first
        try fixture.keychain.add(password("yesterday"))
        let next = try #require(try copies(fixture).first)
        #expect(next.number > newest?.number ?? .max && next.time > newest?.time ?? .max)
    }

    @Test func whatDoesNotChangeIsNotCopiedAgain() async throws {
        let hand = Hand()
        let fixture = try await fixture(hand)
        try fixture.keychain.add(password("a"))
        hand.move(seconds: 100)
        fixture.keychain.close()
        #expect(try copies(fixture).count == 2)
        for _ in 0..<3 {
            hand.move(seconds: 100)
            try await fixture.keychain.unlock(Fixture.passphrase)
            #expect(try fixture.keychain.text("a") == "secret")
            fixture.keychain.close()
        }
        // The reading was noted, once.
        #expect(try copies(fixture).count == 3)
    }

    /// What takes long holds no change up.
    @Test func anAgentCopiesWhileNobodyWaits() async throws {
        let hand = Hand()
        let fixture = try await fixture(hand)
        try fixture.keychain.add(password("a"))
        let server = try AgentServer(fixture.keychain, at: fixture.folder.file("socket"))
        server.copyState()
        #expect(try copies(fixture).count == 1, "a minute has not gone by")
        hand.move(seconds: 61)
        server.copyState()
        #expect(try copies(fixture).first?.itemCount() == 1)
        hand.move(seconds: 61)
        server.copyState()
        #expect(try copies(fixture).count == 2, "nothing was changed")
        // More than 4 MiB are for the agent alone.
        for name in ["large", "larger"] {
            try fixture.keychain.add(password(name, "service", String(repeating: name, count: 400_000)))
        }
        try fixture.sqlite("PRAGMA wal_checkpoint")
        hand.move(seconds: 61)
        try fixture.keychain.add(password("b"))
        #expect(try copies(fixture).count == 2)
        hand.move(seconds: 61)
        server.copyState()
        #expect(try copies(fixture).first?.itemCount() == 4)
        server.stop()
        #expect(try copies(fixture).count == 3, "what was copied needs no second copy")
    }

    @Test func anEarlierStateIsPutBack() async throws {
        let hand = Hand()
        let fixture = try await fixture(hand)
        try fixture.keychain.add(password("a", "service", "first"))
        hand.move(seconds: 100)
        let query = KeychainQuery.genericPassword(service: "service", account: "a")
        try fixture.keychain.update(query, ItemChange(secret: SecretValue(text: "second")))
        let late = try fixture.keychain.add(password("late"))
        let code = RecoveryCode()
        try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: Fixture.passphrase)
        var options = LocalKeychain.Options()
        options.clock = hand.clock
        let other = try await fixture.another(options: options)
        let copy = try #require(try copies(fixture).first)
        #expect(try copy.itemCount() == 1)
        try await fixture.keychain.putBack(copy)
        for keychain in [fixture.keychain, other] {
            #expect(try keychain.text("a") == "first")
            #expect(throws: KeychainError.itemNotFound) { try keychain.text("late") }
            #expect(try keychain.verify().isSound)
        }
        #expect(try fixture.keychain.auditLog().contains { $0.event == .repaired })
        // What opens it is as it was before, and no number is given out again.
        try await fixture.another(.recoveryCode(code)).lock()
        #expect(try fixture.keychain.add(password("more")).number > late.number)
        // And back.
        let before = try #require(try copies(fixture).first { try $0.itemCount() == 2 })
        #expect(before.number > copy.number)
        try await fixture.keychain.putBack(before)
        #expect(try fixture.keychain.text("a") == "second")
        #expect(try fixture.keychain.text("late") == "secret")
    }

    /// Without a profile's root key, nothing of the profile opens.
    @Test func whatIsOfAPartOfTheToolStays() async throws {
        let hand = Hand()
        var options = LocalKeychain.Options()
        options.clock = hand.clock
        options.isOwner = true
        let fixture = try await Fixture(options: options)
        let keychain = fixture.keychain
        var part = password("present", "root key", "first")
        part.accessGroup = "mildam.profile"
        let reference = try keychain.add(part)
        hand.move(seconds: 100)
        try keychain.add(password("a"))
        part.secret = SecretValue(text: "second")
        #expect(try keychain.set(part) == reference)
        let made = try copies(fixture)
        try #require(made.count == 2)
        let (early, empty) = (made[0], made[1])
        #expect(try early.itemCount() == 1 && empty.itemCount() == 0)
        func secret() throws -> String? { try keychain.item(KeychainQuery(reference)).secret?.text }
        for copy in [empty, early] {
            #expect(try await keychain.putBack(copy).keptParts == 1)
            #expect(try secret() == "second" && keychain.verify().isSound)
            #expect(throws: KeychainError.itemNotFound) { try keychain.text("a") }
        }
        #expect(try keychain.add(password("b")).number > reference.number)
        let whole = try #require(try copies(fixture).first)
        #expect(try await keychain.putBack(whole).keptParts == 0, "it has the same")
        // Of a file that something else has changed, the copy is believed more.
        for (copy, parts, text) in [(empty, 1, "second"), (early, 0, "first")] as [(KeychainCopy, Int, String)] {
            try fixture.sqlite("DELETE FROM audit")
            #expect(throws: KeychainError.self) { try secret() }
            #expect(try await keychain.putBack(copy).keptParts == parts)
            #expect(try secret() == text && keychain.verify().isSound)
        }
    }

    /// A second program may change the file between the keeping of its state and the putting back of another.
    @Test func whatAnotherProgramAddsMeanwhileIsKeptToo() async throws {
        let other = OtherProgram { path in (try? LocalKeychain.copies(of: path).count) == 2 }
        let fixture = try await other.fixture()
        try fixture.keychain.add(password("a"))
        let empty = try #require(try copies(fixture).first)
        other.hand.move(seconds: 100)
        try await other.open(fixture)
        try await fixture.keychain.putBack(empty)
        #expect(other.hasAdded, "it has added nothing")
        #expect(throws: KeychainError.itemNotFound) { try fixture.keychain.text("late") }
        let kept = try #require(try copies(fixture).first)
        #expect(try kept.itemCount() == 2)
        try await fixture.keychain.putBack(kept)
        #expect(try fixture.keychain.text("late") == "secret")
    }

    /// Whoever unlocks it to put the oldest copy back would lose that to a new one.
    @Test func anUnlockingMakesNone() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        try LocalKeychain.removeCopies(of: fixture.path)
        let other = try LocalKeychain(path: fixture.path)
        await #expect(throws: KeychainError.wrongSecret) {
            try await other.unlock(.passphrase(SecretValue(text: "another one")))
        }
        try await other.unlock(Fixture.passphrase)
        #expect(try other.auditLog().contains { $0.event == .wrongSecret }, "it was a change")
        #expect(try copies(fixture).isEmpty)
        try other.add(password("b"))
        #expect(try copies(fixture).map { try $0.itemCount() } == [1])
    }

    /// The oldest of ten gives way to the copy of the present state, but not before it is put back.
    @Test func whatIsPutBackIsThereUntilItIs() async throws {
        let other = OtherProgram { path in (try? LocalKeychain.copies(of: path).count) == 11 }
        let fixture = try await other.fixture()
        for number in 0..<10 {
            try fixture.keychain.add(password("a\(number)"))
            other.hand.move(seconds: 61)
        }
        let made = try copies(fixture)
        let oldest = try #require(made.last)
        #expect(try made.count == 10 && oldest.itemCount() == 0)
        try await other.open(fixture)
        try await fixture.keychain.putBack(oldest)
        #expect(other.hasAdded, "it is begun only once")
        #expect(throws: KeychainError.itemNotFound) { try fixture.keychain.text("a0") }
        let kept = try copies(fixture)
        #expect(kept.count == 10)
        #expect(try kept.first?.itemCount() == 11)
    }

    /// Where the present state has no place among the copies, each attempt lays it beside the file.
    @Test func ofWhatIsKeptBesideTheFileOnlyWhatWasReplacedStays() async throws {
        @Sendable func kept(beside path: String) -> [String] {
            Folder.names(in: Folder.parent(of: path)).filter { $0.hasPrefix("keychain.db.earlier-") }
        }
        let other = OtherProgram { path in kept(beside: path).count == 1 }
        let fixture = try await other.fixture()
        try fixture.keychain.add(password("a"))
        let empty = try #require(try copies(fixture).first)
        other.hand.move(seconds: 100)
        // Somebody else is at the copies all the time.
        let lock = try ProcessLock(waitingFor: fixture.path + ".copies/lock")
        try await other.open(fixture)
        let restored = try await fixture.keychain.putBack(empty)
        _ = consume lock
        #expect(other.hasAdded, "it has added nothing")
        let place = try #require(restored.keptFile)
        #expect(kept(beside: fixture.path).map { fixture.folder.file($0) } == [place])
        let counted = try Program.run("sqlite3", [place, "SELECT count(*) FROM item"])
        #expect(counted.output == "2\n", "\(counted)")
    }

    /// What is larger than what is copied while somebody waits, and what is not whole, is kept as well.
    @Test func whatIsReplacedIsKeptWhateverItIs() async throws {
        let hand = Hand()
        let fixture = try await fixture(hand)
        try fixture.keychain.add(password("a"))
        for name in ["large", "larger"] {
            try fixture.keychain.add(password(name, "service", String(repeating: name, count: 400_000)))
        }
        try fixture.sqlite("PRAGMA wal_checkpoint")
        let empty = try #require(try copies(fixture).last)
        #expect(try await fixture.keychain.putBack(empty).keptFile == nil)
        #expect(throws: KeychainError.itemNotFound) { try fixture.keychain.text("larger") }
        let full = try #require(try copies(fixture).first)
        #expect(try full.itemCount() == 3)
        try await fixture.keychain.putBack(full)
        #expect(try fixture.keychain.text("a") == "secret")
        // Of one that something else has changed, there is no copy.
        try fixture.sqlite("DELETE FROM item WHERE number = 1")
        #expect(throws: KeychainError.self) { try fixture.keychain.text("a") }
        let place = try #require(try await fixture.keychain.putBack(full).keptFile)
        #expect(place.hasPrefix(fixture.path + ".damaged-"))
        #expect(try fixture.keychain.text("a") == "secret")
        let kept = try Program.run("sqlite3", [place, "SELECT count(*) FROM item"])
        #expect(kept.output.hasPrefix("2"), "\(kept)")
    }

    @Test func whatIsKeptAsideTakesNobodysPlace() async throws {
        let fixture = try await fixture(Hand())
        let first = try fixture.keychain.keepFileAside()
        let content = try Data(contentsOf: URL(fileURLWithPath: first))
        try fixture.keychain.add(password("a"))
        // In the same millisecond.
        let second = try fixture.keychain.keepFileAside()
        #expect(second != first && second.hasPrefix(fixture.path + ".damaged-"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: first)) == content)
    }

    @Test func aCopyOfAnotherKeychainIsRefused() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        let other = try await Fixture()
        try other.keychain.add(password("b"))
        let copy = try #require(try copies(other).first)
        await #expect(throws: KeychainError.self) { try await fixture.keychain.putBack(copy) }
        withExtendedLifetime(other) {}
        #expect(try fixture.keychain.text("a") == "secret")
    }

    @Test func whatOpensNothingMoreOpensNoCopy() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        let old = try copies(fixture)
        #expect(old.count == 1)
        let new = SlotSecret.passphrase(SecretValue(text: "another one"))
        try await fixture.keychain.replaceSlot(Fixture.passphrase, with: new, costs: .least)
        let kept = try copies(fixture)
        #expect(kept.count == 1 && kept.first != old.first)
        #expect(!FileManager.default.fileExists(atPath: old[0].path))
        let code = RecoveryCode()
        let slot = try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: new)
        try await fixture.keychain.removeSlot(slot.number, authorizedBy: new)
        let last = try #require(try copies(fixture).first)
        #expect(try copies(fixture).count == 1)
        let place = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: last.path, toPath: place.file("k.db"))
        let opened = try LocalKeychain(path: place.file("k.db"))
        for secret in [Fixture.passphrase, .recoveryCode(code)] {
            await #expect(throws: KeychainError.self) { try await opened.unlock(secret) }
        }
        try await opened.unlock(new)
        withExtendedLifetime(place) {}
    }

    /// What is refused, and what there is nothing of, is no reason to delete them.
    @Test func whatChangesNothingCostsNoCopies() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        let before = try copies(fixture)
        #expect(before.count == 1)
        await #expect(throws: KeychainError.noSuchSlot) {
            try await fixture.keychain.removeSlot(99, authorizedBy: Fixture.passphrase)
        }
        await #expect(throws: KeychainError.lastSlot) {
            try await fixture.keychain.removeSlot(1, authorizedBy: Fixture.passphrase)
        }
        #expect(throws: KeychainError.itemNotFound) { try fixture.keychain.forget(77) }
        #expect(try fixture.keychain.forget() == 0)
        #expect(try copies(fixture) == before)
    }

    /// A state that is still being copied would come back after the others were deleted.
    @Test func whoDeletesThemWaitsForTheOneThatIsBeingMade() async throws {
        let hand = Hand()
        let fixture = try await fixture(hand)
        try fixture.keychain.add(password("a"))
        let path = fixture.path
        let turn = try ProcessLock(waitingFor: path + ".copies/lock")
        hand.move(seconds: 100)
        try fixture.keychain.add(password("b"))
        #expect(try copies(fixture).count == 1, "another program makes one")
        let deletion = Task.detached { try LocalKeychain.removeCopies(of: path) }
        try await Task.sleep(for: .milliseconds(100))
        #expect(try copies(fixture).count == 1)
        _ = consume turn
        try await deletion.value
        #expect(try copies(fixture).isEmpty)
    }

    /// What cannot be copied can be changed.
    @Test func withoutAPlaceForThemNothingElseFails() async throws {
        let fixture = try await Fixture()
        try Data("in the way".utf8).write(to: URL(fileURLWithPath: fixture.path + ".copies"))
        try fixture.keychain.add(password("a"))
        #expect(try fixture.keychain.text("a") == "secret")
        #expect(throws: KeychainError.self) { try copies(fixture) }
    }

    @Test func aFolderThatIsOpenToOthersIsNotBelieved() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        #expect(try copies(fixture).count == 1)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: fixture.path + ".copies")
        #expect(throws: KeychainError.self) { try copies(fixture) }
        try fixture.keychain.add(password("b"))
    }

    /// An item that is lost is none that was removed, though former values of it are left.
    @Test func aLostItemComesBackWithItsFormerValues() async throws {
        let hand = Hand()
        let fixture = try await fixture(hand)
        let lost = try fixture.keychain.add(password("lost", "service", "one"))
        let removed = try fixture.keychain.add(password("removed", "service", "one"))
        for item in [lost, removed] {
            try fixture.keychain.replace(item, ItemChange(secret: SecretValue(text: "two")))
        }
        hand.move(seconds: 100)
        try fixture.keychain.trash(removed)
        try fixture.sqlite("DELETE FROM item WHERE number = \(lost.number)")
        let keychain = try LocalKeychain(path: fixture.path)
        await #expect(throws: KeychainError.self) { try await keychain.unlock(Fixture.passphrase) }
        try await keychain.repair()
        #expect(try keychain.restoreItems(withMissing: true).map(\.item.reference) == [lost])
        #expect(try keychain.text("lost") == "two")
        #expect(try keychain.past(of: lost).map(\.isRemoved) == [false])
        #expect(throws: KeychainError.itemNotFound) { try keychain.text("removed") }
        #expect(try keychain.past(of: removed).map(\.isRemoved) == [false, true])
        #expect(try keychain.verify().isSound)
    }

    @Test func aDamagedItemComesBack() async throws {
        let hand = Hand()
        let fixture = try await fixture(hand)
        for name in ["a", "b", "c"] { try fixture.keychain.add(password(name, "service", "secret of \(name)")) }
        hand.move(seconds: 100)
        try fixture.keychain.add(password("late"))
        for change in ["secret = zeroblob(99)", "attributes = zeroblob(99)", "key = zeroblob(40)", "class = 9"] {
            try fixture.sqlite("UPDATE item SET \(change) WHERE number = 2; DELETE FROM item WHERE number IN (3, 4)")
            let keychain = try LocalKeychain(path: fixture.path)
            await #expect(throws: KeychainError.self) { try await keychain.unlock(Fixture.passphrase) }
            #expect(try await keychain.repair().damaged == [2])
            let restored = try keychain.restoreItems(withMissing: change.hasPrefix("secret"))
            // The newest copy had no item 4 yet.
            let wanted: [Int64] = change.hasPrefix("secret") ? [2, 3] : [2]
            #expect(restored.map(\.item.reference.number) == wanted, "\(change)")
            #expect(try keychain.text("b") == "secret of b")
            #expect(try keychain.verify().isSound)
            if change.hasPrefix("secret") { #expect(try keychain.text("c") == "secret of c") }
            #expect(throws: KeychainError.itemNotFound) { try keychain.text("late") }
            #expect(try keychain.add(password("new \(change)")).number > 4)
        }
    }
}
