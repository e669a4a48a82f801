import MildamRelay
import MildamTerminal

/// What the program can do.
let relayTable = CommandTable(
    program: "mildam-relay",
    version: RelayServer.version,
    date: "2026-11-21",
    summary: "The relay of Mildam: carries rooms that it cannot read.",
    groups: [.init("user", summary: "The accounts, for whoever runs the relay.")],
    commands: [
        CommandSpec(
            ["serve"],
            summary: "Serve accounts, rooms and files until SIGTERM or SIGINT.",
            discussion: """
                Prints one line on standard output once it listens: "listening on URL  relay ID". What happens after \
                that is told on standard error, one line an event, without content, handles or tokens.

                Without a certificate it serves plain HTTP, on loopback addresses only.
                """,
            options: [
                dataOption,
                OptionSpec(
                    "listen",
                    value: .init("ADDRESS:PORT"),
                    help: "Where to listen; port 0 takes a free one; default 127.0.0.1:8443."
                ),
                OptionSpec(
                    "certificate",
                    value: .init("FILE", completion: .file),
                    help: "The certificate and those that lead to its authority, PEM."
                ),
                OptionSpec("key", value: .init("FILE", completion: .file), help: "The certificate's private key, PEM."),
                OptionSpec(
                    "public-url",
                    value: .init("URL"),
                    help:
                        "Under which address people reach it: https://chat.example.org. What a client proves to have its "
                        + "key for is held against this. Needed where others than this machine do.",
                    isRepeatable: true
                ),
                OptionSpec(
                    "behind-proxy",
                    help: "Take a client's address from the X-Forwarded-For of a proxy on this machine."
                ),
                OptionSpec(
                    "keep-days",
                    value: .init("DAYS"),
                    help: "Drop messages and files this many days after they came; otherwise they are kept. "
                        + "A device that slept longer has to be invited again."
                ),
                OptionSpec(
                    "room-quota",
                    value: .init("SIZE"),
                    help: "What the messages of a room may take, as 500M or 4G (the default)."
                ),
                OptionSpec(
                    "account-quota",
                    value: .init("SIZE"),
                    help: "What the files of an account may take; default 64G."
                ),
                OptionSpec(
                    "no-rate-limits",
                    help:
                        "Hold no request back, however many come: for measuring, and for relays that no stranger reaches."
                ),
                OptionSpec(
                    "log",
                    value: .init("FORM", completion: .choices(["text", "json"])),
                    help: "How standard error is written: text, the default on a terminal, or json, a line an event."
                ),
                OptionSpec(
                    "log-requests",
                    help: "Log every request, not only those in which the relay failed: when, which route, what status."
                ),
                OptionSpec(
                    "plain-anywhere",
                    help: "Serve plain HTTP on any address: only behind a proxy that ends TLS."
                ),
            ],
            examples: [
                .init("mildam-relay serve --data /srv/mildam", "Serve plain HTTP on this machine alone."),
                .init(
                    "mildam-relay serve --listen 0.0.0.0:443 --public-url https://chat.example.org --certificate chain.pem --key key.pem",
                    "Serve TLS 1.3 to everyone."
                ),
            ],
            exitNotes: [
                .init(.done, "It was told to stop, and everything is on the disk."),
                .init(.refused, "Another relay has the data folder, or plain HTTP would leave the machine."),
            ]
        )
    ] + userCommands
)
