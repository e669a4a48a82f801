import MildamCrypto
import MildamFiles
import MildamTerminal

extension Action {
    /// How age's plugins speak with whoever sits at the terminal.
    var pluginInteraction: AgePluginInteraction {
        let console = console
        return AgePluginInteraction(
            show: { message in
                console.complain(shown(message))
                return true
            },
            confirm: { message, yes, no in
                let choice = no.map { "\(yes), not \($0)" } ?? yes
                return try? Prompt().confirm("\(message): \(choice)?", option: "a terminal")
            },
            askPublic: { message in
                try? Prompt().password("\(message): ", option: "a terminal") { answer in
                    String(decoding: (0..<answer.count).map { answer[$0] }, as: UTF8.self)
                }
            },
            askSecret: { message in
                try? Prompt().password("\(message): ", option: "a terminal") { SecretBytes(copying: $0) }
            }
        )
    }
}
