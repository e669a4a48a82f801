import Foundation
import HouseSupport
import TestSupport

/// A session at a terminal, as text: commands, and what each said and ended with.
///
///     # A comment.
///     @set NAME a value for every command from here on
///     @write NAME the text of a file in the folder of this transcript
///     @kill, @restart: the relay
///     @begin with ARCHIVE at URL            as its first line: with a relay's folder and people's home that were kept
///     $ alice send kitchen "two words"      mildam, as the profile alice; a dollar alone: for no profile
///     < a line of its standard input
///     | a line of its output
///     ! a line of its standard error
///     = its exit status
///     % user list                           mildam-relay, in the place of mildam
///
/// `{folder}`, `{data}` and `{relay}` stand for this transcript's folder, the relay's, and its address. What differs from run
/// to run is said by a name and a number: the same id is the same number.
struct Transcript {
    private let lines: [Substring]
    private let folder: String

    /// - Parameter folder: where the archives are.
    init(_ text: String, in folder: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        self.folder = folder
    }

    /// Runs each command anew.
    ///
    /// - Returns: the transcript with what was said now.
    func played() async throws -> String {
        let beginning = lines.first.map { $0.split(separator: " ").map(String.init) } ?? []
        let house =
            if beginning.first == "@begin" {
                try await House.open(from: folder + "/" + beginning[2], at: beginning[4])
            } else {
                try await House.open(isEmpty: true)
            }
        var variables = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent", "TZ": "UTC"]
        var said: [String] = []
        var mask = Mask(house)
        var rest = lines[...]
        while let line = rest.popFirst() {
            // What was said before is said anew.
            if let first = line.first, "|!=".contains(first) { continue }
            said.append(String(line))
            switch line.first {
            case "@": try await prepare(line.dropFirst(), house, &variables)
            case "$", "%":
                var input: [Substring] = []
                while let next = rest.first, next.hasPrefix("<") {
                    said.append(String(next))
                    input.append(next.dropFirst(2))
                    rest = rest.dropFirst()
                }
                var words = Self.words(mask.filled(line.dropFirst()))
                var environment = variables
                environment["MILDAM_HOME"] = house.folder.file("home")
                if line.first == "$", !line.hasPrefix("$ $") {
                    environment["MILDAM_RELAY"] = house.relay.url
                    environment["MILDAM_PROFILE"] = words.removeFirst()
                } else if line.first == "$" {
                    words.removeFirst()
                }
                let result = try await Program.result(
                    of: line.first == "$" ? "mildam" : "mildam-relay",
                    words,
                    input: input.isEmpty ? nil : input.joined(separator: "\n") + "\n",
                    environment: environment,
                    folder: house.folder.path
                )
                said += Self.lines(mask.masked(result.output), after: "|")
                said += Self.lines(mask.masked(result.errors), after: "!")
                said.append("= \(result.status)")
            default: break
            }
        }
        return said.joined(separator: "\n")
    }

    private func prepare(_ line: Substring, _ house: House, _ variables: inout [String: String]) async throws {
        let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch parts.first {
        case "set": variables[parts[1]] = parts[2]
        case "write":
            try (parts[2] + "\n").write(toFile: house.folder.file(parts[1]), atomically: true, encoding: .utf8)
        case "begin": break
        case "kill": try await house.kill()
        case "restart": try await house.restart()
        default: throw CocoaError(.fileReadCorruptFile)
        }
    }

    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        for (number, part) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
            if number.isMultiple(of: 2) {
                words += part.split(separator: " ").map(String.init)
            } else {
                words.append(String(part))
            }
        }
        return words
    }

    private static func lines(_ text: String, after mark: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() } else if !text.isEmpty { lines[lines.count - 1] += "⏎" }
        return lines.map { $0.isEmpty ? mark : "\(mark) \($0)" }
    }

    /// Puts a name and a number in the place of what is new in each run.
    private struct Mask {
        private let places: [(String, String)]
        private var numbers: [String: [String: Int]] = [:]
        private static let kinds: [(String, String)] = [
            ("FINGERPRINT", #"[0-9]{5}( [0-9]{5}){11}"#), ("SECRETKEY", #"AGE-SECRET-KEY-1[A-Z0-9]{58}"#),
            ("RECIPIENT", #"age1[a-z0-9]{58}"#), ("CODE", #"\b[0-9A-Z]{4}(-[0-9A-Z]{4}){5,}\b"#),
            ("INSTANT", #"\b20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-9:]{8}Z"#), ("ID", #"\b[a-z2-7]{26}\b"#),
            ("PART", #"(?m)^[a-z2-7]{8}(?=  20[0-9]{2}-)"#), ("MEBIBYTES", #"\b[0-9]+ MiB\b"#),
            ("MOMENT", #"\b[1-9][0-9]{12}\b"#), ("TIME", #"\b[1-9][0-9]{9}\b"#),
            ("DATE", #"\b20[0-9]{2}-[01][0-9]-[0-3][0-9]\b"#), ("CLOCK", #"\b[0-2][0-9]:[0-5][0-9](:[0-5][0-9])?\b"#),
        ]
        /// What begins a day in a list of messages, but the first: whether a day ended between two depends on when this runs.
        private static let laterDay = #"\n— 20[0-9]{2}-[01][0-9]-[0-3][0-9] —\n"#
        /// What may be the same twice, or not, as the second ends.
        private static let unnumbered: Set<String> = ["MEBIBYTES", "INSTANT", "MOMENT", "TIME", "DATE", "CLOCK"]

        init(_ house: House) {
            let authority = house.relay.url.split(separator: "/").last.map(String.init) ?? ""
            let port = authority.split(separator: ":").last.map(String.init) ?? ""
            let programs = (try? Program.find("mildam"))?.dropLast("/mildam".count)
            places = [
                ("{data}", house.data), ("{folder}", house.folder.path), ("{relay}", authority),
                ("port {port}", "port \(port)"),
                ("{programs}", programs.map(String.init) ?? "mildam"),
            ]
        }

        func filled(_ line: Substring) -> String {
            places.reduce(String(line)) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
        }

        mutating func masked(_ text: String) -> String {
            var text = places.reduce(text) { $0.replacingOccurrences(of: $1.1, with: $1.0) }
            text = text.replacingOccurrences(of: Self.laterDay, with: "\n", options: .regularExpression)
            for (kind, pattern) in Self.kinds {
                guard let expression = try? NSRegularExpression(pattern: pattern) else { continue }
                let whole = NSRange(text.startIndex..., in: text)
                let found = expression.matches(in: text, range: whole).compactMap { Range($0.range, in: text) }
                let names = found.map { range in
                    let value = String(text[range])
                    let next = numbers[kind, default: [:]].count + 1
                    let number = numbers[kind, default: [:]][value] ?? next
                    numbers[kind, default: [:]][value] = number
                    return Self.unnumbered.contains(kind) ? kind : "\(kind)\(number)"
                }
                for (range, name) in zip(found, names).reversed() { text.replaceSubrange(range, with: name) }
            }
            return text
        }
    }
}
