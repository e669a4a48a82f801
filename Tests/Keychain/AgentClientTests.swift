import MildamCrypto
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("A program that asks the agent")
struct AgentClientTests {
    private static let long = String(repeating: "g", count: 70_000)

    private static let formless: [AgentRequest] = {
        var elsewhere = KeychainQuery(.genericPassword)
        elsewhere.accessGroup = long
        var group = password("a")
        group.accessGroup = long
        var kind = password("a")
        kind.attributes[.label] = 7
        var large = password("a")
        large.secret = SecretValue(SecretBytes.random(count: SecretValue.maximumSize + 1))
        var moved = ItemChange()
        moved.accessGroup = long
        let program = ProgramIdentity(executable: long, user: 1)
        let reference = ItemReference(keychain: KeychainIdentifier(), number: 1)
        return [
            .add(group), .add(kind), .set(large), .delete(elsewhere),
            .copyMatching(KeychainQuery(.identity), limit: .one, returningSecrets: false),
            .update(KeychainQuery(.genericPassword), ItemChange()), .update(KeychainQuery(.genericPassword), moved),
            .update(KeychainQuery(.genericPassword), ItemChange([.label: 7])),
            .replace(reference, ItemChange(), unlessChangedSince: nil),
            .replace(reference, moved, unlessChangedSince: 7),
            .grant(AccessGrant(program, "g")), .revoke(AccessGrant(.own, long)), .grant(AccessGrant(.own, "")),
            .unlock(.passphrase(SecretValue(SecretBytes.random(count: SlotSecret.maximumSize + 1)))),
        ]
    }()

    @Test(arguments: 0..<formless.count)
    func isToldWhatIsWrongWithItsRequestBeforeItIsSent(_ index: Int) async throws {
        let served = try await AgentTests.Served()
        let client = try served.client()
        let error = #expect(throws: KeychainError.self) {
            switch Self.formless[index] {
            case .add(let item): try client.add(item)
            case .set(let item): try client.set(item)
            case .delete(let query): try client.delete(query)
            case .copyMatching(let query, _, _): _ = try client.copyMatching(query)
            case .update(let query, let change): try client.update(query, change)
            case .replace(let reference, let change, let time):
                try client.replace(reference, change, unlessChangedSince: time)
            case .grant(let grant): try client.grant(grant)
            case .revoke(let grant): try client.revoke(grant)
            case .unlock(let secret): try client.unlock(secret)
            default: Issue.record("nothing is asked")
            }
        }
        guard case .invalidRequest = error else {
            Issue.record("\(error.map { "\($0)" } ?? "no error")")
            return
        }
        #expect(try client.state() == .unlocked)
    }

    @Test func isToldThatAnAnswerIsTooLong() async throws {
        let fixture = try await Fixture()
        let socket = fixture.folder.file("agent/socket")
        let server = try AgentServer(fixture.keychain, at: socket, maximumReply: 2000)
        defer { server.stop() }
        MildamSystem.Thread.detach(named: "agent") { try? server.run() }
        let client = try AgentClient(at: socket)
        for number in 0..<20 { try client.add(password("user\(number)")) }
        let error = #expect(throws: KeychainError.self) {
            try client.copyMatching(KeychainQuery(.genericPassword), limit: .all)
        }
        #expect(error?.description.contains("2000 bytes") ?? false, "\(String(describing: error))")
        #expect(try client.copyMatching(KeychainQuery(.genericPassword), limit: .atMost(3)).count == 3)
    }

    @Test func doesNotTakeALateAnswerForAnothers() async throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file("agent/socket"))
        defer { listener.close() }
        MildamSystem.Thread.detach(named: "agent") {
            // What cannot be read, and the answer to nothing; then, to whoever connects anew, the right one.
            let answers: [[UInt8]] = [
                [0, 0, 0, 1, 99, 0, 0, 0, 9, 5, 0, 0, 0, 0, 0, 0, 0, 7], [0, 0, 0, 9, 5, 0, 0, 0, 0, 0, 0, 0, 1],
            ]
            for answer in answers {
                guard let connection = try? listener.accept() else { return }
                let request = try? AgentFrame.receive(
                    AgentRequest.self,
                    from: connection,
                    maximum: AgentFrame.maximumRequest,
                    within: .seconds(5)
                )
                guard request != nil else { return }
                try? connection.send(answer.span, within: .seconds(5))
                // Held open until the program is done with it.
                var one: [UInt8] = [0]
                var span = one.mutableSpan
                _ = try? connection.receive(into: &span, within: .seconds(5))
            }
        }
        let client = try AgentClient(at: listener.path)
        #expect(throws: KeychainError.self) { try client.delete(KeychainQuery(.genericPassword)) }
        #expect(try client.delete(KeychainQuery(.genericPassword)) == 1)
    }
}
