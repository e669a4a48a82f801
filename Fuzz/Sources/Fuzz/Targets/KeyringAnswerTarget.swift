@testable import MildamKeychain

extension FuzzTarget {
    /// What mildam-keyring answers.
    static let keyringAnswer = FuzzTarget(
        name: "keyring-answer",
        source: .file,
        seeds: {
            var login = ImportedLogin(position: 1)
            (login.title, login.username, login.password) = ("A", "u", SecretValue(text: "p"))
            (login.realm, login.folder, login.addresses) = ("r", "Login", ["smb://nas/x"])
            login.fields = [.init("attributes", SecretValue(text: "zone=b"))]
            var logins = ImportedLogins()
            logins.rows = [.login(login), .refused(position: 2, name: "B", reason: .locked)]
            return [KeyringAnswer.logins(logins), .failure("no bus")].map { answer in
                unsafe answer.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
            }
        },
        take: { input in
            guard let answer = try? KeyringAnswer(input.span) else { return }
            let written = unsafe answer.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
            mustHold(written == input, "an answer is written as it was read")
            guard case .logins(let logins) = answer else { return }
            planted(logins.logins.contains { $0.addresses.isEmpty && $0.realm != nil })
            mustHold(logins.rows.count <= TransferLimits.rows, "there are no more rows than the limit says")
        }
    )
}
