import FoundationEssentials
import MildamCrypto
import MildamWire

/// How a packet is written: as its bytes, or as text for where bytes do not go.
public enum ECIESPacketForm: String, CaseIterable, Sendable {
    /// The bytes, as Apple's functions give them.
    case binary
    /// Base64 with padding (RFC 4648, section 4), and a line break.
    case base64
    /// Hexadecimal digits, and a line break.
    case hex

    /// The most bytes that are read: of the longest packet, and of a text its digits and its line breaks.
    public var maximumByteCount: Int {
        let packet = ECIES.maximumMessageByteCount + ECIES.Packet<P521>.overhead
        return self == .binary ? packet : 2 * packet + packet / 8
    }

    /// Writes a packet.
    public func encode(_ packet: Data) -> [UInt8] {
        switch self {
        case .binary: Array(packet)
        case .base64: Array((Base64.standard.encode(packet) + "\n").utf8)
        case .hex: Array((Hex.encode(packet) + "\n").utf8)
        }
    }

    /// The packet that was written; spaces and line breaks of a text are passed over.
    ///
    /// - Throws: `WireError.invalidText` for what is no such text.
    public func decode(_ bytes: [UInt8]) throws(WireError) -> Data {
        guard self != .binary else { return Data(bytes) }
        let characters = bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let text = String(validating: characters, as: UTF8.self) else { throw .invalidText }
        return self == .base64 ? Data(try Base64.standard.decode(text)) : Data(try Hex.decode(text))
    }
}
