import Foundation
import Glibc
import MildamCrypto
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("The agent")
struct AgentTests {
    /// A keychain of its own, an agent that keeps it, and a program that asks it.
    final class Served: Sendable {
        let fixture: Fixture
        let server: AgentServer
        let socket: String

        init() async throws {
            var options = LocalKeychain.Options()
            options.isAgent = true
            // The test program owns what it asks the agent for.
            options.isOwner = true
            fixture = try await Fixture(options: options)
            socket = fixture.folder.file("agent/socket")
            server = try AgentServer(fixture.keychain, at: socket)
            let server = server
            MildamSystem.Thread.detach(named: "agent") { try? server.run() }
        }

        deinit { server.stop() }

        func client() throws -> AgentClient { try AgentClient(at: socket) }

        /// The owner, past the agent.
        func another() async throws -> LocalKeychain {
            var options = LocalKeychain.Options()
            options.isOwner = true
            return try await fixture.another(options: options)
        }
    }

    @Test func whatTheAgentKeepsIsTheFiles() async throws {
        let served = try await Served()
        let client = try served.client()
        #expect(try client.state() == .unlocked)
        #expect(try client.identifier() == served.fixture.keychain.identifier)
        let reference = try client.add(password("a", "service", "one"))
        #expect(throws: KeychainError.duplicateItem) { try client.add(password("a")) }
        #expect(try client.text("a") == "one")
        #expect(try client.set(password("a", "service", "two")) == reference)
        #expect(try client.update(KeychainQuery(reference), ItemChange([.label: "new"])) == 1)
        let item = try client.item(KeychainQuery(.genericPassword, [.label: "new"]))
        #expect(item.secret?.text == "two")
        #expect(item.reference == reference)
        #expect(try client.copyMatching(KeychainQuery(.genericPassword), returningSecrets: false)[0].secret == nil)
        let another = try await served.another()
        #expect(try another.text("a") == "two")
        #expect(try client.delete(KeychainQuery(reference)) == 1)
        #expect(throws: KeychainError.itemNotFound) { try client.text("a") }
        #expect(try client.verify().isSound)
    }

