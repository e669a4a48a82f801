import MildamCrypto
import MildamWire

@testable import MildamEnclave

extension FuzzTarget {
    /// Keys as enclaves give them away, and counters. The first byte says which. A blob's digest is put right before it is
    /// read: what stands before it is what is to be read.
    static let enclaveBlob = FuzzTarget(
        name: "enclave-blob",
        source: .file,
        seeds: {
            [
                [0] + head(kind: 1) + tpmKey, [0] + head(kind: 2) + softwareKey, [1] + counter,
                [2] + Array("swtpm:path=/s".utf8),
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0: readBlob(rest)
            case 1:
                guard let read = try? MonotonicCounter(representation: SecretBytes(copying: rest)) else { return }
                let again = unsafe read.representation.withUnsafeBytes { unsafe Array($0) }
                mustHold(again == rest, "a counter has one form")
            default:
                let text = String(decoding: rest, as: UTF8.self)
                guard let address = try? TPMAddress(text) else { return }
                mustHold((try? TPMAddress(address.description)) == address, "an address is read as written")
            }
        }
    )

    private static func readBlob(_ content: [UInt8]) {
        let bytes = content + Array(SHA256.hash(data: content))
        guard let blob = try? EnclaveKeyBlob(bytes: bytes) else { return }
        planted(content != head(kind: 1) + tpmKey && content != head(kind: 2) + softwareKey)
        mustHold(blob.bytes == bytes, "a blob has one form")
        mustHold(bytes.count <= EnclaveKeyBlob.maximumByteCount, "a blob is not longer than it may be")
        mustHold(blob.kind == .tpm || blob.hasPIN, "no software key is without a passphrase")
        if case .software(let key) = blob.protection {
            mustHold(Argon2Costs.memoryLimits.contains(key.costs.memoryKiB), "costs are within their limits")
            mustHold(Argon2Costs.passLimits.contains(key.costs.passes), "costs are within their limits")
        }
    }

    private static func head(kind: UInt8) -> [UInt8] {
        let key = must { () throws(CryptoKitError) in
            try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32))
        }
        return Array("MEKB".utf8) + [1, kind, 2, 1] + Array(key.publicKey.x963Representation)
    }

    private static let name: [UInt8] = [0, 0x0B] + [UInt8](repeating: 2, count: 32)

    private static var tpmKey: [UInt8] { name + [34] + name + [0, 20] + [UInt8](repeating: 3, count: 20) }

    private static var softwareKey: [UInt8] { [0, 1, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 4, count: 76) }

    private static var counter: [UInt8] { [1, 0x01, 0x80, 0, 1] + name + [UInt8](repeating: 5, count: 32) }
}
