import Glibc

/// How to reach a TPM: the string that the TSS calls a TCTI, of which two kinds are known.
///
/// - `device:PATH`, or the path alone: a device of the kernel's. `/dev/tpmrm0` gives each program slots of its own;
///   `/dev/tpm0` gives the chip's to one program at a time.
/// - `swtpm:path=SOCKET` or `swtpm:host=HOST,port=PORT`: a simulator. Its control socket is at `SOCKET.ctrl`, or at the
///   next port.
public struct TPMAddress: Sendable, Hashable, CustomStringConvertible {
    /// What reaches it.
    enum Transport: Sendable, Hashable {
        case device
        case simulator
    }

    let transport: Transport
    /// What the transport is told.
    let configuration: String
    /// The device or socket, where it has a path.
    let path: String?
    /// Whether each connection has slots of its own, which end with it.
    let isManaged: Bool

    /// The kernel's TPM, with its resource manager.
    public static let kernel = TPMAddress(.device, "/dev/tpmrm0", path: "/dev/tpmrm0")

    /// Reads an address.
    ///
    /// - Throws: `EnclaveError.invalidAddress`.
    public init(_ text: String) throws(EnclaveError) {
        if let rest = TPMAddress.rest(of: text, after: "device:") ?? (text.hasPrefix("/") ? text : nil) {
            guard rest.hasPrefix("/") else { throw .invalidAddress(text) }
            self.init(.device, rest, path: rest)
        } else if let rest = TPMAddress.rest(of: text, after: "swtpm:"), !rest.isEmpty {
            self.init(.simulator, rest, path: TPMAddress.rest(of: rest, after: "path="))
        } else {
            throw .invalidAddress(text)
        }
    }

    /// The address in the environment's `MILDAM_TPM`; without one, `kernel`.
    ///
    /// - Throws: `EnclaveError.invalidAddress`.
    public static func standard() throws(EnclaveError) -> TPMAddress {
        guard let named = unsafe getenv("MILDAM_TPM").map({ unsafe String(cString: $0) }), !named.isEmpty else {
            return kernel
        }
        return try TPMAddress(named)
    }

    private init(_ transport: Transport, _ configuration: String, path: String?) {
        self.init(
            transport,
            configuration,
            path: path,
            isManaged: transport == .device && configuration.hasPrefix("/dev/tpmrm")
        )
    }

    init(_ transport: Transport, _ configuration: String, path: String?, isManaged: Bool) {
        self.transport = transport
        self.configuration = configuration
        self.path = path
        self.isManaged = isManaged
    }

    /// The address in its full form.
    public var description: String {
        switch transport {
        case .device: "device:" + configuration
        case .simulator: "swtpm:" + configuration
        }
    }

    private static func rest(of text: String, after prefix: String) -> String? {
        text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }
}
