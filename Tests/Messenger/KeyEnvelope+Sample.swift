import MildamGroupKey
import MildamIdentity
import MildamWire

extension KeyEnvelope {
    /// An envelope that nobody has signed: no more than its form is right.
    init(
        sampleFor room: RoomID,
        generation: UInt32,
        from account: AccountID,
        boxSize: Int = 28
    ) throws {
        var writer = WireWriter()
        writer.integer(UInt8(1))
        room.encode(into: &writer)
        writer.integer(generation)
        account.encode(into: &writer)
        DeviceID.random().encode(into: &writer)
        try Handle("sample").encode(into: &writer)
        AccountID.random().encode(into: &writer)
        DeviceID.random().encode(into: &writer)
        writer.fixed([UInt8](repeating: 1, count: 32))
        writer.vector(UInt16.self, [UInt8](repeating: 2, count: boxSize))
        writer.fixed([UInt8](repeating: 3, count: 64))
        try self.init(wireBytes: writer.bytes)
    }
}
