@testable import MildamTerminal

/// A table with everything a table can have, and with every character that some shell or format gives a meaning.
let sample = CommandTable(
    program: "mildam",
    version: "0.1.0",
    date: "2026-11-21",
    summary: "talk in confidence",
    discussion: "Rooms on a relay that cannot read them.\n\n.dots and 'quotes' begin lines; \\back\\slashes stay. 밀담.",
    globalOptions: [
        OptionSpec("profile", short: "p", value: .init("NAME"), help: "Act as this profile."),
        OptionSpec("json", help: "Print one JSON object."),
        OptionSpec(
            "colour",
            value: .init("WHEN", completion: .choices(["auto", "always", "never"])),
            help: "Use colours."
        ),
    ],
    groups: [.init("room", summary: "make rooms: and [enter] them")],
    shortcuts: ["enter": ["room", "create"]],
    environment: [.init("MILDAM_HOME", "Where 'profiles' lie.")],
    files: [.init("~/.local/share/mildam", "A profile | its keys.")],
    commands: [
        CommandSpec(
            ["room", "create"],
            summary: "make a room",
            discussion: "The relay's name for it is a number.\nIt's `yours`: \"keep\" it ~ $HOME ^ | * _x_ <b>.",
            operands: [Operand("NAME", help: "What the room's members call it.")],
            examples: [.init("mildam room create \"Tea & 'cake'\"", "Makes a room and prints its id.")],
            exitNotes: [.init(.refused, "The relay takes no more rooms.")]
        ),
        CommandSpec(
            ["room", "invite"],
            summary: "ask people in",
            operands: [
                Operand("ROOM", help: "The room."),
                Operand("HANDLE", help: "Whom: [a-z], e.g. a|b.", arity: .many),
            ],
            examples: [.init("mildam room invite tea kim lee", "Asks two people into the room.")]
        ),
        CommandSpec(
            ["send"],
            summary: "say something in a room",
            operands: [
                Operand("ROOM", help: "The room.", completion: .names("room")),
                Operand("TEXT", help: "What to say; standard input if it is left out.", arity: .optional),
            ],
            options: [
                OptionSpec(
                    "file",
                    short: "f",
                    value: .init("FILE", completion: .file),
                    help: "Send a file: it's \\encrypted.",
                    isRepeatable: true
                ),
                OptionSpec("quiet", short: "q", help: "Print nothing."),
                OptionSpec("verbose", short: "v", help: "Say more [each time].", isRepeatable: true),
            ],
            examples: [
                .init("mildam send tea 'Hello \\o/'", "Sends a line."),
                .init("mildam send tea --file photo.png", "Sends a picture."),
            ],
            exitNotes: [.init(.notFound, "There is no such room."), .init(.unreachable, "It's kept for later.")]
        ),
        CommandSpec(
            ["open"],
            summary: "open a file",
            operands: [Operand("FILE", help: "A file.", arity: .many, completion: .file)],
            options: [
                OptionSpec("to", short: "o", value: .init("FOLDER", completion: .folder), help: "Where it goes.")
            ],
            examples: [.init("mildam open --to out a.age b.age", "Opens two files.")]
        ),
    ]
)
