import FoundationEssentials

extension DataProtocol {
    /// Runs `body` on the bytes in one piece: where they lie when they are contiguous, else on a copy wiped afterwards.
    @inlinable
    func withContiguousBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let direct = withContiguousStorageIfAvailable { unsafe body(UnsafeRawBufferPointer($0)) }
        if let direct { return direct }
        let copy = unsafe SecretBytes(count: count) { buffer in
            unsafe _ = self.copyBytes(to: buffer)
        }
        return unsafe copy.withUnsafeBytes(body)
    }
}
