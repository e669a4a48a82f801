import MildamWire

/// Leave for a program to use an access group.
public struct AccessGrant: Hashable, Sendable {
    /// The program.
    public let program: ProgramIdentity
    /// The group.
    public let group: String

    /// Names what is granted.
    public init(_ program: ProgramIdentity, _ group: String) {
        self.program = program
        self.group = group
    }
}

/// ```
/// struct { uint32 user; opaque executable<1..4096>; opaque group<1..1024>; } AccessGrant;
/// ```
extension AccessGrant: WireEncodable, WireDecodable {
    /// Appends user, executable and group.
    public func encode(into writer: inout WireWriter) {
        writer.integer(program.user)
        writer.text(UInt16.self, program.executable)
        writer.text(UInt16.self, group)
    }

    /// Reads a grant.
    public init(from reader: inout WireReader) throws(WireError) {
        let user = try reader.integer(UInt32.self)
        let executable = try reader.text(UInt16.self, in: 1...4096)
        self.init(
            ProgramIdentity(executable: executable, user: user),
            try reader.text(UInt16.self, in: 1...ItemContent.maximumGroup)
        )
    }
}
