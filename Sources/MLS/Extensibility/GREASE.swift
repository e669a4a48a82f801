import MildamWire

/// The values that nobody may give a meaning, so that everybody learns to pass over what they do not know (RFC 9420,
/// section 13.5). Each leaf, key package and GroupInfo that is made here has some.
public enum GREASE {
    /// 0x0A0A to 0xEAEA.
    public static let values: [UInt16] = (0...14).map { 0x0A0A + 0x1010 * $0 }

    /// One of them.
    static func value(_ randomness: Randomness) -> UInt16 {
        values[Int(randomness.bytes(count: 1)[0]) % values.count]
    }

    /// An extension that says nothing, at some length.
    static func `extension`(_ randomness: Randomness) -> Extension {
        let size = Int(randomness.bytes(count: 1)[0] % 16)
        return Extension(type: ExtensionType(rawValue: value(randomness)), data: randomness.bytes(count: size + 1))
    }
}

extension Extensions {
    /// These, and one that says nothing; unless the application has one of its kind.
    func greased(_ randomness: Randomness) -> Extensions {
        let meaningless = GREASE.extension(randomness)
        return types.contains(meaningless.type) ? self : Extensions(list + [meaningless])
    }
}

extension LeafNodeContent {
    /// Puts other values that mean nothing wherever a leaf may have some.
    mutating func grease(_ randomness: Randomness) {
        func greased<Kind: WireNumber>(_ list: [Kind]) -> [Kind] where Kind.RawValue == UInt16 {
            list.filter { !GREASE.values.contains($0.rawValue) }
                + [Kind(rawValue: GREASE.value(randomness))]
        }
        let meaningless = GREASE.extension(randomness)
        capabilities.cipherSuites = greased(capabilities.cipherSuites)
        capabilities.proposals = greased(capabilities.proposals)
        capabilities.credentials = greased(capabilities.credentials)
        capabilities.extensions =
            capabilities.extensions.filter { !GREASE.values.contains($0.rawValue) } + [meaningless.type]
        extensions.list = extensions.list.filter { !GREASE.values.contains($0.type.rawValue) } + [meaningless]
    }
}
