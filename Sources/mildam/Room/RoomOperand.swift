import MildamTerminal

let roomOperand = Operand(
    "ROOM",
    help: "The room's name, or its id, or the beginning of that.",
    completion: KnownNames.room.completion
)

extension Action {
    /// The room that is meant.
    var room: String { invocation.operand("ROOM") }
}
