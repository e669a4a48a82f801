import MildamIdentity
import MildamWire

/// The body of `PUT /v1/key-packages`: key packages of the calling device. Those of last resort take the place of the one before.
///
///     struct {
///         uint8 version = 1;
///         uint8 replaces;              // 1: those that the relay has go
///         KeyPackage key_packages<V>;  // each an MLSMessage as opaque<V>, 8 KiB at most; 0 to 101 of them
///     } KeyPackageUpload;
public struct KeyPackageUpload: Hashable, Sendable {
    /// Whether those that the relay has go.
    public let replaces: Bool
    /// The key packages, each as an MLSMessage.
    public let keyPackages: [[UInt8]]

    /// Makes an upload.
    public init(_ keyPackages: [[UInt8]], replaces: Bool = false) {
        self.keyPackages = keyPackages
        self.replaces = replaces
    }
}

extension KeyPackageUpload: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        let flag = try reader.integer(UInt8.self)
        guard flag <= 1 else { throw .invalidValue(field: "replaces") }
        replaces = flag == 1
        var entries = try reader.nested()
        var keyPackages: [[UInt8]] = []
        while entries.remaining > 0 {
            guard keyPackages.count < Limits.keyPackages else { throw .lengthOutOfRange(keyPackages.count + 1) }
            keyPackages.append(try entries.vector(in: 1...Limits.keyPackage))
        }
        self.keyPackages = keyPackages
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        writer.integer(UInt8(replaces ? 1 : 0))
        writer.nested { writer in for keyPackage in keyPackages { writer.vector(keyPackage) } }
    }
}

/// How many key packages of the calling device can still be claimed: the answer of `GET` and `PUT /v1/key-packages`.
public struct KeyPackageCount: Codable, Sendable, Equatable {
    /// Those that can be claimed once.
    public var left: Int
    /// Whether there is one of last resort.
    public var hasLastResort: Bool

    /// Makes a stock.
    public init(left: Int, hasLastResort: Bool) {
        self.left = left
        self.hasLastResort = hasLastResort
    }
}

/// The body of `POST /v1/accounts/HANDLE/key-packages`: a key package of each of the account's devices.
public struct ClaimRequest: Codable, Sendable, Equatable {
    /// The claim's id, chosen by the client: a retry gets the same key packages.
    public var id: ClaimID
    /// The room that the account is to be brought into.
    public var room: RoomID

    /// Makes a request.
    public init(id: ClaimID, room: RoomID) {
        self.id = id
        self.room = room
    }
}

/// What was claimed: the answer of `POST /v1/accounts/HANDLE/key-packages`.
///
///     struct {
///         opaque device[16];
///         opaque key_package<V>;    // an MLSMessage, 8 KiB at most; empty where the device has none
///     } ClaimedKeyPackage;
///     struct {
///         uint8 version = 1;
///         ClaimedKeyPackage devices<V>;    // 64 at most
///     } ClaimedKeyPackages;
public struct ClaimedKeyPackages: Hashable, Sendable {
    /// What a device has.
    public struct Entry: Hashable, Sendable {
        /// The device.
        public let device: DeviceID
        /// Its key package, as an MLSMessage; empty where it has none.
        public let keyPackage: [UInt8]

        /// What a device has.
        public init(device: DeviceID, keyPackage: [UInt8]) {
            self.device = device
            self.keyPackage = keyPackage
        }
    }

    /// The account's devices, ascending by id.
    public let entries: [Entry]

    /// Makes an answer.
    public init(_ entries: [Entry]) {
        self.entries = entries
    }
}

extension ClaimedKeyPackages: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        var content = try reader.nested()
        var entries: [Entry] = []
        while content.remaining > 0 {
            guard entries.count < Limits.accountDevices else { throw .lengthOutOfRange(entries.count + 1) }
            let device = try DeviceID(from: &content)
            guard entries.last.map({ $0.device < device }) ?? true else { throw .invalidValue(field: "device") }
            entries.append(Entry(device: device, keyPackage: try content.vector(in: 0...Limits.keyPackage)))
        }
        self.entries = entries
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        writer.nested { writer in
            for entry in entries {
                entry.device.encode(into: &writer)
                writer.vector(entry.keyPackage)
            }
        }
    }
}
