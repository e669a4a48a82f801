import MildamSystem
import MildamWire

/// What an agent says of itself to a program, before that asks it for anything else.
public struct AgentInfo: Equatable, Sendable {
    /// The agent's version, by semver.org.
    public let version: String
    /// The agent's executable, where it was when the agent began.
    public let executable: String
    /// The keychain's path.
    public let keychain: String
    /// The keychain's file; another one may have its path by now. `nil` when it was gone as soon as it was opened.
    public let file: FileIdentity?
    /// Whether the program that asks is the agent's own, and may manage the keychain.
    public let isOwner: Bool
    /// Whether the agent's executable was upgraded, moved or removed since the agent began.
    public let isReplaced: Bool

    /// The most bytes of a path.
    private static let maximumPath = 4096
}

/// ```
/// struct { uint64 device; uint64 number; } FileIdentity;
/// struct {
///     opaque version<1..64>; opaque executable<0..4096>; opaque keychain<1..4096>; optional<FileIdentity> file;
///     uint8 is_owner; uint8 is_replaced;
/// } AgentInfo;
/// ```
extension AgentInfo: WireEncodable, WireDecodable {
    /// Appends the information.
    public func encode(into writer: inout WireWriter) {
        writer.text(UInt8.self, version)
        writer.text(UInt16.self, executable)
        writer.text(UInt16.self, keychain)
        writer.optional(file) { file, writer in
            writer.integer(file.device)
            writer.integer(file.number)
        }
        writer.integer(UInt8(isOwner ? 1 : 0))
        writer.integer(UInt8(isReplaced ? 1 : 0))
    }

    /// Reads the information.
    public init(from reader: inout WireReader) throws(WireError) {
        version = try reader.text(UInt8.self, in: 1...64)
        executable = try reader.text(UInt16.self, in: 0...Self.maximumPath)
        keychain = try reader.text(UInt16.self, in: 1...Self.maximumPath)
        if try reader.flag() {
            let device = try reader.integer(UInt64.self)
            file = FileIdentity(device: device, number: try reader.integer(UInt64.self))
        } else {
            file = nil
        }
        isOwner = try reader.flag()
        isReplaced = try reader.flag()
    }
}
