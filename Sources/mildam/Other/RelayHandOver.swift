import Glibc
import MildamSystem
import MildamTerminal

/// The commands of mildam-relay, all of which it gets; the two that are needed most are listed here, too.
let relayGroup = CommandTable.Group("relay", summary: "A relay of one's own.", program: "mildam-relay")

let relayServe = ActionCommand(
    [relayGroup.name, "serve"],
    summary: "Run a relay; hands over to mildam-relay.",
    discussion: "All arguments go to mildam-relay: see `mildam-relay serve --help`.",
    operands: [Operand("ARGUMENTS", help: "What mildam-relay serve takes.", arity: .many)],
    examples: [.init("mildam relay serve --data ./relay --listen 127.0.0.1:8080", "Loopback, without TLS.")],
    run: misplaced
)

let relayUser = ActionCommand(
    [relayGroup.name, "user"],
    summary: "Look after a relay's accounts; hands over to mildam-relay.",
    discussion: "All arguments go to mildam-relay: see `mildam-relay user --help`.",
    operands: [Operand("ARGUMENTS", help: "What mildam-relay user takes.", arity: .many)],
    examples: [.init("mildam relay user list --data ./relay", "Who has an account.")],
    run: misplaced
)

/// These are commands of another program, which takes over before the arguments are looked at: they stand first, or nowhere.
private let misplaced: Run = { action in
    throw UsageError(.unknownCommand(action.invocation.command.name), command: table.program)
}

/// Becomes another of our programs: the one beside this program's file, otherwise the one on PATH.
func handOver(to program: String, _ arguments: [String]) -> Never {
    if let path = SiblingProgram.path(of: program) {
        var list = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        unsafe execv(path, &list)
    }
    Console().complain("mildam: \(program) is neither beside this program nor on PATH")
    exit(ExitStatus.failed.rawValue)
}
