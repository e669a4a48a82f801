/// How words lead to commands: the table's own, others' for them, and shortcuts.
extension CommandTable {
    /// The path that words name.
    ///
    /// - Throws: `UsageError` where there is nothing of this name.
    func path(of words: [String]) throws(UsageError) -> [String] {
        var path: [String] = []
        for word in words { path += try self.words(for: word, after: path) }
        return path
    }

    /// The table's words that a word stands for behind a path: itself, a shortcut's, or ours for another program's.
    ///
    /// - Throws: `UsageError` where it stands for none.
    func words(for word: String, after path: [String]) throws(UsageError) -> [String] {
        let words = words(after: path)
        if words.contains(word) { return [word] }
        if path.isEmpty, let shortcut = shortcuts[word] { return shortcut }
        if let ours = ours(for: word, after: path) { return [ours] }
        let candidates = path.isEmpty ? candidates(for: word) : []
        throw UsageError(
            .unknownCommand(word),
            suggestion: candidates.isEmpty ? EditDistance.suggestion(for: word, among: words) : nil,
            candidates: candidates,
            command: fullName(of: path)
        )
    }

    /// What else leads to a command: "mildam vault ls" to `vault list`.
    func otherNames(of command: CommandSpec) -> [String] {
        guard let last = command.path.last else { return [] }
        let group = Array(command.path.dropLast())
        let words = words(after: group)
        let foreign = ForeignWords.all.filter { !words.contains($0) && ours(for: $0, after: group) == last }
        let short = shortcuts.filter { $0.value == command.path }.keys.sorted()
        return short.map { fullName(of: [$0]) } + foreign.map { fullName(of: group + [$0]) }
    }

    /// Ours for another program's word. A first word that groups have is none of another program's.
    private func ours(for word: String, after path: [String]) -> String? {
        let isInGroups = commands.contains { $0.path.count > 1 && $0.path.last == word }
        guard !path.isEmpty || !isInGroups else { return nil }
        return ForeignWords.ours(for: word).first(where: words(after: path).contains)
    }

    /// The commands of groups that a first word may have meant.
    private func candidates(for word: String) -> [String] {
        let ours = [word] + ForeignWords.ours(for: word)
        return commands.filter { $0.path.count > 1 && ours.contains($0.path[$0.path.count - 1]) }.map(\.name)
    }
}
