/// What other programs call what ours do. A command that has the word itself goes before.
enum ForeignWords {
    /// Others' words, and ours for them: the first that there is counts.
    private static let table: [(others: [String], ours: [String])] = [
        (["ls", "dir"], ["list"]),
        (["rm", "del", "delete", "remove", "erase"], ["remove", "delete", "drop"]),
        (["show", "view", "info"], ["show", "status", "get", "code"]),
        (["get", "cat"], ["get", "show", "code"]),
        (["mv", "rename"], ["move"]),
        (["insert", "put", "store", "add"], ["set", "add"]),
        (["new", "make", "init", "create"], ["create", "init", "add"]),
        (["find", "grep"], ["search"]),
        (["check", "fsck"], ["verify"]),
        (["completions"], ["completion"]),
        (["man"], ["manual"]),
    ]

    /// Every word of others.
    static let all: [String] = table.flatMap(\.others)

    /// Ours for a word, the likeliest first.
    static func ours(for word: String) -> [String] {
        table.first { $0.others.contains(word) }?.ours ?? []
    }
}
