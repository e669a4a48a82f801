import Glibc
import MildamSystem
import MildamTerminal

OwnProcess.forbidCoreDumps()
Console.ignoreBrokenPipes()
_ = EnvironmentPassphrase.taken
guard CommandLine.isText else {
    Console().complain("mildam: an argument is not UTF-8: names of files have to be")
    _exit(ExitStatus.usage.rawValue)
}
let arguments = Array(CommandLine.arguments.dropFirst())
// Another program's commands: their arguments are none of ours.
if arguments.first == relayGroup.name, let word = arguments.dropFirst().first, !word.hasPrefix("-") {
    handOver(to: "mildam-relay", Array(arguments.dropFirst()))
}
let status = await run(arguments)
// At once, and not by exit(): a connection that is still saying goodbye would find OpenSSL cleaned up. Nothing is buffered.
_exit(status.rawValue)
