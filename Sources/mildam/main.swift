import Glibc
import MildamTerminal

Console.ignoreBrokenPipes()
let arguments = Array(CommandLine.arguments.dropFirst())
// `relay` is another program: its arguments are none of ours.
if arguments.starts(with: ["relay", "serve"]) { handOver(to: "mildam-relay", Array(arguments.dropFirst())) }
exit(await run(arguments).rawValue)
