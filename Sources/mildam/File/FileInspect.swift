import MildamFiles
import MildamSystem
import MildamTerminal

let fileInspect = ActionCommand(
    ["file", "inspect"],
    summary: "Say what a file is, without a key.",
    discussion: """
        By what it begins with, and says why. Where the name says something else, as of a picture that is called \
        .pdf, it says that, too.
        """,
    operands: [Operand("FILE", help: "The file.", arity: .many, completion: .file)],
    examples: [
        .init(
            "mildam file inspect backup.bin",
            "What it is, why, for whom, and of a binary file how large its content is."
        )
    ]
) { action in
    var answers: [InspectionAnswer] = []
    var failures: [InspectionFailure] = []
    for path in action.invocation.operands("FILE") {
        do throws(SystemError) {
            let input = try FileInput(path)
            answers.append(InspectionAnswer(path, try FileInspection(input.source, name: input.name)))
        } catch {
            failures.append(InspectionFailure(path: path, error: error))
            action.report.note("\(error)")
        }
    }
    let status = ExitStatus.of(failures.map(\.status))
    guard action.report.isJSON || !answers.isEmpty else { return status }
    try action.report.answer(InspectionAnswers(files: answers, failed: failures)) {
        answers.map(\.text).joined(separator: "\n")
    }
    return status
}

private struct InspectionAnswers: Encodable {
    var files: [InspectionAnswer]
    var failed: [InspectionFailure]
}

private struct InspectionFailure: Encodable {
    var path: String
    var error: String
    let status: ExitStatus

    init(path: String, error: SystemError) {
        self.path = path
        (self.error, status) = ("\(error)", error.exitStatus)
    }

    private enum CodingKeys: CodingKey {
        case path, error
    }
}

/// What is said of a file.
private struct InspectionAnswer: Encodable {
    var path: String
    var kind: String
    var mediaType: String?
    var evidence: String
    var recipients: [String]?
    var workFactor: Int?
    var contentSize: Int?
    var defect: String?
    var contradiction: String?

    init(_ path: String, _ inspection: FileInspection) {
        self.path = path
        kind =
            switch inspection.kind {
            case .age: "age"
            case .armoredAge: "age, armored"
            case .rnCryptor(let version, let hasPassword):
                "RNCryptor, version \(version.rawValue), \(hasPassword ? "with a password" : "with keys")"
            case .other: inspection.mediaType ?? ContentType.unknown
            }
        mediaType = inspection.mediaType
        evidence = inspection.evidence
        recipients = inspection.recipients.isEmpty ? nil : inspection.recipients
        workFactor = inspection.workFactor
        contentSize = inspection.contentSize
        defect = inspection.defect
        contradiction = inspection.contradiction
    }

    /// One fact a line, under the file's name.
    var text: String {
        var lines = ["\(shown(path)): \(kind)", "  because    \(evidence)"]
        if let recipients { lines.append("  for        \(shown(recipients.joined(separator: ", ")))") }
        if let workFactor {
            lines.append("  opening    takes \(ByteCount.text(1 << Int64(min(max(workFactor, 0), 40) + 10))) of memory")
        }
        if let contentSize { lines.append("  content    \(ByteCount.text(Int64(contentSize)))") }
        if let defect { lines.append("  damaged    \(shown(defect))") }
        if let contradiction { lines.append("  but        \(shown(contradiction))") }
        return lines.joined(separator: "\n")
    }
}
