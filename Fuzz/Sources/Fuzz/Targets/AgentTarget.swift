import Glibc
import MildamWire

@testable import MildamKeychain
@testable import MildamSystem

extension FuzzTarget {
    /// What a keychain's agent and its programs say to each other. The first byte says what the rest is: a request; an answer;
    /// what a program sends; or requests, each with who asks before it, that a keychain in a file answers.
    static let agentProtocol = FuzzTarget(
        name: "agent-protocol",
        source: .file,
        seeds: { AgentSeeds.all },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0: _ = oneForm(AgentRequest.self, rest)
            case 1: _ = oneForm(AgentReply.self, rest)
            case 2: receive(rest)
            default:
                converse(rest)
                Conversation.forget()
            }
        }
    )

    /// What the agent makes of bytes that come over a socket.
    private static func receive(_ input: [UInt8]) {
        var expected: [[UInt8]] = []
        var rest = input[...]
        while rest.count >= 4 {
            let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let body = Array(rest.dropFirst(4).prefix(size))
            guard body.count == size, let request = try? AgentRequest(wireBytes: body) else { break }
            expected.append(request.wireBytes)
            rest = rest.dropFirst(4 + size)
        }
        let (agent, program) = UnixConnection.pair()
        must { () throws(SystemError) in try program.send(input.span, within: .seconds(5)) }
        program.shutdown()
        var received: [[UInt8]] = []
        do throws(SystemError) {
            while let request = try AgentFrame.receive(
                AgentRequest.self,
                from: agent,
                maximum: AgentFrame.maximumRequest,
                within: .seconds(5)
            ) { received.append(request.wireBytes) }
            mustHold(rest.isEmpty, "what is no request ends the connection")
        } catch {
            mustHold(!rest.isEmpty, "requests are received: \(error)")
        }
        mustHold(received == expected, "each request is received as it was sent")
    }

    private static func converse(_ input: [UInt8]) {
        let conversation = must { () throws(KeychainError) in try Conversation() }
        var reader = WireReader(input.span)
        for _ in 0..<32 {
            guard let who = try? reader.integer(UInt8.self), let request = try? AgentRequest(from: &reader) else {
                break
            }
            conversation.ask(request, as: Conversation.callers[Int(who) % Conversation.callers.count])
        }
        conversation.end()
    }
}

extension UnixConnection {
    /// Two ends of one connection.
    fileprivate static func pair() -> (UnixConnection, UnixConnection) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { fatalError("no socket: \(errno)") }
        return (
            UnixConnection(Descriptor(owning: ends[0]), "the program"),
            UnixConnection(Descriptor(owning: ends[1]), "the agent")
        )
    }
}
