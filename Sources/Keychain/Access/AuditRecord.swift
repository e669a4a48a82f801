import MildamWire

/// A line of the audit log.
public struct AuditRecord: Equatable, Sendable {
    /// What happened.
    public enum Event: UInt8, Sendable {
        /// A program asked for a group that it may not use.
        case denied = 1
        /// A program was granted a group.
        case granted = 2
        /// A grant was taken back.
        case revoked = 3
        /// A program read items of a group in the file itself, past the agent: one record for each group and opening.
        case readPastAgent = 4
        /// Somebody gave a wrong passphrase, PIN or code. Written with the next right one.
        case wrongSecret = 5
        /// What was changed from outside was accepted.
        case repaired = 6
    }

    /// Milliseconds since 1970.
    public let time: Int64
    /// What happened.
    public let event: Event
    /// By whom or, of a grant, for whom.
    public let program: ProgramIdentity
    /// The group; empty where none is meant.
    public let group: String

    /// How many records are kept; the oldest go first.
    public static let maximumCount = 10_000
}

/// ```
/// struct { uint64 time; uint8 event; uint32 user; opaque executable<0..4096>; opaque group<0..1024>; } AuditRecord;
/// ```
extension AuditRecord: WireEncodable, WireDecodable {
    /// Appends the record.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt64(bitPattern: time))
        writer.integer(event.rawValue)
        writer.integer(program.user)
        writer.text(UInt16.self, program.executable)
        writer.text(UInt16.self, group)
    }

    /// Reads a record.
    public init(from reader: inout WireReader) throws(WireError) {
        time = Int64(bitPattern: try reader.integer(UInt64.self))
        guard let event = Event(rawValue: try reader.integer()) else { throw .invalidValue(field: "event") }
        self.event = event
        let user = try reader.integer(UInt32.self)
        program = ProgramIdentity(executable: try reader.text(UInt16.self, in: 0...4096), user: user)
        group = try reader.text(UInt16.self, in: 0...ItemContent.maximumGroup)
    }
}
