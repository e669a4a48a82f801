import MildamTerminal

let manualCommand = ActionCommand(
    ["manual"],
    summary: "Print the manual page.",
    examples: [.init("mildam manual | man -l -", "Read it.")]
) { action in
    try action.console.print(table.manualPage, terminator: "")
    return .done
}
