/// The padding of PKCS#7 (RFC 5652, section 6.3): n bytes of the value n, 1 to 16, up to a whole block.
enum PKCS7 {
    /// How many bytes of padding follow content of this size.
    static func paddingSize(after count: Int) -> Int {
        Insecure.AES.blockByteCount - count % Insecure.AES.blockByteCount
    }

    /// How many bytes at the end of the last block are padding; `nil` when they are none, found in a time that does not
    /// depend on them.
    static func paddingSize(of lastBlock: UnsafeRawBufferPointer) -> Int? {
        precondition(lastBlock.count == Insecure.AES.blockByteCount, "one block")
        let size = unsafe Int(lastBlock[15])
        // Each is -1 or 0: of a negative number the shift leaves the sign alone.
        var wrong = (size - 1) >> 8 | (16 - size) >> 8
        for distance in 0..<16 {
            let isPadding = (distance - size) >> 8
            unsafe wrong |= isPadding & (Int(lastBlock[15 - distance]) ^ size)
        }
        return wrong == 0 ? size : nil
    }
}
