import MildamCrypto
import MildamFiles
import MildamSystem
import MildamTerminal

extension Action {
    func generateKey() throws {
        let target = try FileTarget(invocation)
        let identity = AgeX25519Identity()
        let text = AgeKeyFile.text(of: identity, created: WallClock.system.seconds)
        try target.write(text.span)
        guard let path = outputPath else {
            if !console.isTerminal() { console.complain("recipient: \(identity.recipient)") }
            return
        }
        try report.answer(["identity": path, "recipient": "\(identity.recipient)"]) { "\(identity.recipient)" }
    }
}
