import Foundation
import MildamOTP
import MildamTerminal

/// The main job, played with the real programs: three people talk over a relay that cannot read along.
struct Demo {
    let stage: Stage
    let console = Console()
    /// What the room is called.
    private static let room = "moonlit kitchen"

    private var width: Int { min(max(console.width(), 80), 132) }

    func play() throws {
        try title("A relay on this machine, and three people with a profile each")
        try stage.openRelay()
        try say("relay    \(stage.address)   in \(stage.relayFolder)")
        for person in Stage.people {
            try act(person, ["account", "create", person, "--password-file", "-"], input: "correct horse, \(person)\n")
        }
        try meet()
        let picture = Drawing().png()
        try talk(picture)
        try showViews(of: Stage.people)
        try showEpochs(of: Stage.people)
        try saveAndCompare(picture)
        try putOut()
        try searchDisk(picture, and: try guardAccount())
        try say("")
        try title("Try next")
        try say("mildam relay serve --data ./relay --listen 127.0.0.1:8930")
        try say("mildam account create YOU --relay http://127.0.0.1:8930")
        try say("mildam room create kitchen")
    }

    private func meet() throws {
        try title("A room")
        try act("alice", ["room", "create", Demo.room])
        for guest in ["bob", "carol"] {
            try act("alice", ["room", "invite", Demo.room, guest])
            try act(guest, ["request", "accept", "alice", "--join"])
        }
    }

    private func talk(_ picture: [UInt8]) throws {
        try title("A conversation")
        try act("alice", ["send", Demo.room, "안녕! 오늘 밤 모두 올 수 있어? 🌙"])
        try act("bob", ["send", Demo.room, "もちろん。何か持っていこうか？🍶"])
        try act("carol", ["send", Demo.room, "On my way. What is the big secret? 👀"])
        try act("alice", ["send", Demo.room], input: Letter.text)
        let path = stage.folder + "/photograph-1962.png"
        try Data(picture).write(to: URL(fileURLWithPath: path))
        try act("alice", ["send", Demo.room, "--file", path])
        try FileManager.default.removeItem(atPath: path)
    }

    /// Everybody's own view, as their program prints it, side by side.
    private func showViews(of people: [String]) throws {
        try title("What each of them sees")
        let views = try people.map { person in
            let read = try stage.run(as: person, ["read", Demo.room])
            guard read.status == 0, person == "carol" || contains(Letter.lines, in: read.output) else {
                throw DemoError("\(person) cannot read the room: \(read.output)")
            }
            return abridged(read.output)
        }
        for line in Columns(width: width).lines(of: zip(people, views).map { "\($0.0.uppercased())\n\($0.1)" }) {
            try say(line)
        }
    }

    /// The epoch that each is in, and the digits of its authenticator: the same for all who are in it.
    private func showEpochs(of people: [String]) throws {
        try title("The epoch that each of them is in, with the digits of its authenticator")
        let deadline = Date().addingTimeInterval(30)
        var shown: [String] = []
        repeat {
            shown = try people.map { person in
                let verified = try stage.run(as: person, ["room", "verify", Demo.room])
                guard verified.status == 0 else {
                    throw DemoError("\(person) is in no epoch of the room: \(verified.output)")
                }
                return verified.output.trimmingCharacters(in: .newlines)
            }
            // Who has not read the last change yet is one epoch behind.
        } while Set(shown).count > 1 && Date() < deadline
        for line in Columns(width: width).lines(of: zip(people, shown).map { "\($0.0.uppercased())\n\($0.1)" }) {
            try say(line)
        }
        guard Set(shown).count == 1 else { throw DemoError("they are not in one epoch") }
    }

