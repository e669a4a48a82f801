/// The name of a file that somebody else chose, made safe to create and to show.
enum AttachmentName {
    /// The most that a file system takes, in bytes of UTF-8.
    static let longest = 255

    /// The name without folders, without characters that act on a terminal, hide or turn the writing around, and without
    /// dots, spaces or hyphens that would hide the file, be lost, or be read as an option; `nil` if nothing is left.
    ///
    /// A name that is too long loses the end of what comes before its extension.
    static func safe(_ name: String) -> String? {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case _ where scalar == "/": scalars = String.UnicodeScalarView()
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: continue
            case .spaceSeparator: scalars.append(" ")
            default: if !scalar.properties.isDefaultIgnorableCodePoint { scalars.append(scalar) }
            }
        }
        let trimmed = trimmed(scalars[...], both: true)
        guard !trimmed.isEmpty else { return nil }
        guard String(trimmed).utf8.count > longest else { return String(trimmed) }
        return shortened(String(trimmed))
    }

    private static func trimmed(
        _ name: Substring.UnicodeScalarView,
        both: Bool
    ) -> Substring.UnicodeScalarView {
        var name = name
        while both, let first = name.first, [".", " ", "-"].contains(first) { name.removeFirst() }
        while let last = name.last, [".", " "].contains(last) { name.removeLast() }
        return name
    }

    private static func shortened(_ name: String) -> String {
        var ending: Substring = ""
        if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 16 { ending = name[dot...] }
        var stem = name.dropLast(ending.count)
        // By scalars: one character can have any number of marks.
        while stem.utf8.count + ending.utf8.count > longest { stem.unicodeScalars.removeLast() }
        return String(trimmed(stem.unicodeScalars, both: false)) + ending
    }
}
