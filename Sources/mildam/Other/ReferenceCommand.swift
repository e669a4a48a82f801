import MildamTerminal

let referenceCommand = ActionCommand(
    ["reference"],
    summary: "Print the reference page, in Markdown.",
    examples: [.init("mildam reference > reference.md", "As it stands in Documentation.")]
) { action in
    try action.console.print(table.referencePage, terminator: "")
    return .done
}
