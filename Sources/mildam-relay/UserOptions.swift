import MildamTerminal

/// Where the relay's data lies, for every command.
let dataOption = OptionSpec(
    "data",
    value: .init("DIR", completion: .folder),
    help: "Where everything is kept; default $XDG_DATA_HOME/mildam-relay."
)

let jsonOption = OptionSpec("json", help: "Answer with one JSON object, errors included.")
let yesOption = OptionSpec("yes", help: "Do not ask.")
let handleOperand = Operand("HANDLE", help: "Whose account.")
let userNotes = [
    CommandSpec.ExitNote(.notFound, "there is no such account or session, or no relay's data in the folder"),
    CommandSpec.ExitNote(.refused, "nobody agreed, or a relay runs on the folder that cannot be asked"),
]
