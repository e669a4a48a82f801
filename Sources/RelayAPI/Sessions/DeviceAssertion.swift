import FoundationEssentials
import MildamIdentity
import MildamWire

/// How a device authenticates itself at the token endpoint, as a client assertion (RFC 7521, section 4.2): its signature
/// over ``SessionProof``. In a request it stands in base64url, 118 characters.
///
/// ```
/// struct { opaque device[16]; uint64 time; opaque signature[64]; } DeviceAssertion;
/// ```
public struct DeviceAssertion: Sendable, Equatable {
    /// The `client_assertion_type`.
    public static let type = "urn:mildam:params:oauth:client-assertion-type:device"

    /// The device.
    public var device: DeviceID
    /// When, in seconds since 1970, by the device's clock.
    public var time: Int64
    /// Ed25519, 64 bytes.
    public var signature: Data

    /// Makes an assertion.
    public init(device: DeviceID, time: Int64, signature: Data) {
        self.device = device
        self.time = time
        self.signature = signature
    }

    /// The value of `client_assertion`.
    public var text: String { Base64.url.encode(wireBytes) }

    /// Reads a value of `client_assertion`.
    ///
    /// - Throws: `WireError`.
    public init(text: String) throws(WireError) {
        try self.init(wireBytes: Base64.url.decode(text))
    }
}

extension DeviceAssertion: WireEncodable, WireDecodable {
    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        device.encode(into: &writer)
        writer.integer(UInt64(bitPattern: time))
        writer.fixed(signature)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        device = try DeviceID(from: &reader)
        time = Int64(bitPattern: try reader.integer(UInt64.self))
        signature = Data(try reader.fixed(64))
    }
}
