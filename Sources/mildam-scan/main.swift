import Glibc
import MildamTerminal

Console.ignoreBrokenPipes()
let console = Console()
let status: ExitStatus
do {
    switch try scanTable.parse(Array(CommandLine.arguments.dropFirst())) {
    case .help(let path):
        try console.print(scanTable.help(for: path, width: console.width(), style: console.style()), terminator: "")
        status = .done
    case .version:
        try console.print(scanTable.versionLine)
        status = .done
    case .run(let invocation):
        status = Read.run(invocation, on: console)
    }
} catch let error as UsageError {
    console.complain("\(error)")
    status = .usage
} catch {
    status = .failed
}
// Without the farewells of the decoders' libraries: one that was led astray does nothing more.
_exit(status.rawValue)
