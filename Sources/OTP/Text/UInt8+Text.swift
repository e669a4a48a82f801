extension UInt8 {
    /// Whether it is a space, a tab, or an end of a line.
    package var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }

    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// An ASCII letter in lower case; any other byte as it is.
    package var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

    /// The value of a hexadecimal digit.
    package var hexadecimalValue: UInt8? {
        switch lowercased {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): lowercased - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Whether a URI has it as it is (RFC 3986, section 2.3).
    package var isUnreserved: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased) || "-._~".utf8.contains(self)
    }
}
