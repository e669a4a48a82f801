import MildamWire

/// What trying one passphrase costs: Argon2id with one lane (RFC 9106).
///
///     struct {
///         uint32 memory_kib;
///         uint32 passes;
///     } Argon2Costs;
public struct Argon2Costs: Sendable, Hashable {
    /// The memory to fill, in KiB (1,024 bytes): RFC 9106's `m`.
    public let memoryKiB: Int
    /// How often to go over it: RFC 9106's `t`.
    public let passes: Int

    /// 19 MiB, the least that OWASP's Password Storage Cheat Sheet names with two passes, to 4 GiB.
    public static let memoryLimits = 19_456...4_194_303
    /// Two to sixteen.
    public static let passLimits = 2...16
    /// 64 MiB and three passes, RFC 9106's second choice, in one lane.
    public static let standard = Argon2Costs(checked: 65_536, 3)

    /// The costs of new keys.
    ///
    /// - Throws: `EnclaveError.unsupported` outside the limits.
    public init(memoryKiB: Int, passes: Int) throws(EnclaveError) {
        guard Argon2Costs.memoryLimits.contains(memoryKiB), Argon2Costs.passLimits.contains(passes) else {
            throw .unsupported("Argon2id over \(memoryKiB) KiB in \(passes) passes")
        }
        self.init(checked: memoryKiB, passes)
    }

    private init(checked memoryKiB: Int, _ passes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
    }
}

extension Argon2Costs: WireEncodable, WireDecodable {
    /// Appends both numbers.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt32(memoryKiB))
        writer.integer(UInt32(passes))
    }

    /// Reads both numbers; outside the limits they are refused: too little protects nothing, too much stops the machine.
    @_lifetime(reader: copy reader)
    public init(from reader: inout WireReader) throws(WireError) {
        let memory = Int(try reader.integer(UInt32.self))
        let passes = Int(try reader.integer(UInt32.self))
        guard Argon2Costs.memoryLimits.contains(memory), Argon2Costs.passLimits.contains(passes) else {
            throw .invalidValue(field: "costs")
        }
        self.init(checked: memory, passes)
    }
}
