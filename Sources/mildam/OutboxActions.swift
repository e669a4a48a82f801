import MildamMessenger
import MildamTerminal

extension Action {
    func listOutbox() async throws {
        let waiting = try await messenger().outbox()
        try report.answer(["waiting": waiting]) {
            if waiting.isEmpty { return "nothing waits" }
            return waiting.map { message in
                let time = LocalTime(message.written)
                return "\(message.place)  \(time.day) \(time.clock)  \(shown(message.room)): \(shown(message.text))"
            }.joined(separator: "\n")
        }
    }

    func dropFromOutbox() async throws {
        guard let place = Int64(invocation.operand("PLACE")) else {
            throw UsageError(
                .invalidValue(name: "PLACE", expected: "a number that `mildam outbox list` shows"),
                command: "mildam outbox drop"
            )
        }
        try await messenger().dropFromOutbox(place)
        try report.answer(["dropped": place]) { "dropped" }
    }
}
