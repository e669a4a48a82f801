import MildamCrypto
import MildamFiles
import MildamSystem
import MildamTerminal

extension Action {
    func generateKey() throws {
        let target = try FileTarget(invocation)
        let identity = AgeX25519Identity()
        let text = AgeKeyFile.text(of: identity, created: WallClock.system.seconds)
        guard let path = target.path else {
            try console.write(text.span)
            if !console.isTerminal() { console.complain("recipient: \(identity.recipient)") }
            return
        }
        try target.write(text.span)
        try report.answer(["identity": path, "recipient": "\(identity.recipient)"]) { "\(identity.recipient)" }
    }
}
