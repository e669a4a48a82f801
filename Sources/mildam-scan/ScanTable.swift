import MildamScan
import MildamSystem
import MildamTerminal

/// What the program can do.
let scanTable = CommandTable(
    program: "mildam-scan",
    version: Version.text,
    date: Version.date,
    summary: "Reads the QR codes in a PNG or JPEG image.",
    discussion: """
        Images from strangers are read in a process of their own, which gives up every right but to read its input and \
        write its output before it takes the first byte. Mildam starts it where a command takes an image.
        """,
    commands: [
        CommandSpec(
            ["read"],
            summary: "Print the text of each QR code in the image on standard input.",
            discussion: """
                Each text is a line. A text may have line breaks in it; --null and --json tell such texts apart. On a \
                terminal, what would act on it is shown and not done.

                An image may have \(Scan.fileLimit >> 20) MiB, \(Scan.pixelLimit >> 20) million pixels, and \
                \(Scan.sideLimit) pixels on a side. A damaged image is not read in part.
                """,
            options: [
                OptionSpec(
                    "json",
                    help: "Print one object: \"codes\", each with its \"text\", or \"base64\" if it is none."
                ),
                OptionSpec("null", short: "0", help: "End each text with a null character in place of a line break."),
            ],
            examples: [
                .init("mildam-scan read < screenshot.png", "Print what the codes in a screenshot say, a line each."),
                .init("mildam-scan read --json < photo.jpg", "The same as JSON."),
            ],
            exitNotes: [
                .init(.done, "There was a code; every code that could be read is printed."),
                .init(.notFound, "There is no QR code in the image that could be read."),
                .init(.damaged, "The image is damaged."),
                .init(.refused, "The image is of another format, or too large."),
            ]
        )
    ]
)
