import MildamIdentity
import MildamRelayAPI
import MildamTransport

/// Why something was not done, as a code with parameters: whoever shows it has the words.
public struct RoomFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a program acts on, in lower case with hyphens. Never changes its meaning.
    public let code: String
    /// What goes with it, by name; never content, keys or tokens.
    public let parameters: [String: String]

    /// A fault.
    public init(_ code: String, _ parameters: [String: String] = [:]) {
        self.code = code
        self.parameters = parameters
    }

    /// What happened: the code, and what goes with it.
    public var description: String {
        let details = parameters.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return (["the profile's rooms: \(code)"] + details).joined(separator: "; ")
    }

    /// A step could not be stored.
    static func notStored(_ error: any Error) -> RoomFault { RoomFault("not-stored", ["reason": "\(error)"]) }

    /// What is stored cannot be read.
    static func notReadable(_ error: any Error) -> RoomFault { RoomFault("not-readable", ["reason": "\(error)"]) }

    /// There is no such room.
    static func noSuchRoom(_ room: RoomID) -> RoomFault { RoomFault("no-such-room", ["room": "\(room)"]) }

    /// The account's records say nothing yet of what MLS rooms need.
    static func noSuccession(_ handle: Handle) -> RoomFault { RoomFault("no-succession", ["handle": handle.text]) }
}
