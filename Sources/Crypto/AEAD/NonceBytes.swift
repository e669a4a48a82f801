import FoundationEssentials

/// The bytes of a nonce: the usual twelve lie in place, since moving them one by one costs a tenth of a short message;
/// any other number lies apart.
enum NonceBytes: Equatable, Sendable {
    case twelve(Twelve)
    case longer(Data)

    /// Twelve bytes in memory, in two machine words.
    struct Twelve: Equatable, Sendable {
        private var start: UInt64 = 0
        private var end: UInt32 = 0
    }

    /// Twelve random bytes.
    static func random() -> NonceBytes {
        var bytes = Twelve()
        unsafe Swift.withUnsafeMutableBytes(of: &bytes) { unsafe SecureRandom.fillPublic($0) }
        return .twelve(bytes)
    }

    /// A copy of the bytes.
    ///
    /// - Throws: `incorrectParameterSize` when their number is none of `sizes`.
    init(_ data: some DataProtocol, sizes: ClosedRange<Int>) throws(CryptoKitError) {
        guard sizes.contains(data.count) else { throw .incorrectParameterSize }
        self.init(checked: data)
    }

    /// A copy of bytes whose number was checked before.
    init(checked data: some DataProtocol) {
        guard data.count == MemoryLayout<Twelve>.size else {
            self = .longer(Data(data))
            return
        }
        var bytes = Twelve()
        unsafe Swift.withUnsafeMutableBytes(of: &bytes) { bytes in
            unsafe data.withContiguousBytes { unsafe bytes.copyMemory(from: $0) }
        }
        self = .twelve(bytes)
    }

    var data: Data { unsafe withUnsafeBytes { unsafe Data($0) } }

    var count: Int {
        switch self {
        case .twelve: MemoryLayout<Twelve>.size
        case .longer(let bytes): bytes.count
        }
    }

    @inline(__always)
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        switch self {
        case .twelve(let bytes): try unsafe Swift.withUnsafeBytes(of: bytes, body)
        case .longer(let bytes): try unsafe bytes.withUnsafeBytes(body)
        }
    }
}
