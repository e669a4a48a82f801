import Foundation
import MLSInterop
import MildamTerminal

// mls-passive FILE…: runs files of the format of passive-client-*.json. Ends with status 0 where nothing failed, 1 where
// something did, 2 where no file was named.
let console = Console()
let files = CommandLine.arguments.dropFirst()
guard !files.isEmpty, !files.contains("--help") else {
    console.complain("usage: mls-passive FILE…   for example: mls-passive passive-client-welcome.json")
    exit(files.isEmpty ? 2 : 0)
}
var run = PassiveRun()
for file in files { run.run(file) }
for complaint in run.complaints { console.complain(complaint) }
print(run.summary)
exit(run.failed == 0 ? 0 : 1)
