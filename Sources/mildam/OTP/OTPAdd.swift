import Glibc
import MildamOneTimeCode
import MildamSystem
import MildamTerminal

let otpAdd = ActionCommand(
    ["otp", "add"],
    summary: "Keep a token for one-time codes.",
    discussion: """
        The token comes from standard input, or is asked for: an otpauth:// URI, an export of Google Authenticator, or \
        the secret alone, in base32, as sites show it beside the picture. A secret has no name: --issuer and --account \
        give one, or it is asked for. With --qr the token comes from a picture, which a program without any secret \
        reads.
        """,
    options: [
        OptionSpec("qr", value: .init("IMAGE", completion: .file), help: "Read the QR code in a PNG or JPEG image.")
    ] + TokenNaming.options + SecretOption.token.options + KeychainOpening.all,
    examples: [
        .init("mildam otp add --qr screenshot.png", "From a picture."),
        .init("mildam otp add --issuer ACME --account bob", "A secret that is asked for, under this name."),
    ],
    exitNotes: [.init(.notFound, "there is no QR code in the image")]
) { action in
    try await action.keep(try action.newTokens())
}

extension Action {
    /// From a picture, from where the command line says, from standard input or, where that is a terminal, from whoever sits
    /// there.
    fileprivate func newTokens() throws -> [TokenImport.Row] {
        if let path = invocation.value("qr") { return try scannedTokens(path) }
        guard let source = try sourceOrInput(of: .token) else {
            let typed = try secret(.token, "otpauth:// URI, or secret")
            return try namedTokens(typed.span)
        }
        let limit = 1 << 20
        guard let written = try content(of: source, limit: limit) else { throw ImportError.tooLarge(limit: limit) }
        return try namedTokens(written.span)
    }

    private func scannedTokens(_ path: String) throws -> [TokenImport.Row] {
        let image = try WholeFile.read(path, limit: ImageScanner.imageLimit)
        var lines = lines(of: try ImageScanner().texts(in: image.span))
        defer { lines.wipe() }
        guard !lines.isEmpty else { throw SystemError("find a QR code in", path, code: ENOENT) }
        return try namedTokens(lines.span)
    }

    /// Each text on a line of its own.
    private func lines(of texts: borrowing ScannedTexts) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(1 << 16)
        for index in 0..<texts.count {
            let text = texts.text(at: index)
            unsafe text.withUnsafeBytes { unsafe lines.append(contentsOf: $0) }
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }
}
