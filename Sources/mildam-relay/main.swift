import Glibc
import MildamSystem
import MildamTerminal

OwnProcess.forbidCoreDumps()
Console.ignoreBrokenPipes()
let console = Console()
let status: ExitStatus
do {
    if let (run, invocation) = try relayCommands.chosen(by: Array(CommandLine.arguments.dropFirst()), on: console) {
        status = await run(invocation, console)
    } else {
        status = .done
    }
} catch {
    status = console.failure(error, of: "mildam-relay")
}
exit(status.rawValue)
