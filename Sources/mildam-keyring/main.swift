import Glibc
import MildamSystem
import MildamTerminal

OwnProcess.forbidCoreDumps()
Console.ignoreBrokenPipes()
let console = Console()
let status: ExitStatus
do {
    if let (run, _) = try keyringCommands.chosen(by: Array(CommandLine.arguments.dropFirst()), on: console) {
        status = try run(console)
    } else {
        status = .done
    }
} catch {
    status = console.failure(error, of: "mildam-keyring")
}
// Without the farewells of the desktop's libraries.
_exit(status.rawValue)
