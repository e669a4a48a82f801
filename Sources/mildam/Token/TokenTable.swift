import MildamTerminal
import MildamTokens

private let opening = KeychainOpening.all
private let nameOperand = Operand("NAME", help: "The sign-in, as `mildam token list` shows it.")
private let needed = CommandSpec.ExitNote(.refused, "the keychain is locked, or somebody has to sign in again")
private let away = CommandSpec.ExitNote(.unreachable, "the server cannot be reached")

private let serverOptions = [
    OptionSpec("issuer", value: .init("URL"), help: "The server; it says itself where its endpoints are (RFC 8414)."),
    OptionSpec(
        "token-endpoint",
        value: .init("URL"),
        help: "Where tokens are asked for, if not where the issuer says."
    ),
    OptionSpec("authorization-endpoint", value: .init("URL"), help: "Where a person signs in, likewise."),
    OptionSpec("device-endpoint", value: .init("URL"), help: "Where device codes are asked for, likewise."),
    OptionSpec("revocation-endpoint", value: .init("URL"), help: "Where tokens are given back, likewise."),
]

private let clientOptions = [
    OptionSpec("client-id", value: .init("ID"), help: "What the server calls this client."),
    OptionSpec(
        "client-secret-file",
        value: .init("FILE", completion: .file),
        help: "Take the client's secret from the first line of a file, or of standard input for \"-\"."
    ),
    OptionSpec(
        "client-auth",
        value: .init("WAY", completion: .choices(SignIn.ClientProof.allCases.map(\.rawValue))),
        help: "Show the client's secret in a header (basic, unless given) or in the form (post)."
    ),
    OptionSpec("scope", value: .init("SCOPE"), help: "What is asked for; words in one argument."),
]

private let wayOptions = [
    OptionSpec("device", help: "Sign in on another device, with a code that is shown (RFC 8628)."),
    OptionSpec("client-credentials", help: "The client is its own user; nobody signs in."),
    OptionSpec("no-browser", help: "Start no browser; print the address on standard error."),
    OptionSpec(
        "dpop",
        value: .init("WHERE", completion: .choices(SignIn.ProofKey.allCases.map(\.rawValue))),
        help: "Have the tokens bound to a key (RFC 9449), which the keychain keeps, or never leaves the TPM (enclave)."
    ),
]

/// `mildam token …`.
let tokenCommands = [
    CommandSpec(
        ["token", "login"],
        summary: "Sign in at an OAuth server.",
        discussion: """
            A browser shows the server's page and brings its answer back to this machine (authorization code with PKCE). The \
            tokens, the client's secret and how it was set up are kept in the profile's keychain, and in none of its \
            exports. From then on `mildam token get` and `exec` have a token at any time, and renew it as need be.

            Who signs in again under a NAME that is there needs no option; --issuer, --token-endpoint or --client-id set it \
            up anew.
            """,
        operands: [Operand("NAME", help: "What to call the sign-in: up to 64 characters without spaces.")],
        options: serverOptions + clientOptions + wayOptions + opening,
        examples: [
            .init("mildam token login work --issuer https://id.example.org --client-id cli", "In the browser."),
            .init("mildam token login work", "Again, when the server has ended it."),
            .init(
                "mildam token login tv --device --issuer https://example.org --client-id tv",
                "The code that it shows is typed in elsewhere."
            ),
        ],
        exitNotes: [
            .init(.wrongSecret, "the client's secret is wrong"), .init(.refused, "the server or the person said no"),
            away,
        ]
    ),
    CommandSpec(
        ["token", "status"],
        summary: "Show how a sign-in does, without its tokens.",
        discussion: "Nothing is asked of the server.",
        operands: [nameOperand],
        options: opening,
        examples: [.init("mildam token status work", "Until when the token is good, and for what.")],
        exitNotes: [.init(.notFound, "there is no such sign-in"), needed]
    ),
    CommandSpec(
        ["token", "get"],
        summary: "Print an access token that is good for a while.",
        discussion: """
            It is renewed first where it has run out, or soon will, once however many ask. Nothing is added to it but, on a \
            terminal, a line break; a terminal shows it only with --reveal. A token that is bound to a key (DPoP) is of no use without that key.
            """,
        operands: [nameOperand],
        options: [OptionSpec("reveal", help: "Also on a terminal.")] + opening,
        examples: [.init("mildam token get work | wl-copy", "Standard output is a program's best.")],
        exitNotes: [.init(.notFound, "there is no such sign-in"), needed, away]
    ),
    CommandSpec(
        ["token", "exec"],
        summary: "Run a command with a fresh access token in its environment.",
        discussion: """
            This program becomes the command: signals reach it, and its exit status is the command's. Other programs of \
            this user, and root, can read the environment of a command while it runs (/proc/PID/environ), and so can \
            whatever the command starts; its arguments everybody can read, so let the command take the token from the \
            environment, as curl does from its version 8.3 on: curl --variable %ACCESS_TOKEN --expand-header \
            'Authorization: Bearer {{ACCESS_TOKEN}}' URL. The token is not renewed while the command runs.
            """,
        operands: [
            nameOperand,
            Operand(
                "COMMAND",
                help: "The command and its arguments; behind --, as they may have options.",
                arity: .many
            ),
        ],
        options: [
            OptionSpec("env", value: .init("VARIABLE"), help: "The variable with the token; ACCESS_TOKEN unless given.")
        ] + opening,
        examples: [
            .init("mildam token exec work -- ./upload.sh", "The script finds it in $ACCESS_TOKEN.")
        ],
        exitNotes: [.init(.notFound, "there is no such sign-in, or no such command"), needed, away]
    ),
    CommandSpec(
        ["token", "revoke"],
        summary: "Have the server end a sign-in, and forget it.",
        discussion: "Where the server does not do it, nothing is forgotten; see `mildam token remove`.",
        operands: [nameOperand],
        options: opening,
        examples: [.init("mildam token revoke work", "Its tokens open nothing any more (RFC 7009).")],
        exitNotes: [.init(.notFound, "there is no such sign-in"), away]
    ),
    CommandSpec(
        ["token", "list"],
        summary: "List the sign-ins.",
        options: opening,
        examples: [.init("mildam token list --json", "Names and servers, for a program.")],
        exitNotes: [.init(.damaged, "what is kept of a sign-in is damaged; the others are listed")]
    ),
    CommandSpec(
        ["token", "remove"],
        summary: "Forget a sign-in here, and tell the server nothing.",
        discussion: "Its tokens stay good until they end by themselves: `mildam token revoke` is better.",
        operands: [nameOperand],
        options: opening,
        examples: [.init("mildam token remove work", "What was set up goes, too.")],
        exitNotes: [.init(.notFound, "there is no such sign-in")]
    ),
]
