import MildamTerminal

let authorityOption = OptionSpec(
    "authority",
    value: .init("FILE", completion: .file),
    help: "Trust the certificate authorities in this PEM file for the relay, and no others."
)
