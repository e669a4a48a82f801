import Foundation
import MildamTerminal

// Ctrl-C and a closed terminal end the demo like any other end: nothing is left behind.
let programs = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
let stage: Stage
do {
    stage = try Stage(programs: programs)
} catch {
    Console().complain("mildam-demo: \(error)")
    exit(1)
}
let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
        stage.strike()
        exit(128 + number)
    }
    source.activate()
    return source
}
do {
    try Demo(stage: stage).play()
    stage.strike()
} catch {
    stage.strike()
    Console().complain("mildam-demo: \(error)")
    exit(1)
}