    private func saveAndCompare(_ picture: [UInt8]) throws {
        try title("The picture arrives as it was sent")
        let path = stage.folder + "/received.png"
        let number = try number(ofFile: "photograph-1962.png", for: "bob")
        try act("bob", ["save", Demo.room, String(number), "--output", path])
        guard let received = FileManager.default.contents(atPath: path), received.elementsEqual(picture) else {
            throw DemoError("the picture is not the one that was sent")
        }
        try say("identical, \(ByteCount.text(Int64(picture.count))), byte for byte")
    }

    private func putOut() throws {
        try title("Carol is put out: the room goes on in another epoch, without her keys")
        try act("alice", ["room", "remove", Demo.room, "carol"])
        try act(
            "alice",
            ["send", Demo.room, "And now the surprise party: Sunday at eight, her brother's shop 🎂"]
        )
        let bob = try stage.run(as: "bob", ["read", Demo.room])
        guard bob.output.contains("surprise party") else { throw DemoError("bob cannot read on") }
        let carol = try stage.run(as: "carol", ["read", Demo.room])
        guard !carol.output.contains("surprise party") else { throw DemoError("carol can read on") }
        let told = carol.output.split(separator: "\n").last.map(String.init) ?? ""
        try say("bob      reads on")
        try say("carol    \(told)   (exit status \(carol.status))")
        try showEpochs(of: ["alice", "bob"])
        guard try stage.run(as: "carol", ["room", "verify", Demo.room]).status != 0 else {
            throw DemoError("carol is in the epoch of the others")
        }
    }

