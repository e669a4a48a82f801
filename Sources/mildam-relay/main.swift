import Glibc
import MildamTerminal

Console.ignoreBrokenPipes()
let console = Console()
let status: ExitStatus
do {
    switch try relayTable.parse(Array(CommandLine.arguments.dropFirst())) {
    case .help(let path):
        try console.print(relayTable.help(for: path, width: console.width(), style: console.style()), terminator: "")
        status = .done
    case .version:
        try console.print(relayTable.versionLine)
        status = .done
    case .run(let invocation):
        status =
            invocation.path.first == "user"
            ? Users.run(invocation, on: console) : await Serve.run(invocation, on: console)
    }
} catch let error as UsageError {
    console.complain("\(error)")
    status = .usage
} catch {
    status = .failed
}
exit(status.rawValue)
