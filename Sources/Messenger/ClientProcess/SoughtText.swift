/// A text that is looked for in others, in any case of letters, and however Unicode writes them: what is compared are characters,
/// as a reader sees them.
///
/// It takes as long as a text is, whatever it repeats (Knuth, Morris and Pratt).
struct SoughtText: Sendable {
    private let characters: [Character]
    /// For each character, how many up to it and with it are the beginning of the text as well.
    private let borders: [Int]

    init(_ text: String) {
        let characters = Array(SoughtText.folded(text))
        var borders = [Int](repeating: 0, count: characters.count)
        var length = 0
        for place in characters.indices.dropFirst() {
            while length > 0, characters[place] != characters[length] { length = borders[length - 1] }
            if characters[place] == characters[length] { length += 1 }
            borders[place] = length
        }
        (self.characters, self.borders) = (characters, borders)
    }

    /// Whether it is somewhere in a text; an empty one is nowhere.
    func isIn(_ text: String) -> Bool {
        guard !characters.isEmpty else { return false }
        var length = 0
        for character in SoughtText.folded(text) {
            while length > 0, character != characters[length] { length = borders[length - 1] }
            if character == characters[length] { length += 1 }
            if length == characters.count { return true }
        }
        return false
    }

    /// Upper case first: then "ß" is as "ss", and a sigma at a word's end as any other.
    private static func folded(_ text: String) -> String { text.uppercased().lowercased() }
}
