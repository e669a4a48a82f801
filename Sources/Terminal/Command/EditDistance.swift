/// Finds the word that someone probably meant.
public enum EditDistance {
    /// The candidate nearest to `word`, if it is near enough to be worth asking about: one change in three letters.
    public static func suggestion(for word: String, among candidates: [String]) -> String? {
        // A foreign argument may be megabytes long; no name of ours is.
        guard word.utf8.count <= 64 else { return nil }
        return
            candidates
            .map { (candidate: $0, distance: between(Array(word.utf8), Array($0.utf8))) }
            .filter { $0.distance <= max(1, $0.candidate.utf8.count / 3) }
            .min { $0.distance < $1.distance }?
            .candidate
    }

    /// Insertions, deletions, substitutions and swaps of neighbours that turn one into the other
    /// (Damerau and Levenshtein, in the restricted form: no part is changed twice).
    static func between(_ from: [UInt8], _ to: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for i in from.indices {
            var row = [i + 1]
            for j in to.indices {
                let same = from[i] == to[j]
                var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (same ? 0 : 1))
                if i > 0, j > 0, from[i] == to[j - 1], from[i - 1] == to[j] {
                    best = min(best, beforeLast[j - 1] + 1)
                }
                row.append(best)
            }
            beforeLast = last
            last = row
        }
        return last[to.count]
    }
}
