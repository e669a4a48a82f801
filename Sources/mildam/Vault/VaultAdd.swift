import Glibc
import MildamSystem
import MildamTerminal
import MildamVault

let vaultAdd = ActionCommand(
    ["vault", "add"],
    summary: "Add files and folders, or standard input.",
    discussion: """
        Each file is encrypted under a key of its own. What has been reported as added is on the disk. Links, devices \
        and sockets are refused, and hold up nothing else.

        A second `add` takes what is new, and passes over what is the same. What has changed takes the place of what \
        had its name; that becomes a former version, which `mildam vault restore` brings back. A content is stored once, \
        however many names it has. Of two files that would have one name, the first gets it, and the other is refused \
        unless its content is the same.
        """,
    operands: [Operand("PATH", help: "A file or folder; - for standard input.", arity: .many, completion: .file)],
    options: [
        OptionSpec(
            "as",
            value: .init("NAME"),
            help: "What to call it: the name of a single file, or the folder that several go into."
        ),
        OptionSpec("tag", value: .init("TAG"), help: "Tag what is added.", isRepeatable: true),
        OptionSpec("verbose", short: "v", help: "Name each file when it is on the disk."),
        OptionSpec("no-replace", help: "Refuse what has changed, and leave the vault's as it is."),
        OptionSpec("checksum", help: "Read files, too, that have the size and time of what the vault has."),
        OptionSpec("keep-doubles", help: "Does nothing any more: every name is kept, and a content is stored once."),
        vaultOption,
    ],
    examples: [
        .init("mildam vault add letter.txt photos", "A file, and everything in a folder."),
        .init("mildam vault add photos", "Once more: what is new and what has changed since."),
        .init("pg_dump house | mildam vault add - --as house.sql", "From a pipe."),
    ],
    exitNotes: [
        .init(.failed, "things were not added for several reasons; each is named"),
        .init(.notFound, "what was to be added is not there"),
        .init(.refused, "it is no regular file; or it has changed, and --no-replace is given"),
    ]
) { action in
    let paths = action.invocation.operands("PATH")
    let name = try action.invocation.value("as").map { try VaultName($0) }
    let vault = try await action.openVault(changing: true)
    var refusals: [AdditionAnswer.Refusal] = []
    var statuses: [ExitStatus] = []
    var sources: [VaultSource] = []
    for path in paths {
        guard path != "-" else {
            guard paths.count == 1 else {
                throw action.wrong("PATH", "- alone: --as names what standard input gives")
            }
            sources.append(try action.standardInput(name))
            continue
        }
        let walk = FolderWalk(path, as: name, isAlone: paths.count == 1, around: vault.folder)
        sources += walk.sources
        refusals += walk.refusals.map { .init(path: $0.path, error: "\($0.error)") }
        for refusal in walk.refusals { action.report.note(refusal.text) }
        statuses += walk.refusals.map(\.error.exitStatus)
    }
    var done: [AdditionOutcome: [String]] = [:]
    var rule = AdditionRule()
    rule.replacing = !action.invocation.flag("no-replace")
    rule.readingAll = action.invocation.flag("checksum")
    let isVerbose = action.invocation.flag("verbose") && !action.report.isJSON
    let tags = action.invocation.values("tag")
    try action.following("adding") { monitor in
        try vault.add(sources, rule: rule, tags: tags, monitor: monitor) { addition in
            switch addition.result {
            case .success(let entry):
                let (outcome, name) = (addition.outcome ?? .stored, entry.name.description)
                done[outcome, default: []].append(name)
                if isVerbose, outcome != .unchanged {
                    try? action.console.print("\(outcome == .replaced ? "changed" : "added") \(shown(name))")
                }
            case .failure(let error):
                refusals.append(.init(path: addition.source.path, error: "\(error)"))
                statuses.append(error.exitStatus)
                action.report.note("\(error)")
            }
        }
    }
    let answer = AdditionAnswer(done, refused: refusals)
    try action.report.answer(answer) { answer.text }
    return .of(statuses)
}

extension Action {
    fileprivate func standardInput(_ name: VaultName?) throws -> VaultSource {
        guard let name else {
            throw misuse(.missingOption("--as", placeholder: "NAME"))
        }
        try claimStandardInput()
        let input = try FileInput("-")
        return VaultSource(input.source, path: input.label, name: name)
    }
}

private struct AdditionAnswer: Encodable {
    struct Refusal: Encodable {
        var path: String
        var error: String
    }
    /// Names that are new.
    var added: [String]
    /// Those of them whose content was there already.
    var shared: [String]
    /// Names whose content has changed.
    var replaced: [String]
    /// How many were passed over.
    var unchanged: Int
    var refused: [Refusal]

    init(_ done: [AdditionOutcome: [String]], refused: [Refusal]) {
        shared = done[.shared] ?? []
        added = (done[.stored] ?? []) + shared
        replaced = done[.replaced] ?? []
        unchanged = done[.unchanged]?.count ?? 0
        self.refused = refused
    }

    /// "added 3, 1 of them with content that was there, 2 changed, 5 as before, 1 not".
    var text: String {
        var parts = ["added \(added.count)"]
        if !shared.isEmpty { parts.append("\(shared.count) of them with content that was there") }
        if !replaced.isEmpty { parts.append("\(replaced.count) changed") }
        if unchanged > 0 { parts.append("\(unchanged) as before") }
        if !refused.isEmpty { parts.append("\(refused.count) not") }
        return parts.joined(separator: ", ")
    }
}

/// The files at a path: the one, or all in the folder, by name. Links are not followed, and the vault is passed over.
private struct FolderWalk {
    private(set) var sources: [VaultSource] = []
    private(set) var refusals: [Refusal] = []
    private let vault: FileIdentity?

    /// What cannot be added, and why not.
    struct Refusal {
        let path: String
        let error: VaultError

        /// One line that names the path.
        var text: String {
            if case .invalidName = error { "\(path): \(error)" } else { "\(error)" }
        }
    }

    /// - Parameters:
    ///   - name: what the file is to be called, or the folder that it goes into.
    ///   - isAlone: whether nothing else is added.
    ///   - vault: the vault's folder.
    init(_ path: String, as name: VaultName?, isAlone: Bool, around vault: String) {
        self.vault = FileIdentity(vault)
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let own = path.split(separator: "/").last.map(String.init) ?? ""
        let isNamed = name != nil && isAlone && !Folder.isFolder(path)
        walk(path) { () throws(VaultError) in
            guard let name else { return try VaultName(own) }
            return isNamed || own == "." ? name : try name.appending(own)
        }
    }

    private mutating func walk(_ path: String, _ name: () throws(VaultError) -> VaultName) {
        do throws(VaultError) {
            let name = try name()
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { throw .io(.last("look at", path)) }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                sources.append(VaultSource(path: path, name: name, size: Int(status.st_size)))
                return
            }
            if let vault, FileIdentity(path) == vault { throw .notAFile(path, .own) }
            for part in try entries(of: path).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                walk("\(path)/\(String(decoding: part, as: UTF8.self))") { () throws(VaultError) in
                    try name.appending(try VaultName(bytes: part).description)
                }
            }
        } catch {
            refusals.append(Refusal(path: path, error: error))
        }
    }

    private func entries(of path: String) throws(VaultError) -> [[UInt8]] {
        do throws(SystemError) { return try Folder.entries(of: path) } catch { throw .io(error) }
    }
}
