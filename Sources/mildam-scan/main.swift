import Glibc
import MildamSystem
import MildamTerminal

OwnProcess.forbidCoreDumps()
Console.ignoreBrokenPipes()
let console = Console()
let status: ExitStatus
do {
    if let (run, invocation) = try scanCommands.chosen(by: Array(CommandLine.arguments.dropFirst()), on: console) {
        status = run(invocation, console)
    } else {
        status = .done
    }
} catch {
    status = console.failure(error, of: "mildam-scan")
}
// Without the farewells of the decoders' libraries: one that was led astray does nothing more.
_exit(status.rawValue)
