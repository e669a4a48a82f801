import MildamFiles
import MildamTerminal

/// For whom something is encrypted.
let recipientOptions = [
    OptionSpec(
        "recipient",
        short: "r",
        value: .init("RECIPIENT"),
        help: "For whom: age1…, ssh-ed25519 … or ssh-rsa ….",
        isRepeatable: true
    ),
    OptionSpec(
        "recipients-file",
        short: "R",
        value: .init("FILE", completion: .file),
        help: "For everybody in this file, or in standard input as -.",
        isRepeatable: true
    ),
]

extension Action {
    /// Those whom `--recipient` and `--recipients-file` name.
    func keyRecipients() throws -> [any AgeRecipient] {
        let interaction = pluginInteraction
        var recipients: [any AgeRecipient] = []
        for text in invocation.values("recipient") {
            do throws(AgeKeyError) {
                recipients += try AgeKeyFile.recipients(in: Array(text.utf8).span, interaction: interaction)
            } catch .unusableLine(_, let defect) {
                throw wrong("--recipient", "age1…, ssh-ed25519 … or ssh-rsa …: \(defect.rawValue)")
            }
        }
        for path in invocation.values("recipients-file") {
            let path = try keyFile(path, of: "recipients-file")
            recipients += try KeyFileError.naming(path) { () throws(AgeKeyError) in
                try AgeKeyFile.recipients(at: path, interaction: interaction)
            }
        }
        guard !recipients.isEmpty else {
            throw misuse(.missingOption("--recipient", placeholder: "RECIPIENT"))
        }
        return recipients
    }
}
