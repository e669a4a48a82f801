import Glibc
import MildamClientCore
import MildamSimulate
import MildamTerminal

// mildam-sim: worlds of clients and a relay, from seeds (SimArguments.usage). The order in which sets and dictionaries are gone
// through is the same in each run only where Swift is told so before it begins: the program begins itself once more for that.
if Console.variable("SWIFT_DETERMINISTIC_HASHING") == nil {
    unsafe setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    unsafe execv("/proc/self/exe", CommandLine.unsafeArgv)
}
let console = Console()
do throws(SimArguments.Misuse) {
    let arguments = try SimArguments(Array(CommandLine.arguments.dropFirst()))
    if arguments.wantsHelp {
        print(SimArguments.usage)
        exit(0)
    }
    if arguments.namesFaults {
        for fault in PlantedFault.allCases { print(fault.rawValue) }
        exit(0)
    }
    exit(SimRun(arguments: arguments, console: console).run() ? 0 : 1)
} catch {
    console.complain("mildam-sim: \(error.words)")
    console.complain(SimArguments.usage)
    exit(2)
}
