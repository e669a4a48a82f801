/// A page in the man(7) macros, everything escaped.
struct ManualPage {
    private(set) var source = ""

    mutating func macro(_ name: String, _ arguments: String...) {
        source += ([".\(name)"] + arguments.map { "\"\(Self.escaped($0))\"" }).joined(separator: " ") + "\n"
    }

    /// The heading of every page. The date is no text to be escaped: mandoc wants to read it.
    mutating func title(_ title: String, date: String, version: String) {
        source += ".TH \"\(Self.escaped(title))\" 1 \"\(date)\" \"\(Self.escaped(version))\"\n"
    }

    /// The line that the index of manuals is made from.
    mutating func name(_ program: String, summary: String) {
        source += "\(Self.escaped(program)) \\-\n"
        for line in DisplayWidth.wrapped(summary, to: 60) { source += Self.escaped(line) + "\n" }
    }

    /// Running text: a new line for each sentence, and none longer than 80 bytes where spaces allow it.
    mutating func text(_ text: String) {
        for line in Self.sentences(of: text).flatMap({ DisplayWidth.wrapped($0, to: 60) }) where !line.isEmpty {
            source += Self.escaped(line) + "\n"
        }
    }

    mutating func paragraphs(_ text: String) {
        for (index, paragraph) in Self.paragraphs(of: text).enumerated() {
            if index > 0 { source += ".PP\n" }
            self.text(paragraph)
        }
    }

    mutating func usage(_ usage: String) {
        let parts = usage.split(separator: "[", maxSplits: 1, omittingEmptySubsequences: false)
        macro("B", parts[0].trimmingSpace)
        if parts.count == 2 { source += Self.escaped("[" + parts[1]) + "\n" }
    }

    mutating func list(_ rows: [(name: String, explanation: String)]) {
        for row in rows {
            source += ".TP\n"
            macro("B", row.name)
            text(row.explanation)
        }
    }

    /// Names on the left and explanations under a heading of their own; nothing where there are none.
    mutating func section(_ title: String, _ rows: [(name: String, explanation: String)]) {
        guard !rows.isEmpty else { return }
        macro("SH", title)
        list(rows)
    }

    mutating func examples(_ examples: [CommandSpec.Example]) {
        guard !examples.isEmpty else { return }
        macro("SH", "EXAMPLES")
        for (index, example) in examples.enumerated() {
            if index > 0 { source += ".PP\n" }
            text(example.explanation)
            source += ".PP\n.RS 4\n.EX\n\(Self.escaped("$ \(example.line)"))\n.EE\n.RE\n"
        }
    }

    /// The other pages that are worth reading.
    mutating func references(_ pages: [String]) {
        guard !pages.isEmpty else { return }
        macro("SH", "SEE ALSO")
        for (index, page) in pages.enumerated() {
            source += ".BR \(Self.escaped(page)) (1)\(index == pages.count - 1 ? "" : ",")\n"
        }
    }

    private static func paragraphs(of text: String) -> [String] {
        var paragraphs = [""]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                paragraphs.append("")
            } else {
                paragraphs[paragraphs.count - 1] += (paragraphs[paragraphs.count - 1].isEmpty ? "" : " ") + line
            }
        }
        return paragraphs.filter { !$0.isEmpty }
    }

    private static func sentences(of text: String) -> [String] {
        var sentences = [""]
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            let isFirst = sentences[sentences.count - 1].isEmpty
            sentences[sentences.count - 1] += (isFirst ? "" : " ") + word
            if word.hasSuffix("."), !word.hasSuffix("...") { sentences.append("") }
        }
        return sentences.filter { !$0.isEmpty }
    }

    /// Nothing in `text` is a request, and every ASCII character is printed as itself (groff_char(7)).
    private static func escaped(_ text: String) -> String {
        var result = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\"": result += "\\(dq"
            case "\n": result += " "
            case " "..."\u{7E}": result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
            }
        }
        return result
    }
}

extension Substring {
    fileprivate var trimmingSpace: String {
        var trimmed = self
        while trimmed.last == " " { trimmed.removeLast() }
        return String(trimmed)
    }
}
