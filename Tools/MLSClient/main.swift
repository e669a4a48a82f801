import Foundation
import MLSInterop

// mls-client [--no-grease-extensions]: the MLS interop protocol as JSON lines. Each line of the input is a call, each line of
// the output its answer, at once (InteropClient.answer). Some implementations refuse extensions that mean nothing.
let client = InteropClient(greasesExtensions: !CommandLine.arguments.contains("--no-grease-extensions"))
while let line = readLine() {
    if !line.isEmpty { FileHandle.standardOutput.write(Data((client.answer(line) + "\n").utf8)) }
}
