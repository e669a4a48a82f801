import MildamTerminal

let completionCommand = ActionCommand(
    ["completion"],
    summary: "Print a shell's completions.",
    operands: [Operand("SHELL", help: "Which shell.", completion: .choices(["bash", "zsh", "fish"]))],
    examples: [.init("source <(mildam completion bash)", "For this shell.")]
) { action in
    switch action.invocation.operand("SHELL") {
    case "bash": try action.console.print(table.bashCompletion, terminator: "")
    case "zsh": try action.console.print(table.zshCompletion, terminator: "")
    default: try action.console.print(table.fishCompletion, terminator: "")
    }
    return .done
}
