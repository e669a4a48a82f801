import MildamFiles
import MildamSystem
import MildamTerminal

extension Action {
    func convertFile() throws {
        // What is out could not be taken back when the old file turns out to be damaged.
        guard outputPath != nil else {
            throw UsageError(.missingOption("--output", placeholder: "FILE"), command: invocation.fullName)
        }
        guard let path = try FileTarget(invocation).path else {
            throw UsageError(
                .invalidValue(
                    name: "--output",
                    expected: "a file: what a device or a pipe got could not be taken back"
                ),
                command: invocation.fullName
            )
        }
        let input = try FileInput(invocation.optionalOperand("INPUT"))
        let format = try format(of: input)
        let recipients = try keyRecipients()
        let opening = try opening(of: input, as: format)
        var file = try NewFile(for: path)
        let (opened, size) = try following("converting \(input.label)") { monitor in
            let content = try FilePipe { target in try InputError.naming(input.label) { try opening(target, monitor) } }
            let made = try AgeFile.encrypt(
                content.source,
                to: FileTarget(file.descriptor),
                recipients: recipients,
                armored: invocation.flag("armor")
            )
            return (try content.outcome(), made.size)
        }
        try file.publish(replacing: invocation.flag("force"))
        if let warning = opened.warning { console.complain("mildam: \(warning)") }
        let answer = ConversionAnswer(
            output: path,
            from: format.rawValue,
            authenticated: opened.isAuthenticated,
            size: size
        )
        try report.answer(answer) { "converted to \(shown(path)), \(ByteCount.text(Int64(size)))" }
    }

    private struct ConversionAnswer: Encodable {
        var output: String
        var from: String
        var authenticated: Bool
        var size: Int
    }
}
