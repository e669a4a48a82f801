import Glibc
import MLSInterop

// mls-client: the MLS interop protocol as JSON lines. Each line of the input is a call, each line of the output its answer
// (InteropClient.answer).
setvbuf(stdout, nil, _IOLBF, 0)
let client = InteropClient()
while let line = readLine() {
    if !line.isEmpty { print(client.answer(line)) }
}
