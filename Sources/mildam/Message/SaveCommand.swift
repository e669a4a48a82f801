import Glibc
import MildamSystem
import MildamTerminal

let saveCommand = ActionCommand(
    ["save"],
    summary: "Save a file that somebody sent.",
    operands: [roomOperand, Operand("NUMBER", help: "The message's number.")],
    options: [
        OptionSpec(
            "output",
            short: "o",
            value: .init("FILE", completion: .file),
            help: "Where to; otherwise under the name it was sent with, in this folder."
        ),
        OptionSpec("force", help: "Replace a file that is there."),
    ],
    examples: [.init("mildam save kitchen 7 -o photo.png", "Whole, or not at all.")]
) { action in
    guard let number = UInt64(action.invocation.operand("NUMBER")) else {
        throw action.wrong("NUMBER", "a message's number")
    }
    let messenger = try await action.messenger()
    let path: String
    if let output = action.invocation.value("output") {
        path = output
    } else {
        path = try await messenger.attachmentName(number, of: action.room)
    }
    guard action.invocation.flag("force") || !WholeFile.isTaken(path) else {
        throw SystemError("save: choose another name with --output, or --force:", path, code: EEXIST)
    }
    let progress = Progress("saving \(path)", console: action.console)
    try await messenger.saveAttachment(number, of: action.room, to: path, replacing: action.invocation.flag("force")) {
        progress.update(to: Int64($0), of: Int64($1))
    }
    progress.finish()
    return try action.report.answer(["saved": path]) { "saved \(shown(path))" }
}