    @Test func lockingAndWrongPassphrases() async throws {
        let served = try await Served()
        let client = try served.client()
        try client.add(password("a"))
        try client.lock()
        #expect(try client.state() == .locked)
        #expect(throws: KeychainError.locked) { try client.text("a") }
        let wrong = SlotSecret.passphrase(SecretValue(text: "wrong"))
        for _ in 0..<3 { #expect(throws: KeychainError.wrongSecret) { try client.unlock(wrong) } }
        #expect(throws: KeychainError.tooManyTries(seconds: 1)) { try client.unlock(Fixture.passphrase) }
        try await Task.sleep(for: .milliseconds(1100))
        try client.unlock(Fixture.passphrase)
        #expect(try client.text("a") == "secret")
        #expect(try client.auditLog().filter { $0.event == .wrongSecret }.count == 3)
    }

    /// Asking for what does not exist, or is not here, gives nobody more tries.
    @Test func whatIsNoTryGivesBackNoOther() async throws {
        let served = try await Served()
        let client = try served.client()
        try client.lock()
        let wrong = SlotSecret.passphrase(SecretValue(text: "wrong"))
        for secret in [wrong, wrong] { #expect(throws: KeychainError.wrongSecret) { try client.unlock(secret) } }
        for _ in 0..<5 {
            #expect(throws: KeychainError.noSuchSlot) { try client.unlock(.recoveryCode(RecoveryCode())) }
        }
        #expect(throws: KeychainError.wrongSecret) { try client.unlock(wrong) }
        // While it waits, right and wrong have the same answer.
        for secret in [Fixture.passphrase, wrong, .recoveryCode(RecoveryCode())] {
            #expect(throws: KeychainError.tooManyTries(seconds: 1)) { try client.unlock(secret) }
        }
        #expect(try client.state() == .locked)
    }

    @Test func secretsOfTheLargestSizePass() async throws {
        let served = try await Served()
        let client = try served.client()
        let bytes = (0..<SecretValue.maximumSize).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        let account = "a\0👩‍👩‍👧"
        var item = password(account)
        item.secret = SecretValue(copying: bytes)
        try client.add(item)
        let found = try client.item(.genericPassword(service: "service", account: account))
        #expect(found.secret?.bytes == bytes)
        item.attributes[.account] = "b"
        item.secret = SecretValue(copying: bytes + [0])
        #expect(throws: KeychainError.self) { try client.add(item) }
        #expect(try client.state() == .unlocked)
    }

    @Test func thePauseDoubles() {
        var limiter = TryLimiter()
        var now = ContinuousClock.now
        var pauses: [Int] = []
        for _ in 0..<12 {
            limiter.begin(at: now)
            pauses.append(limiter.pause(at: now))
            now += .seconds(limiter.pause(at: now))
        }
        #expect(pauses == [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
        limiter.succeed()
        #expect(limiter.pause(at: now) == 0)
    }

    @Test func anIdleKeychainIsLocked() async throws {
        let served = try await Served()
        let client = try served.client()
        #expect(served.server.lockWhenIdle(for: .seconds(3600)) > .seconds(3500))
        #expect(try client.state() == .unlocked)
        #expect(served.server.lockWhenIdle(for: .zero) == .zero)
        #expect(try client.state() == .locked)
    }

    @Test func whatIsReadThroughTheAgentIsNoReadingPastIt() async throws {
        let served = try await Served()
        let client = try served.client()
        try client.add(password("a"))
        _ = try client.text("a")
        #expect(try client.auditLog().isEmpty)
        _ = try await served.another().text("a")
        #expect(try client.auditLog().map(\.event) == [.readPastAgent])
    }

    @Test func anotherProgramIsNotTheOwner() async throws {
        let served = try await Served()
        try served.client().add(password("a"))
        // A program of another's: it speaks the protocol, and is known by its executable.
        let script = """
            import socket, struct, sys
            s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
            def ask(body):
                s.sendall(struct.pack(">I", len(body)) + body)
                size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
                return s.recv(size, socket.MSG_WAITALL)
            print(ask(bytes([1])).hex()[:4])
            print(ask(bytes([9]))[:2].hex())
            query = bytes([6, 1, 0, 0, 0, 0, 0]) + struct.pack(">I", 10) + bytes([1])
            print(ask(query)[:2].hex())
            """
        let result = try await Program.result(of: "python3", ["-c", script, served.socket])
        // Unlocked; an invalid request; nothing found.
        #expect(result.output == "0202\n0103\n0102\n", "\(result)")
    }

    @Test func itSaysWhatItIsToItsOwnProgramAndToOthers() async throws {
        let served = try await Served()
        let info = try #require(try served.client().hello())
        #expect(info.executable == ProgramIdentity.own.executable && info.version == Version.text)
        #expect(info.keychain == served.fixture.path && info.file == FileIdentity(served.fixture.path))
        #expect(info.isOwner && !info.isReplaced)
        // Another program asks, and has it end: it could send a signal as well.
        let script = """
            import socket, struct, sys
            s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
            for kind in 15, 14:
                s.sendall(struct.pack(">IB", 1, kind))
                size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
                print(s.recv(size, socket.MSG_WAITALL).hex())
            """
        let result = try await Program.result(of: "python3", ["-c", script, served.socket])
        let answers = try result.output.split(separator: "\n").map { try AgentReply(wireBytes: hex($0)) }
        guard case .agent(let theirs) = answers.first, case .done = answers.last else {
            Issue.record("\(result)")
            return
        }
        #expect(!theirs.isOwner && theirs.keychain == info.keychain && theirs.file == info.file)
        #expect(await eventually { !FileManager.default.fileExists(atPath: served.socket) }, "it has ended")
    }

    private func hex(_ text: Substring) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    }

    /// An agent of before there was a greeting ends the connection; so does one that has too many guests, once.
    @Test(arguments: [1, 3])
    func anAgentThatDoesNotKnowTheGreetingIsOfAnotherVersion(_ times: Int) async throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file("agent/socket"))
        defer { listener.close() }
        let answer = AgentReply.agent(
            AgentInfo(version: "9", executable: "/x", keychain: "/k", file: nil, isOwner: true, isReplaced: false)
        )
        MildamSystem.Thread.detach(named: "agent") {
            for number in 1...4 {
                guard let connection = try? listener.accept() else { return }
                let request = try? AgentFrame.receive(
                    AgentRequest.self,
                    from: connection,
                    maximum: 100,
                    within: .seconds(5)
                )
                guard case .hello? = request, number > times else {
                    connection.shutdown()
                    continue
                }
                try? AgentFrame.send(answer, to: connection)
            }
        }
        let client = try AgentClient(at: listener.path)
        let info = try await Blocking.run { try client.hello() }
        #expect(info?.version == (times == 1 ? "9" : nil))
    }

    /// A program whose file is gone since it began is not known any more: another may have its name by now.
    @Test func aProgramWhoseFileIsGoneIsRefused() async throws {
        let served = try await Served()
        let perl = served.fixture.folder.file("perl")
        try FileManager.default.copyItem(atPath: try Program.find("perl"), toPath: perl)
        let script = """
            use IO::Socket::UNIX;
            my $s = IO::Socket::UNIX->new($ARGV[0]);
            sub ask { print $s pack("NC", 1, 1); $s->flush; read $s, my $size, 4; read $s, my $body, unpack("N", $size);
                      print unpack("H2", $body), "\n"; }
            ask(); unlink $ARGV[1]; ask();
            """
        let result = try await Program.result(of: perl, ["-e", script, served.socket, perl])
        // A state, and then a refusal.
        #expect(result.output == "02\n01\n", "\(result)")
    }

    @Test func anAgentThatEndsForgetsItsKeys() async throws {
        let served = try await Served()
        #expect(served.fixture.keychain.state == .unlocked)
        served.server.stop()
        #expect(served.fixture.keychain.state == .locked)
    }

    @Test func manyProgramsAtOnce() async throws {
        let served = try await Served()
        let socket = served.socket
        try await withThrowingTaskGroup(of: Void.self) { group in
            for program in 0..<8 {
                group.addTask {
                    try await Blocking.run {
                        let client = try AgentClient(at: socket)
                        for number in 0..<10 {
                            try client.add(password("p\(program)n\(number)"))
                            guard try client.text("p\(program)n\(number)") == "secret" else {
                                throw StringError("another's secret")
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try served.fixture.keychain.copyMatching(KeychainQuery(.genericPassword), limit: .all).count == 80)
        #expect(try served.fixture.keychain.verify().isSound)
    }

    @Test func whatIsNoRequestIsNotAnswered() async throws {
        let served = try await Served()
        let hostile: [[UInt8]] = [
            [0xff, 0xff, 0xff, 0xff], [0, 0, 0, 0], [0, 0, 0, 1, 99], [0, 0, 0, 2, 1, 1], [0, 0, 0, 3, 2, 1, 0],
            [0, 0, 0, 9, 4, 1, 0, 0, 1, 255, 97, 99, 99], [0x7f, 0, 0, 0, 1],
        ]
        for bytes in hostile {
            let answer = try await Blocking.run {
                let connection = try UnixConnection.connect(to: served.socket, within: .seconds(5))
                try connection.send(bytes.span, within: .seconds(5))
                var one: [UInt8] = [0]
                var span = one.mutableSpan
                return (try? connection.receive(into: &span, within: .seconds(5))) ?? false
            }
            #expect(!answer, "\(bytes)")
        }
        #expect(try served.client().state() == .unlocked)
    }

    @Test(arguments: 0..<messages.count)
    func everyMessageIsReadBackAndEveryCutRefused(_ index: Int) throws {
        let bytes = Self.messages[index].wireBytes
        let again = try AgentRequest(wireBytes: bytes)
        #expect(again.wireBytes == bytes)
        let read = (0..<bytes.count).filter { (try? AgentRequest(wireBytes: Array(bytes[..<$0]))) != nil }
        #expect(read.isEmpty, "cut")
        // With a bit flipped it is refused, or says something else.
        let same = (0..<bytes.count * 8).filter { position in
            var changed = bytes
            changed[position / 8] ^= 1 << UInt8(position % 8)
            return (try? AgentRequest(wireBytes: changed))?.wireBytes == bytes
        }
        #expect(same.isEmpty)
    }

    private static let messages: [AgentRequest] = {
        var item = password("a\0é", "service")
        item.accessGroup = "group"
        item.attributes[.port] = nil
        item.attributes[.isInvisible] = true
        var query = KeychainQuery(.internetPassword, [.port: 443, .server: "example.org"])
        query.accessGroup = "group"
        query.accessibility = .afterFirstUnlock
        query.synchronizable = .any
        var change = ItemChange([.label: nil], secret: SecretValue(text: "x"))
        change.accessibility = .whenUnlocked
        change.accessGroup = "other"
        let reference = ItemReference(keychain: KeychainIdentifier(), number: 7)
        return [
            .hello, .state, .lock, .close, .readable, .verify, .grants, .auditLog, .stop, .add(item), .set(item),
            .delete(query),
            .unlock(Fixture.passphrase), .unlock(.recoveryCode(RecoveryCode())), .unlock(.enclaveUnattended),
            .copyMatching(query, limit: .one, returningSecrets: true), .update(query, change),
            .grant(AccessGrant(ProgramIdentity(executable: "/bin/x", user: 7), "group")),
            .trash(reference), .replace(reference, change, unlessChangedSince: nil),
            .replace(reference, change, unlessChangedSince: 1 << 40), .past(of: reference), .past(of: nil),
            .pastSecret(1 << 40), .restore(7), .forget(7), .forget(nil), .erase(reference),
            .restoreUnchanged(7, nil), .restoreUnchanged(7, 1 << 40),
        ]
    }()

    @Test(arguments: [
        KeychainError.duplicateItem, .ambiguousItem(numbers: [1, 70]), .itemNotFound, .invalidRequest(reason: "x"),
        .locked, .needsPassphrase, .wrongSecret,
        .tooManyTries(seconds: 7), .accessGroupDenied(group: "g"), .damagedItem(number: 9), .damagedPast(number: 9),
        .changedFromOutside(reason: "y"), .rolledBack, .noSuchSlot, .lastSlot, .noKeychain(path: "/p"),
        .alreadyExists(path: "/p"), .replaced(path: "/p"), .changedMeanwhile, .enclave(reason: "z"),
        .absentEnclave(.missing, reason: "z"), .absentEnclave(.notPermitted, reason: "z"),
        .absentEnclave(.noAnswer, reason: "z"),
    ])
    func errorsArriveAsTheyLeft(_ error: KeychainError) throws {
        #expect(try KeychainError(wireBytes: error.wireBytes) == error)
    }

    @Test(.disabled(if: Sanitizer.isOn, "under a sanitizer memory cannot be searched"))
    func afterLockingTheMemoryHoldsNeitherKeyNorSchedule() async throws {
        let served = try await Served()
        let client = try served.client()
        let classes = [Accessibility.whenUnlocked, .whenPasscodeSetThisDeviceOnly]
        for accessibility in classes {
            var item = password("\(accessibility)")
            item.accessibility = accessibility
            try client.add(item)
            _ = try client.text("\(accessibility)")
        }
        var keys: [MaskedSecret] = []
        var schedules: [MaskedSecret] = []
        for accessibility in classes {
            let (key, schedule) = try served.fixture.keychain.core.withLock { core in
                Self.masked(try core.key(accessibility))
            }
            keys.append(key)
            schedules.append(schedule)
        }
        let present = try ProcessMemory.occurrences(of: keys.map(\.bytes))
        #expect(present.count == keys.count && present.allSatisfy { $0 > 0 }, "the search finds what is there")
        try client.lock()
        let left = try ProcessMemory.occurrences(of: (keys + schedules).map(\.bytes))
        #expect(left.allSatisfy { $0 == 0 }, "\(left)")
        // What is planted is found.
        let planted = schedules[0].bytes.map { $0 ^ 0xff }
        #expect(try ProcessMemory.occurrences(of: schedules[0].bytes) > 0)
        withExtendedLifetime(planted) {}
        #expect(throws: KeychainError.locked) { try client.text("whenUnlocked") }
    }

    @Test(.disabled(if: Sanitizer.isOn, "under a sanitizer memory cannot be searched"))
    func afterClosingTheMemoryHoldsNoKey() async throws {
        let served = try await Served()
        let client = try served.client()
        var item = password("a")
        item.accessibility = .afterFirstUnlock
        try client.add(item)
        let masked = try served.fixture.keychain.core.withLock { core in
            (Self.masked(try core.key(.afterFirstUnlock)).0, core.keys.map { Self.masked($0.metadata).0 })
        }
        let keys = [masked.0, try #require(masked.1)]
        try client.lock()
        let present = try ProcessMemory.occurrences(of: keys.map(\.bytes))
        #expect(present.count == keys.count && present.allSatisfy { $0 > 0 }, "locking leaves them")
        try client.close()
        let left = try ProcessMemory.occurrences(of: keys.map(\.bytes))
        #expect(left.allSatisfy { $0 == 0 }, "\(left)")
    }

    @Test func closingEndsWhatLockingLeaves() async throws {
        let served = try await Served()
        let client = try served.client()
        for (name, accessibility) in [("a", Accessibility.whenUnlocked), ("b", .afterFirstUnlock)] {
            var item = password(name)
            item.accessibility = accessibility
            try client.add(item)
        }
        #expect(try client.readableItems() == 2)
        try client.lock()
        #expect(try client.readableItems() == 1 && client.text("b") == "secret")
        try client.close()
        #expect(try client.state() == .closed && client.readableItems() == 0)
        #expect(throws: KeychainError.locked) { try client.text("b") }
        #expect(throws: KeychainError.locked) {
            try client.copyMatching(KeychainQuery(.genericPassword), returningSecrets: false)
        }
        #expect(throws: KeychainError.locked) { try client.add(password("c")) }
        #expect(throws: KeychainError.locked) { try client.verify() }
        try client.unlock(Fixture.passphrase)
        #expect(try client.text("a") == "secret" && client.text("b") == "secret" && client.verify().isSound)
    }

    @Test func theScheduleIsTheStandards() throws {
        // FIPS 197, appendix A.3: w[8] to w[15].
        let key: [UInt8] = [
            0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81,
            0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4,
        ]
        let rounds = unsafe key.withUnsafeBytes { unsafe aes256RoundKeys($0) }
        #expect(rounds.prefix(4) == [0x9b, 0xa3, 0x54, 0x11])
        #expect(rounds[16..<20] == [0xa8, 0xb0, 0x9c, 0x1a])
    }

    /// The key, and what AES makes of it for its third and fourth round, in the form that a search does not find.
    private static func masked(_ key: SymmetricKey) -> (MaskedSecret, MaskedSecret) {
        unsafe key.withUnsafeBytes { key in
            var rounds = unsafe aes256RoundKeys(key)
            defer { rounds.wipe() }
            return unsafe (MaskedSecret(key), rounds.withUnsafeBytes { unsafe MaskedSecret($0) })
        }
    }
}
