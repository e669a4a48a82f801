import MildamKeychain

/// What the use of an item asks for.
public struct SecAccessControlCreateFlags: OptionSet, Hashable, Sendable {
    /// The bits, as Apple has them.
    public let rawValue: CFOptionFlags

    /// Flags of these bits.
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// A person who shows that they are there: of an enclave's key, by its PIN.
    public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)
    /// Any finger or face. Refused: there is no such device here.
    public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)
    /// A finger or face of those that are enrolled now. Refused: there is no such device here.
    public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)
    /// A passcode: of an enclave's key, its PIN.
    public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)
    /// A watch nearby. Refused: there is no such device here.
    public static let companion = SecAccessControlCreateFlags(rawValue: 1 << 5)
    /// One of the conditions is enough.
    public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)
    /// All conditions are needed.
    public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)
    /// A private key may be used: what keys of an enclave need on Apple's systems.
    public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
    /// A password of the program's own: of an enclave's key, its PIN.
    public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)

    /// What an enclave's PIN does.
    static let pin: SecAccessControlCreateFlags = [.userPresence, .devicePasscode, .applicationPassword]
}

/// When an item can be read, and what its use asks for.
public final class SecAccessControl: Hashable, Sendable {
    let accessibility: Accessibility
    let flags: SecAccessControlCreateFlags

    init(_ accessibility: Accessibility, _ flags: SecAccessControlCreateFlags) {
        self.accessibility = accessibility
        self.flags = flags
    }

    /// Whether both ask for the same.
    public static func == (left: SecAccessControl, right: SecAccessControl) -> Bool {
        left.accessibility == right.accessibility && left.flags == right.flags
    }

    /// Feeds what it asks for to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(accessibility)
        hasher.combine(flags)
    }

    /// Throws when the item, which no enclave holds, would be kept with less than what this asks for.
    func checkWithoutEnclave() throws(Refusal) {
        guard flags.isSubset(of: [.privateKeyUsage]) else {
            throw Refusal(
                errSecUnimplemented,
                "only a key of an enclave can ask for a person; nothing is kept with less"
            )
        }
    }

    /// Whether a key of an enclave is to ask for a PIN.
    func asksForPIN() throws(Refusal) -> Bool {
        let conditions = flags.subtracting([.privateKeyUsage, .or, .and])
        guard conditions.isSubset(of: .pin) else {
            throw Refusal(errSecUnimplemented, "an enclave here can ask for a PIN, and for no finger, face or watch")
        }
        return !conditions.isEmpty
    }
}

/// An access control.
///
/// - Parameters:
///   - allocator: `nil`.
///   - protection: one of the values `kSecAttrAccessible…`.
///   - flags: what the use asks for.
///   - error: where an error goes.
/// - Returns: `nil`, and an `errSecParam` at `error`, for another protection, or flags that contradict each other.
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?,
    _ protection: Any,
    _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    unsafe unless(error) { () throws(Refusal) in
        let accessibility = try Accessibility(constant: protection)
        guard !flags.isSuperset(of: [.or, .and]) else { throw .parameter("conditions are joined by or, or by and") }
        guard !flags.isSuperset(of: [.biometryAny, .biometryCurrentSet]) else {
            throw .parameter("only one condition of biometry can be set")
        }
        let others = flags.subtracting([.userPresence, .applicationPassword, .privateKeyUsage])
        guard !flags.contains(.userPresence) || others.isEmpty else {
            throw .parameter("userPresence goes with applicationPassword and privateKeyUsage only")
        }
        return SecAccessControl(accessibility, flags)
    }
}