    /// Alice's account takes a code beside the password from here on, and another password.
    ///
    /// - Returns: what she alone is to have from it.
    private func guardAccount() throws -> [[UInt8]] {
        struct Added: Decodable { var uri: String }
        struct Confirmed: Decodable { var recoveryCodes: [String] }
        try title("Alice guards her account")
        let added = try act(
            "alice",
            ["account", "add-second-factor", "--json", "--password-file", "-"],
            input: "correct horse, alice\n"
        )
        let uri = try JSONDecoder().decode(Added.self, from: Data(added.utf8)).uri
        let token = try OneTimePassword(uri: uri)
        let confirmed = try act(
            "alice",
            ["account", "confirm-second-factor", "--json", "--code-file", "-"],
            input: token.code(at: UInt64(Date().timeIntervalSince1970)) + "\n"
        )
        let codes = try JSONDecoder().decode(Confirmed.self, from: Data(confirmed.utf8)).recoveryCodes
        let password = "a battery, and a staple"
        let (path, codePath) = (stage.folder + "/password", stage.folder + "/code")
        for (text, path) in [(password, path), (codes[0], codePath)] {
            try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path))
        }
        try act(
            "alice",
            ["account", "password", "--password-file", "-", "--new-password-file", path, "--code-file", codePath],
            input: "correct horse, alice\n"
        )
        for path in [path, codePath] { try FileManager.default.removeItem(atPath: path) }
        guard let letters = URLComponents(string: uri)?.queryItems?.first(where: { $0.name == "secret" })?.value else {
            throw DemoError("the second factor has no secret")
        }
        let texts = codes + codes.map { $0.replacingOccurrences(of: "-", with: "") } + [password, letters]
        return texts.map { Array($0.utf8) } + [unsafe token.secret.withUnsafeBytes { unsafe [UInt8]($0) }]
    }

    /// Shows what the relay has, and looks for the conversation in it, and for what guards an account.
    private func searchDisk(_ picture: [UInt8], and secrets: [[UInt8]]) throws {
        try title("What the relay's disk holds")
        stage.closeRelay()
        var search = DiskSearch()
        for line in Letter.lines { search.add(Array(line.utf8)) }
        for line in [Demo.room, "photograph-1962.png", "surprise party", "correct horse", "何か持っていこうか"] {
            search.add(Array(line.utf8))
        }
        for secret in secrets { search.add(secret) }
        for start in stride(from: 4096, to: picture.count - 16, by: 4096) {
            search.add(Array(picture[start..<start + 16]))
        }

        var (total, found) = (0, 0)
        let files = try FileManager.default.subpathsOfDirectory(atPath: stage.relayFolder).sorted()
        for file in files where !isFolder(stage.relayFolder + "/" + file) {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: stage.relayFolder + "/" + file)))
            let matches = search.matches(in: bytes)
            let start = bytes.prefix(24).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let name = DisplayWidth.truncated(file, to: 40)
            try say("\(DisplayWidth.padded(name, to: 40))  \(ByteCount.text(Int64(bytes.count)))  \(start)…")
            (total, found) = (total + bytes.count, found + matches)
        }
        guard total > picture.count else { throw DemoError("the picture is not among what was searched") }
        try say("")
        let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: stage.relayLog)))
        guard log.count > 1000 else { throw DemoError("the relay's log is not among what is searched") }
        (total, found) = (total + log.count, found + search.matches(in: log))
        let hidden = [Array(Letter.lines[0].utf8)] + secrets
        guard hidden.allSatisfy({ search.matches(in: Array("some log: ".utf8) + $0) == 1 }) else {
            throw DemoError("the search does not find what it should")
        }
        try say(
            "searched \(ByteCount.text(Int64(total))), the log with it, for \(search.count) forms of what was said and shown, "
                + "and of alice's codes and password (raw, hex, base64): \(found) found"
        )
        try say("the same search, in \(hidden.count) lines that each have one of them planted: \(hidden.count) found")
        guard found == 0 else { throw DemoError("plaintext lies on the relay's disk, or in its log") }
    }

    // MARK: Parts

    @discardableResult
    private func act(_ person: String, _ arguments: [String], input: String = "") throws -> String {
        let result = try stage.run(as: person, arguments, input: input)
        guard result.status == 0 else {
            throw DemoError(
                "`mildam \(arguments.joined(separator: " "))` ended with \(result.status): \(result.output)"
            )
        }
        let shown = arguments.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
        let command = DisplayWidth.truncated(shown.replacingOccurrences(of: stage.folder, with: "…"), to: width - 20)
        try say("\(DisplayWidth.padded(person, to: 7))  mildam \(command)")
        return result.output
    }

    private func number(ofFile name: String, for person: String) throws -> UInt64 {
        struct Answer: Decodable {
            struct File: Decodable { var name: String }
            struct Message: Decodable {
                var number: UInt64
                var file: File?
            }
            var messages: [Message]
        }
        let read = try stage.run(as: person, ["read", Demo.room, "--json"])
        let messages = try JSONDecoder().decode(Answer.self, from: Data(read.output.utf8)).messages
        guard let sent = messages.first(where: { $0.file?.name == name }) else {
            throw DemoError("\(person) did not get \(name)")
        }
        return sent.number
    }

    /// Whether the lines stand below each other in a view, each with the mark of a text's further lines before it.
    private func contains(_ lines: [String], in view: String) -> Bool {
        let shown = view.split(separator: "\n")
        guard let start = shown.firstIndex(where: { $0.contains(lines[0]) }) else { return false }
        return shown[start...].count >= lines.count
            && zip(shown[start...], lines).allSatisfy { $0.hasSuffix($1) }
    }

    private func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// A view with the long letter cut to its first lines.
    private func abridged(_ view: String) -> String {
        var lines = view.split(separator: "\n").map(String.init)
        if let start = lines.firstIndex(where: { $0.contains(Letter.lines[0]) }),
            start + Letter.lines.count <= lines.count
        {
            let shown = 5
            lines.replaceSubrange(
                start + shown..<start + Letter.lines.count,
                with: ["… \(Letter.lines.count - shown) more lines, as they were sent"]
            )
        }
        return lines.joined(separator: "\n")
    }

    private func title(_ text: String) throws {
        try console.print("\n" + console.style().bold(text))
    }

    private func say(_ text: String) throws {
        try console.print(text)
    }
}
