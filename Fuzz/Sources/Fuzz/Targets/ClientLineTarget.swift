import MildamClientAPI
import MildamIdentity

extension FuzzTarget {
    /// What a program says at the socket of a profile's client: lines, in pieces as they come, and the frame of each.
    static let clientLines = FuzzTarget(
        name: "client-lines",
        source: .file,
        seeds: {
            let (room, message): (RoomID, MessageID) = (FixedKeys.id(3), FixedKeys.id(6))
            let asks: [ClientAsk] = [
                .rooms(after: room), .openRoom(room: room, at: .number(at: 7), before: 3, after: 4),
                .send(room: room, text: "a \"text\"\n"), .createRoom(name: "kitchen", id: room),
                .policy(room: room, members: MemberPolicy(invite: true, remove: false, describe: true)),
                .markRead(room: room, through: 9), .outcome(of: message, seconds: 5), .subscribe, .stop,
                .sendFile(room: room, path: "/a", text: "b", id: message),
                .saveFile(room: room, number: 1, to: "/", replacing: true), .search(room: room, text: "c", before: 7),
            ]
            let item = RoomItem(key: message, number: 1, at: 2, kind: .text, text: "text", state: .failed(code: "a"))
            let frames: [ClientFrame] =
                asks.map { ClientFrame.ask(id: 1, $0) } + [
                    .resync, .error(id: 2, ClientError(.noSuchRoom, ["room": "\(room)"])),
                    .hello(ClientGreeting(version: "1", build: "2", boot: "3", profile: "4", stage: .ready)),
                    .changes(rev: 3, [.items(room: room, upsert: [item], gone: [message])]),
                ]
            let lines = frames.compactMap { try? ClientLine.bytes(of: $0) }
            return lines + [Array(lines.joined()), Array("[[[[[[[[[[[[[[\n{\"id\":1,\n".utf8)]
        },
        take: { input in
            let lines = mustBeTheSame(input, "what lines are", feed: lines(in:))
            for line in lines {
                guard let frame = try? ClientLine.frame(line) else { continue }
                if case .ask(_, .markRead(_, let number)) = frame { planted(number != 9) }
                guard let written = try? ClientLine.bytes(of: frame) else {
                    // What is read in its shortest form may be too long in the form that is written.
                    mustHold(line.count > LineLimits.line / 8, "a frame that was read can be written")
                    continue
                }
                mustHold(written.last == UInt8(ascii: "\n"), "a line has an end")
                mustHold(!written.dropLast().contains(UInt8(ascii: "\n")), "a line is one")
                mustHold(
                    (try? ClientLine.frame(Array(written.dropLast()))) == frame,
                    "what is written is read as it was"
                )
            }
        }
    )

    private static func lines(in pieces: [ArraySlice<UInt8>]) -> [[UInt8]] {
        var splitter = LineSplitter()
        var lines: [[UInt8]] = []
        for piece in pieces {
            splitter.take(piece)
            while let line = try? splitter.next() { lines.append(line) }
        }
        return lines
    }
}
