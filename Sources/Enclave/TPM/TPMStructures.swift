import CTSS2
import FoundationEssentials

// The TPM's structures carry bytes in arrays of fixed size, which Swift sees as tuples.

extension TPMS_ECC_POINT {
    /// The point of 0x04 ‖ X ‖ Y.
    init(x963Representation point: Data) {
        self.init()
        x.assign(point.dropFirst().prefix(32))
        y.assign(point.suffix(32))
    }
}

extension TPM2B_ECC_PARAMETER {
    /// Takes 32 bytes or fewer.
    mutating func assign(_ bytes: some Collection<UInt8>) {
        size = UInt16(min(bytes.count, 32))
        unsafe withUnsafeMutableBytes(of: &buffer) { unsafe $0.copyBytes(from: bytes.prefix(32)) }
    }

    /// The number in 32 bytes; some TPMs leave its leading zeros out. Longer ones are cut, and then wrong.
    var padded: [UInt8] {
        let count = min(Int(size), 32)
        let bytes = unsafe withUnsafeBytes(of: buffer) { unsafe Array($0.prefix(count)) }
        return [UInt8](repeating: 0, count: 32 - count) + bytes
    }
}

extension TPM2B_DIGEST {
    /// A digest, nonce or authorization of 64 bytes or fewer.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init()
        size = UInt16(min(bytes.count, 64))
        unsafe withUnsafeMutableBytes(of: &buffer) { unsafe $0.copyMemory(from: .init(rebasing: bytes.prefix(64))) }
    }
}

extension TPM2B_PRIVATE {
    init(_ bytes: [UInt8]) {
        self.init()
        unsafe withUnsafeMutableBytes(of: &buffer) { buffer in
            size = UInt16(min(bytes.count, buffer.count))
            unsafe buffer.copyBytes(from: bytes.prefix(buffer.count))
        }
    }

    var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: buffer) { unsafe Array($0.prefix(Int(size))) }
    }
}
