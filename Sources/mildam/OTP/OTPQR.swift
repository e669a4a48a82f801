import Glibc
import MildamKeychain
import MildamOTP
import MildamOneTimeCode
import MildamTerminal

let otpQR = ActionCommand(
    ["otp", "qr"],
    summary: "Show a token as a QR code.",
    discussion: "Whoever sees it can make the codes.",
    operands: [tokenOperand],
    options: [
        OptionSpec("png", help: "Write a PNG image to standard output.")
    ] + KeychainOpening.all,
    examples: [.init("mildam otp qr example.org", "To take it to another device.")]
) { action in
    let token = try await action.tokens().find(action.invocation.operand("NAME")).token
    let code = try QRCode(text: token.uriBytes.span)
    if action.invocation.flag("png") {
        try action.writeOut(SecretValue(try code.png()))
    } else {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        try action.writeOut(
            isTerminal ? SecretValue(code.colouredTerminalText()) : SecretValue(code.plainTerminalText())
        )
    }
    return .done
}
