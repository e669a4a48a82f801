import FoundationEssentials
import MildamIdentity
import MildamRelay
import MildamRelayAPI
import MildamSystem
import MildamTerminal

/// What the commands of `mildam-relay user` share.
struct Users {
    let invocation: Invocation
    private let console: Console
    private let relay: RelayOperator

    /// What runs a command.
    static func doing(_ body: @escaping @Sendable (Users) throws -> Void) -> Run {
        { invocation, console in run(invocation, on: console, body) }
    }

    private static func run(
        _ invocation: Invocation,
        on console: Console,
        _ body: (Users) throws -> Void
    ) -> ExitStatus {
        guard let folder = invocation.value("data") ?? Serve.defaultFolder() else {
            console.complain("mildam-relay: neither --data, XDG_DATA_HOME nor HOME says where the data is")
            return .usage
        }
        let users = Users(invocation: invocation, console: console, relay: RelayOperator(dataFolder: folder))
        do {
            try body(users)
            return .done
        } catch let error as SystemError where error.isReaderGone {
            return .done
        } catch {
            return users.tell("\(error)", ExitStatus(error))
        }
    }

    // MARK: Looking

    func details() throws -> AccountDetails {
        guard case .account(let details) = try ask(.show(handle: handle())) else { throw Failure.absurd }
        return details
    }

    // MARK: Doing

    func tell(done request: OperatorRequest, _ what: String) throws {
        guard case .done(let count) = try ask(request) else { throw Failure.absurd }
        try answer(["count": count]) { "\(what): \(count)" }
    }

    func demandConsent(_ question: String) throws {
        guard !invocation.flag("yes") else { return }
        guard try Prompt().confirm(question, option: "--yes") else { throw Failure(.refused, "nothing was done") }
    }

    func ask(_ request: OperatorRequest) throws -> OperatorAnswer {
        let answer = try relay.perform(request)
        guard case .refused(let error) = answer else { return answer }
        switch error.code {
        case .unknownAccount, .unknownSession: throw Failure(.notFound, error.message)
        default: throw Failure(.failed, error.message)
        }
    }

    func number(_ option: String, in range: ClosedRange<Int>, otherwise usual: Int) throws -> Int {
        guard let text = invocation.value(option) else { return usual }
        guard let number = Int(text), range.contains(number) else {
            throw Failure(.usage, "--\(option) takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func handle() throws -> Handle {
        guard let handle = try? Handle(invocation.operand("HANDLE")) else {
            throw Failure(.usage, "a handle is 3 to 32 of a-z, 0-9, '_', '.', '-'")
        }
        return handle
    }

    // MARK: Telling

    struct Failure: EndsWithStatus, CustomStringConvertible {
        let exitStatus: ExitStatus
        let description: String

        init(_ exitStatus: ExitStatus, _ description: String) {
            self.exitStatus = exitStatus
            self.description = description
        }

        static let absurd = Failure(.failed, "the relay answered something else than was asked; is it of this version?")
    }

    func answer(_ value: some Encodable, _ text: () -> String) throws {
        guard invocation.flag("json") else { return try console.print(text()) }
        try console.print(try JSONLine.text(of: value))
    }

    private func tell(_ message: String, _ status: ExitStatus) -> ExitStatus {
        let line = TerminalText.sanitized(message)
        console.tell(ofFailure: line, status, asObject: invocation.flag("json"), of: "mildam-relay")
        return status
    }

    /// Columns as wide as their widest cell, two spaces apart.
    static func table(_ head: [String], _ rows: [[String]]) -> String {
        let lines = head.isEmpty ? rows : [head] + rows
        let widths = (0..<(lines.first?.count ?? 0)).map { column in
            lines.map { DisplayWidth.of($0[column]) }.max() ?? 0
        }
        return lines.map { line in
            line.enumerated().map { index, cell in
                index == line.count - 1 ? cell : DisplayWidth.padded(cell, to: widths[index])
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    /// "2026-11-21T14:15:01Z".
    static func time(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
