import MildamTerminal

let passphraseOption = OptionSpec(
    "passphrase-fd",
    value: .init("N"),
    help:
        "Take the passphrase from the first line of descriptor N, in place of asking; MILDAM_PASSPHRASE holds one, too."
)
