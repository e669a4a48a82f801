import MildamMessenger
import MildamTerminal

let roomOperand = Operand(
    "ROOM",
    help: "The room's name, or its id where two have the same name.",
    completion: KnownNames.room.completion
)

extension Action {
    /// The room that is meant.
    var room: String { invocation.operand("ROOM") }
}

extension RoomSummary {
    /// Its members, as they are listed.
    var names: String { unkept.map { "\($0) members" } ?? members.map(\.text).joined(separator: ", ") }
}
