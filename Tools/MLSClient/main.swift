import Foundation
import MLSInterop

// mls-client: the MLS interop protocol as JSON lines. Each line of the input is a call, each line of the output its answer, at
// once (InteropClient.answer).
let client = InteropClient()
while let line = readLine() {
    if !line.isEmpty { FileHandle.standardOutput.write(Data((client.answer(line) + "\n").utf8)) }
}
