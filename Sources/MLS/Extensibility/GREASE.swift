import MildamCrypto
import MildamWire

/// The values that nobody may give a meaning, so that everybody learns to pass over what they do not know (RFC 9420,
/// section 13.5). Where they go, the application says.
public enum GREASE {
    /// Where such values go.
    ///
    /// By default they go into capabilities alone: there are implementations that take none elsewhere, though section 13.5 has
    /// them there, too. OpenMLS 0.8.1 refuses key packages and leaves with such an extension ("UnsupportedExtension").
    public struct Places: OptionSet, Sendable {
        /// A bit for each place.
        public let rawValue: UInt8

        /// The places of these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Each list of a leaf's capabilities but the versions, where an unknown one may be refused.
        public static let capabilities = Places(rawValue: 1)
        /// The extensions of leaves; the capabilities name their kinds.
        public static let leafExtensions = Places(rawValue: 2)
        /// The extensions of key packages.
        public static let keyPackageExtensions = Places(rawValue: 4)
        /// The extensions of GroupInfos.
        public static let groupInfoExtensions = Places(rawValue: 8)
        /// Wherever the RFC has them.
        public static let all: Places = [.capabilities, .leafExtensions, .keyPackageExtensions, .groupInfoExtensions]
    }

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
    /// Puts other values that mean nothing where the leaf is to have some, and takes those out that it had.
    mutating func grease(_ places: GREASE.Places, _ randomness: Randomness) {
        func plain<Kind: WireNumber>(_ list: [Kind]) -> [Kind] where Kind.RawValue == UInt16 {
            list.filter { !GREASE.values.contains($0.rawValue) }
        }
        func greased<Kind: WireNumber>(_ list: [Kind]) -> [Kind] where Kind.RawValue == UInt16 {
            let value = places.contains(.capabilities) ? [Kind(rawValue: GREASE.value(randomness))] : []
            return plain(list) + value
        }
        capabilities.cipherSuites = greased(capabilities.cipherSuites)
        capabilities.proposals = greased(capabilities.proposals)
        capabilities.credentials = greased(capabilities.credentials)
        extensions.list.removeAll { GREASE.values.contains($0.type.rawValue) }
        guard places.contains(.leafExtensions) else {
            capabilities.extensions = greased(capabilities.extensions)
            return
        }
        let meaningless = GREASE.extension(randomness)
        capabilities.extensions = plain(capabilities.extensions) + [meaningless.type]
        extensions.list.append(meaningless)
    }
}
