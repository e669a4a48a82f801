extension [UInt8] {
    /// Room for bytes that are written before they are read. Filling it with zeros first would cost a small file more
    /// than encrypting it does.
    static func buffer(count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { _, filled in filled = count }
    }
}
