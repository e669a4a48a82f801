import MildamClientCore
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

    /// It is a room of the first kind, which is only read.
    static func olderRoom(_ room: RoomID) -> RoomFault { RoomFault("older-room", ["room": "\(room)"]) }
    /// Not all that the relay has was read in the time that there was.
    static let behind = RoomFault("behind")

    /// Nothing waits to be said under an id.
    static func notWaiting(_ message: MessageID) -> RoomFault { RoomFault("not-waiting", ["message": "\(message)"]) }

    /// What waits to be said was sent already, and the relay may have it.
    static func underWay(_ message: MessageID) -> RoomFault { RoomFault("under-way", ["message": "\(message)"]) }

    /// So much waits in the room that nothing more is taken on.
    static let tooManyWaiting = RoomFault("too-many-waiting", ["most": "\(RoomCore.mostWaiting)"])

    /// The account's records say nothing yet of what MLS rooms need.
    static func noSuccession(_ handle: Handle) -> RoomFault { RoomFault("no-succession", ["handle": handle.text]) }

    /// The profile is lent to another program, or is about to be: nothing was done.
    static let lent = RoomFault("lent")

    /// The profile is not lent.
    static func notLent(_ reason: String) -> RoomFault { RoomFault("not-lent", ["reason": reason]) }
}
