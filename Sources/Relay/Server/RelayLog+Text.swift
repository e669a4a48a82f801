import FoundationEssentials
import MildamSystem

extension RelayLog.Entry {
    /// The entry as one line for people: "error: the disk is full (operations 3)".
    public var line: String {
        let details = fields.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
        let what = message.isEmpty ? event : message
        return (level == .error ? "error: " : "") + what + (details.isEmpty ? "" : " (\(details))")
    }

    /// The entry as one line of JSON: time, level, event, message, then the fields.
    ///
    /// - Parameter clock: says when it was.
    public func json(at clock: WallClock) -> String {
        var members = [
            ("time", Self.quoted(Self.timestamp(clock.milliseconds))), ("level", Self.quoted(level.rawValue)),
            ("event", Self.quoted(event)),
        ]
        if !message.isEmpty { members.append(("message", Self.quoted(message))) }
        for field in fields {
            let value =
                switch field.value {
                case .text(let text): Self.quoted(text)
                case .number(let number): "\(number)"
                case .decimal(let decimal): decimal.isFinite ? "\(decimal)" : "null"
                }
            members.append((field.name, value))
        }
        return "{" + members.map { Self.quoted($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
    }

    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let data = try? encoder.encode(text) else { return "\"\"" }
        return String(decoding: data, as: UTF8.self)
    }

    /// "2026-11-21T14:15:01.250Z" (RFC 3339).
    private static func timestamp(_ milliseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return date.formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted)
        )
    }
}

extension RelayLog.Value: CustomStringConvertible {
    /// The value as people read it.
    public var description: String {
        switch self {
        case .text(let text): text
        case .number(let number): "\(number)"
        case .decimal(let decimal): "\(decimal)"
        }
    }
}
