import FoundationEssentials
import Glibc

extension Array where Element == UInt8 {
    /// Overwrites the bytes with zeros, by a call that the compiler may not remove. Copies that others hold stay.
    public mutating func wipe() {
        unsafe withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { unsafe explicit_bzero(start, bytes.count) }
        }
    }
}

extension Data {
    /// Overwrites the bytes with zeros, by a call that the compiler may not remove. Copies that others hold stay.
    public mutating func wipe() {
        unsafe withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { unsafe explicit_bzero(start, bytes.count) }
        }
    }
}
