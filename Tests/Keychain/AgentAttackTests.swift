import Foundation
import Glibc
import MildamCrypto
import MildamSystem
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("The agent among programs that mean harm")
struct AgentAttackTests {
    private let wrong = SlotSecret.passphrase(SecretValue(text: "wrong"))

    /// What opening comes to.
    private func opening(_ client: AgentClient, _ secret: SlotSecret) -> KeychainError? {
        do throws(KeychainError) { try client.unlock(secret) } catch { return error }
        return nil
    }

    @Test func whatCannotBeTriedDoesNotForgetWrongTries() async throws {
        let served = try await AgentTests.Served()
        let client = try served.client()
        let empty = SlotSecret.passphrase(SecretValue(text: ""))
        var answers: [KeychainError?] = []
        for _ in 0..<2 {
            answers.append(opening(client, wrong))
            // There is no such slot, and no passphrase has no bytes: neither is a try, nor a right one.
            answers.append(opening(client, .enclaveUnattended))
            answers.append(opening(client, empty))
        }
        #expect(answers.filter { $0 == .wrongSecret }.count == 2)
        #expect(opening(client, wrong) == .wrongSecret)
        #expect(opening(client, wrong) == .tooManyTries(seconds: 1))
        #expect(opening(try served.client(), wrong) == .tooManyTries(seconds: 1), "nor does a new connection")
    }

    @Test func whatCannotBeTriedCostsNoWait() async throws {
        let served = try await AgentTests.Served()
        let client = try served.client()
        for _ in 0..<5 { #expect(opening(client, .enclaveUnattended) == .noSuchSlot) }
        #expect(opening(client, Fixture.passphrase) == nil)
    }

    @Test func aLockDuringAnUnlockingHolds() async throws {
        let served = try await AgentTests.Served()
        let slow = SlotSecret.passphrase(SecretValue(text: "slow"))
        let costs = try #require(PassphraseCosts(memoryKiB: 256 << 10, passes: 6))
        try await served.fixture.keychain.replaceSlot(Fixture.passphrase, with: slow, costs: costs)
        let client = try served.client()
        try client.lock()
        let socket = served.socket
        let unlocking = Task {
            try await Blocking.run { () -> KeychainError? in
                let other = try AgentClient(at: socket)
                do throws(KeychainError) { try other.unlock(slow) } catch { return error }
                return nil
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        try client.lock()
        #expect(try await unlocking.value == .locked)
        #expect(try client.state() == .locked)
        try client.unlock(slow)
        #expect(try client.state() == .unlocked)
    }

    @Test func connectionsThatSayNothingKeepNobodyOut() async throws {
        let served = try await AgentTests.Served()
        let first = try served.client()
        #expect(try first.state() == .unlocked)
        var silent: [UnixConnection] = []
        for number in 0..<100 {
            let connection = try UnixConnection.connect(to: served.socket)
            // Half of a length.
            if number.isMultiple(of: 2) { try? connection.send([0 as UInt8, 0].span) }
            silent.append(connection)
        }
        #expect(try served.client().state() == .unlocked)
        // Who was sent away meanwhile comes again.
        #expect(try first.state() == .unlocked)
        withExtendedLifetime(silent) {}
    }

    @Test(.enabled(if: geteuid() == 0, "only root can be another user"))
    func anotherUserIsNotAnswered() async throws {
        let served = try await AgentTests.Served()
        try served.client().add(password("a"))
        // Connected while it was root, it asks as nobody; connected as nobody, it would not have come so far.
        let script = """
            import os, socket, struct, sys
            s = socket.socket(socket.AF_UNIX)
            os.setgid(65534)
            os.seteuid(65534) if sys.argv[2] == "other" else None
            s.connect(sys.argv[1])
            s.sendall(bytes([0, 0, 0, 1, 1]))
            print(s.recv(6, socket.MSG_WAITALL)[4:].hex())
            """
        // Anybody may enter, as if the owner had opened the folder after the agent began.
        for folder in [served.fixture.folder.path, served.fixture.folder.file("agent")] {
            #expect(unsafe chmod(folder, 0o755) == 0)
        }
        #expect(unsafe chmod(served.socket, 0o666) == 0)
        let other = try await Program.result(of: "python3", ["-c", script, served.socket, "other"])
        #expect(other.output == "0112\n", "\(other)")
        let own = try await Program.result(of: "python3", ["-c", script, served.socket, "own"])
        #expect(own.output == "0202\n", "\(own)")
    }

    @Test(.disabled(if: Sanitizer.isOn, "under a sanitizer memory cannot be searched"))
    func longMessagesAreWipedToo() async throws {
        let served = try await AgentTests.Served()
        // Longer than what a message begins with, and a mark near its beginning.
        let masked = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        let socket = served.socket
        try await Blocking.run {
            let client = try AgentClient(at: socket)
            let secret = unsafe SecretBytes(count: 100_000) { bytes in
                for (index, byte) in masked.enumerated() { unsafe bytes[100 + index] = byte ^ 0xff }
            }
            try client.add(NewItem(.genericPassword, [.account: "long"], secret: SecretValue(secret)))
            #expect(try client.item(KeychainQuery(.genericPassword, [.account: "long"])).secret?.count == 100_000)
        }
        #expect(try ProcessMemory.occurrences(of: masked) == 0)
    }
}
