/// What a program can do, as data.
///
/// Parsing, `--help`, completions for three shells, the manual and the reference page all come from this one table, so
/// that they cannot disagree.
public struct CommandTable: Sendable, Equatable {
    /// Commands that share their first word.
    public struct Group: Sendable, Equatable {
        /// The word.
        public let name: String
        /// What the commands are about, in one line.
        public let summary: String
        /// The program that the commands are handed over to, where that is another; it has the manual pages, too.
        public let program: String?

        /// Makes a group.
        public init(_ name: String, summary: String, program: String? = nil) {
            self.name = name
            self.summary = summary
            self.program = program
        }
    }

    /// Something outside the program that it goes by: a variable of the environment, or a file.
    public struct Surrounding: Sendable, Equatable {
        /// What it is called.
        public let name: String
        /// What it is for, in one line.
        public let help: String

        /// Makes one.
        public init(_ name: String, _ help: String) {
            self.name = name
            self.help = help
        }
    }

    /// The program's name, as it is typed.
    public let program: String
    /// The version, without the program's name.
    public let version: String
    /// The day of the version, as the manual shows it: "2026-11-21".
    public let date: String
    /// What the program does, in one line.
    public let summary: String
    /// What else there is to know; paragraphs are parted by a blank line.
    public let discussion: String
    /// Options that every command has. They may stand before the command, too.
    public let globalOptions: [OptionSpec]
    /// The first words that several commands share.
    public let groups: [Group]
    /// Words that stand for a command of a group: "encrypt" for `file encrypt`.
    public let shortcuts: [String: [String]]
    /// The variables of the environment that the program goes by.
    public let environment: [Surrounding]
    /// The files that the program reads and writes by itself.
    public let files: [Surrounding]
    /// The commands, in the order in which they are listed.
    public internal(set) var commands: [CommandSpec]

    /// Makes a table; `problems` says whether it is a consistent one.
    public init(
        program: String,
        version: String,
        date: String,
        summary: String,
        discussion: String = "",
        globalOptions: [OptionSpec] = [],
        groups: [Group] = [],
        shortcuts: [String: [String]] = [:],
        environment: [Surrounding] = [],
        files: [Surrounding] = [],
        commands: [CommandSpec]
    ) {
        self.program = program
        self.version = version
        self.date = date
        self.summary = summary
        self.discussion = discussion
        self.globalOptions = globalOptions
        self.groups = groups
        self.shortcuts = shortcuts
        self.environment = environment
        self.files = files
        self.commands = commands
    }

    /// The line that `--version` prints.
    public var versionLine: String { "\(program) \(version)" }

    /// The command with exactly these words.
    func command(at path: [String]) -> CommandSpec? {
        commands.first { $0.path == path }
    }

    /// The commands whose words start with these.
    func commands(under path: [String]) -> [CommandSpec] {
        commands.filter { $0.path.starts(with: path) }
    }

    /// The words that may follow these, in the table's order.
    func words(after path: [String]) -> [String] {
        var words: [String] = []
        for command in commands(under: path) where command.path.count > path.count {
            let word = command.path[path.count]
            if !words.contains(word) { words.append(word) }
        }
        return words
    }

    /// Every way to begin a command: the program itself, each group, and each command.
    var paths: [[String]] {
        var paths: [[String]] = [[]]
        for command in commands {
            for length in 1...max(1, command.path.count) {
                let path = Array(command.path.prefix(length))
                if !paths.contains(path) { paths.append(path) }
            }
        }
        return paths
    }

    /// What a group, a command or the program does, in one line.
    func summary(of path: [String]) -> String {
        if path.isEmpty { return summary }
        if let command = command(at: path) { return command.summary }
        return groups.first { [$0.name] == path }?.summary ?? ""
    }

    /// The options that are understood at `path`: the command's own, those of every command, `--help` and `--version`.
    func options(at path: [String]) -> [OptionSpec] {
        (command(at: path)?.options ?? []) + sharedOptions(at: path) + (path.isEmpty ? [.version] : [])
    }

    /// The options of every command, as they are written at `path`: where a letter is the command's own, without it.
    func sharedOptions(at path: [String]) -> [OptionSpec] {
        let letters = command(at: path)?.options.compactMap(\.short) ?? []
        return globalOptions.map { option in
            option.short.map(letters.contains) == true ? option.withoutShort : option
        } + [.help]
    }

    /// "mildam room create", for messages and headings.
    func fullName(of path: [String]) -> String {
        ([program] + path).joined(separator: " ")
    }

    /// "mildam room create [OPTION]... NAME".
    func usage(of path: [String]) -> String {
        let tail = command(at: path).map { $0.operands.map(\.usage) } ?? ["COMMAND"]
        return ([fullName(of: path), "[OPTION]..."] + tail).joined(separator: " ")
    }
}
