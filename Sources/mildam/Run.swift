import MildamKeychain
import MildamSystem
import MildamTerminal

/// Understands the arguments and does what they ask for.
func run(_ arguments: [String]) async -> ExitStatus {
    let console = Console()
    let report = Report(console: console, isJSON: arguments.prefix { $0 != "--" }.contains("--json"))
    do {
        guard let (run, invocation) = try commands.chosen(by: arguments, on: console) else { return .done }
        let action = Action(invocation, console)
        do {
            try action.claimSecretSources()
            return try await action.perform(run)
        } catch  where error.systemError?.isReaderGone == true && action.outputPath == nil {
            return .done
        } catch KeychainError.wrongSecret {
            throw action.wrongKeychainSecret
        }
    } catch let error as SystemError where error.isReaderGone {
        return .done
    } catch {
        return report.failure(error)
    }
}

/// What a command works on.
struct Action {
    let invocation: Invocation
    let console: Console
    let report: Report

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
        report = Report(console: console, isJSON: invocation.flag("json"))
    }

    /// What is wrong with an argument.
    func wrong(_ name: String, _ expected: String) -> UsageError {
        misuse(.invalidValue(name: name, expected: expected))
    }

    /// What is wrong with the command line.
    func misuse(_ problem: UsageError.Problem) -> UsageError {
        UsageError(problem, command: invocation.fullName)
    }
}
