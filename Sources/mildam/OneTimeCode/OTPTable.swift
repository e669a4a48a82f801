import MildamOneTimeCode
import MildamTerminal

private let opening = KeychainOpening.all
private let nameOperand = Operand("NAME", help: "The token: its account or issuer, or a part that only one has.")

/// `mildam otp …`.
let otpCommands = [
    CommandSpec(
        ["otp", "add"],
        summary: "Keep a token for one-time codes.",
        discussion: """
            The token comes from standard input, or is asked for: an otpauth:// URI, or an export of Google Authenticator. \
            With --qr it comes from a picture, which a program without any secret reads.
            """,
        options: [
            OptionSpec("qr", value: .init("IMAGE", completion: .file), help: "Read the QR code in a PNG or JPEG image.")
        ] + opening,
        examples: [.init("mildam otp add --qr screenshot.png", "From a picture.")],
        exitNotes: [.init(.notFound, "there is no QR code in the image")]
    ),
    CommandSpec(
        ["otp", "list"],
        summary: "List the tokens.",
        options: opening,
        examples: [.init("mildam otp list", "By name.")]
    ),
    CommandSpec(
        ["otp", "code"],
        summary: "Print a code, and how long it stands.",
        discussion: """
            The code of a token that is kept or, with --uri, of one that is not. Other programs of this user see the \
            arguments of this one while it runs, and shells keep them: give - to have the URI read from standard input.

            With --copy the code goes to the clipboard, by wl-copy, xclip or xsel, or by the terminal itself (OSC 52). The \
            command then waits, and clears the clipboard if the code is still in it; a terminal does not tell, and its \
            clipboard is cleared in any case. wl-copy has the code in a file of its own in /tmp meanwhile, and a program that \
            keeps a history of the clipboard keeps the code.
            """,
        operands: [
            Operand("NAME", help: "The token: its account or issuer, or a part that only one has.", arity: .optional)
        ],
        options: [
            OptionSpec(
                "uri",
                value: .init("URI"),
                help: "A token that is not kept: an otpauth:// URI, or - to read it."
            ),
            OptionSpec("at", value: .init("UNIXTIME"), help: "The code of another moment, in seconds since 1970."),
            OptionSpec("copy", help: "Copy the code to the clipboard, and show it nowhere."),
            OptionSpec(
                "clear-after",
                value: .init("SECONDS"),
                help: "Clear the clipboard after so many seconds; 45 unless given. Ctrl-C clears it at once."
            ),
        ] + opening,
        examples: [
            .init("mildam otp code example.org", "With the seconds for which it stands."),
            .init("mildam otp code example.org --copy", "To paste it within 45 seconds."),
            .init("mildam otp code --uri - < uri.txt", "Nothing is kept."),
        ],
        exitNotes: [.init(.notFound, "there is no such token"), .init(.refused, "there is no clipboard")]
    ),
    CommandSpec(
        ["otp", "import"],
        summary: "Keep the tokens of another program's export.",
        discussion: """
            Aegis, 2FAS, andOTP and ente, encrypted or not, Google Authenticator, lists of otpauth:// URIs, and JSON arrays of \
            tokens. Each row that is none is named; the others are kept.
            """,
        operands: [Operand("FILE", help: "The export; - for standard input.", completion: .file)],
        options: [
            OptionSpec(
                "format",
                value: .init("FORMAT", completion: .choices(ImportFormat.allCases.map(\.rawValue))),
                help: "What it is, where it cannot be told from the file."
            ),
            OptionSpec(
                "map",
                value: .init("FIELDS"),
                help: "What a JSON array calls its fields: secret=k,issuer=from,encoding=base64."
            ),
            OptionSpec("password-file", value: .init("FILE", completion: .file), help: "What opens the export."),
        ] + opening,
        examples: [.init("mildam otp import aegis-export.json", "What it is, is found out.")],
        exitNotes: [.init(.failed, "a row is no token; each is named"), .init(.wrongSecret, "the password is wrong")]
    ),
    CommandSpec(
        ["otp", "export"],
        summary: "Print the tokens with their secrets.",
        discussion: "As otpauth:// URIs, or for Google Authenticator. Whoever reads it can make the codes.",
        options: [
            OptionSpec("google", help: "As otpauth-migration:// URIs, of ten tokens each."),
            OptionSpec("reveal", help: "Also on a terminal."),
        ] + opening,
        examples: [.init("mildam otp export | age -r age1… > tokens.age", "Never in clear on a disk.")]
    ),
    CommandSpec(
        ["otp", "qr"],
        summary: "Show a token as a QR code.",
        discussion: "Whoever sees it can make the codes.",
        operands: [nameOperand],
        options: [
            OptionSpec("png", help: "Write a PNG image to standard output.")
        ] + opening,
        examples: [.init("mildam otp qr example.org", "To take it to another device.")]
    ),
    CommandSpec(
        ["otp", "remove"],
        summary: "Remove a token.",
        operands: [nameOperand],
        options: opening,
        examples: [.init("mildam otp remove example.org", "For good.")]
    ),
]
