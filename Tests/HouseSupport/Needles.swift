import Foundation

/// Looks for secrets in everything that files hold: whole and in pieces of 16 bytes, as they are, in hex of both cases,
/// and in base64 of both alphabets at each of its three alignments.
///
/// A secret of 16 bytes or more is found by any of its pieces, so also when it is whole. Shorter ones are looked for
/// whole; they have at least 8 bytes, or they would be found everywhere.
package struct Needles {
    /// What was found: which secret, in which file, in which form.
    package struct Find: Hashable, CustomStringConvertible {
        package let name: String
        package let file: String
        package let form: String
        package var description: String { "\(name) in \(file) (\(form))" }
    }

    private struct Pattern {
        let name: String
        let form: String
        let bytes: [UInt8]
    }

    private static let shortest = 8
    private static let piece = 16
    /// By their first eight bytes.
    private var patterns: [UInt64: [Pattern]] = [:]
    /// Which pairs of bytes a pattern begins with.
    private var starts = [Bool](repeating: false, count: 1 << 16)
    /// What is looked for.
    package private(set) var secrets: [(name: String, bytes: [UInt8])] = []

    /// Nothing to look for yet.
    package init() {}

    /// How much is looked for.
    package var count: Int { secrets.count }

    /// Adds a text.
    package mutating func add(_ name: String, _ text: String) { add(name, Array(text.utf8)) }

    /// Adds a secret.
    package mutating func add(_ name: String, _ secret: [UInt8]) {
        precondition(secret.count >= Needles.shortest, "\(name) is too short to look for")
        secrets.append((name, secret))
        for part in Needles.pieces(of: secret) {
            for (form, bytes) in Needles.forms(of: part) { insert(Pattern(name: name, form: form, bytes: bytes)) }
        }
    }

    /// The pieces: every 16 bytes, and the last 16.
    package static func pieces(of secret: [UInt8]) -> [[UInt8]] {
        guard secret.count > piece else { return [secret] }
        var pieces = stride(from: 0, through: secret.count - piece, by: piece).map { Array(secret[$0..<$0 + piece]) }
        pieces.append(Array(secret.suffix(piece)))
        return pieces
    }

    /// How a piece can stand in a file; of base64 only the characters that its own bytes decide.
    package static func forms(of piece: [UInt8]) -> [(String, [UInt8])] {
        let hex = piece.map { String(format: "%02x", $0) }.joined()
        var forms = [("raw", piece), ("hex", Array(hex.utf8)), ("HEX", Array(hex.uppercased().utf8))]
        for alignment in 0..<3 {
            let text = Array(Data([UInt8](repeating: 0, count: alignment) + piece).base64EncodedData())
            let first = (alignment * 8 + 5) / 6
            let last = (alignment + piece.count) * 8 / 6
            let standard = Array(text[first..<last])
            let url = standard.map {
                $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
            }
            forms.append(("base64 at \(alignment)", standard))
            if url != standard { forms.append(("base64url at \(alignment)", url)) }
        }
        return forms
    }

    /// All of it among other bytes, each secret in one of the forms that it is looked for in.
    package var planted: [UInt8] {
        secrets.enumerated().reduce(into: []) { bytes, secret in
            let (number, (_, hidden)) = secret
            let filler = [UInt8](repeating: UInt8(ascii: "."), count: number % 3)
            let hex = hidden.map { String(format: "%02x", $0) }.joined()
            switch number % 3 {
            case 0: bytes += filler + hidden
            case 1: bytes += filler + Array(hex.utf8)
            default: bytes += Array(Data(filler + hidden).base64EncodedData())
            }
            bytes += Array("\n".utf8)
        }
    }

    private mutating func insert(_ pattern: Pattern) {
        let key = pattern.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        patterns[key, default: []].append(pattern)
        starts[Int(key >> 48)] = true
    }

    /// What of it lies in these bytes.
    package func found(in bytes: [UInt8], of file: String) -> Set<Find> {
        guard bytes.count >= Needles.shortest else { return [] }
        var finds: Set<Find> = []
        var key = bytes.prefix(7).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        for index in 7..<bytes.count {
            key = key << 8 | UInt64(bytes[index])
            guard starts[Int(key >> 48)], let candidates = patterns[key] else { continue }
            let start = index - 7
            for candidate in candidates
            where bytes.count - start >= candidate.bytes.count
                && bytes[start..<start + candidate.bytes.count].elementsEqual(candidate.bytes)
            {
                finds.insert(Find(name: candidate.name, file: file, form: candidate.form))
            }
        }
        return finds
    }

    /// What of it lies in a folder: in its files, and in their names.
    ///
    /// - Parameter excluding: names of files that are left out.
    /// - Returns: what was found, and how many bytes were searched.
    package func found(inFolder folder: String, excluding: Set<String> = []) throws -> (finds: Set<Find>, searched: Int)
    {
        var finds: Set<Find> = []
        var searched = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            finds.formUnion(found(in: Array(path.utf8), of: "the name of \(path)"))
            guard !excluding.contains(path), let content = FileManager.default.contents(atPath: folder + "/" + path)
            else { continue }
            searched += content.count
            finds.formUnion(found(in: Array(content), of: path))
        }
        return (finds, searched)
    }
}
