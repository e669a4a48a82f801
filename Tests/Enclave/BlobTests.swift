import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamEnclave

/// Blobs that were cut, damaged, and forged.
@Suite("Key blobs", .serialized)
struct BlobTests {
    private func make(_ kind: EnclaveKind) async throws -> (any Enclave, SoftwareTPM?, EnclaveKeyBlob, EnclavePIN?) {
        let (enclave, keeping) = try kind.make()
        let pin = kind == .tpm ? nil : try EnclavePIN("1234")
        return (enclave, keeping, try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin)), pin)
    }

    @Test(arguments: EnclaveKind.available)
    func roundTrip(kind: EnclaveKind) async throws {
        let (_, _, key, _) = try await make(kind)
        let bytes = key.bytes
        #expect(bytes.count <= EnclaveKeyBlob.maximumByteCount)
        let read = try EnclaveKeyBlob(bytes: bytes)
        #expect(read == key && read.bytes == bytes)
    }

    @Test(arguments: EnclaveKind.available)
    func cutOrLengthened(kind: EnclaveKind) async throws {
        let (_, _, key, _) = try await make(kind)
        let bytes = key.bytes
        for count in 0..<bytes.count {
            #expect(throws: EnclaveError.damagedBlob) { try EnclaveKeyBlob(bytes: Array(bytes.prefix(count))) }
        }
        // With a digest that is right for what is left.
        let content = Array(bytes.dropLast(32))
        for count in 0..<content.count {
            #expect(throws: EnclaveError.damagedBlob) { try EnclaveKeyBlob(bytes: digested(content.prefix(count))) }
        }
        for more in [1, 100, 5000, 1 << 20] {
            let longer = content + [UInt8](repeating: 0, count: more)
            #expect(throws: EnclaveError.damagedBlob) { try EnclaveKeyBlob(bytes: digested(longer[...])) }
            #expect(throws: EnclaveError.damagedBlob) {
                try EnclaveKeyBlob(bytes: bytes + [UInt8](repeating: 0, count: more))
            }
        }
    }

    @Test(arguments: EnclaveKind.available)
    func everyBitFlipped(kind: EnclaveKind) async throws {
        let (_, _, key, _) = try await make(kind)
        for bit in 0..<key.bytes.count * 8 {
            #expect(throws: EnclaveError.damagedBlob, "bit \(bit)") {
                try EnclaveKeyBlob(bytes: flipped(key.bytes, bit))
            }
        }
    }

    /// A forger makes the digest right again; what he changed, the enclave refuses. There is no other key to be had, none
    /// without its PIN, and none with another purpose.
    @Test(arguments: EnclaveKind.available)
    func everyBitForged(kind: EnclaveKind) async throws {
        let (enclave, keeping, key, pin) = try await make(kind)
        let peer = P256.KeyAgreement.PrivateKey()
        let expected = try peer.sharedSecretFromKeyAgreement(with: key.agreementKey)
        let content = Array(key.bytes.dropLast(32))
        // What tells TPMs apart when a key does not open is no part of the key.
        let diagnosis = kind == .tpm ? 73 + 34 + 1..<73 + 34 + 1 + 34 : 0..<0
        // Costs that a forger raises are paid before they are refused: gigabytes, in the full count only.
        let costly = kind == .software && Count.of(few: 1, full: 0) == 1 ? 73..<81 : 0..<0
        var random = Seed.generator(for: "everyBitForged")
        let offset = Count.of(few: Int.random(in: 0..<11, using: &random), full: 0)
        var (tried, refused) = (0, 0)
        for bit in stride(from: offset, to: content.count * 8, by: Count.of(few: 11, full: 1)) {
            if costly.contains(bit / 8) { continue }
            tried += 1
            guard let forged = try? EnclaveKeyBlob(bytes: digested(flipped(content, bit)[...])) else {
                refused += 1
                continue
            }
            if let secret = try? await enclave.sharedSecret(with: peer.publicKey, key: forged, pin: pin) {
                #expect(diagnosis.contains(bit / 8), "bit \(bit) does not matter")
                #expect(secret == expected)
            } else {
                refused += 1
            }
        }
        #expect(tried > 90 && refused >= tried - diagnosis.count * 8)
        #expect(try keeping?.slots().isEmpty ?? true)
    }

    /// Nobody can pass another's public key off as this one's, or make a key do what it was not made for.
    @Test(arguments: EnclaveKind.available)
    func otherPublicKeysAndPurposes(kind: EnclaveKind) async throws {
        let (enclave, keeping, key, pin) = try await make(kind)
        let content = Array(key.bytes.dropLast(32))
        let peer = P256.KeyAgreement.PrivateKey().publicKey
        var other = content
        other.replaceSubrange(8..<73, with: peer.x963Representation)
        let swapped = try EnclaveKeyBlob(bytes: digested(other[...]))
        let refusal: EnclaveError = kind == .tpm ? .damagedBlob : .wrongPIN(triesLeft: nil)
        let agreed = await failure { _ = try await enclave.sharedSecret(with: peer, key: swapped, pin: pin) }
        #expect(agreed == refusal)
        other = content
        other[6] = 2
        let signing = try EnclaveKeyBlob(bytes: digested(other[...]))
        let digest = SHA256.hash(data: Data())
        let signed = await failure { _ = try await enclave.signature(for: digest, key: signing, pin: pin) }
        #expect(signed == refusal)
        // The hybrid form of a point (ANSI X9.62), which libcrypto reads.
        for form: UInt8 in [2, 3, 6, 7] {
            other = content
            other[8] = form
            #expect(throws: EnclaveError.damagedBlob) { try EnclaveKeyBlob(bytes: digested(other[...])) }
        }
        withExtendedLifetime(keeping) {}
    }

    /// Costs that would stop the machine, or protect nothing, are refused before anything is computed.
    @Test func costs() async throws {
        let (_, _, key, _) = try await make(.software)
        let content = Array(key.bytes.dropLast(32))
        for (memory, passes) in [(0, 3), (19_455, 2), (4_194_304, 2), (UInt32.max, 2), (65_536, 1), (65_536, 17)] {
            var forged = content
            forged.replaceSubrange(73..<77, with: (0..<4).map { UInt8(truncatingIfNeeded: memory >> (24 - 8 * $0)) })
            forged.replaceSubrange(77..<81, with: (0..<4).map { UInt8(truncatingIfNeeded: passes >> (24 - 8 * $0)) })
            #expect(throws: EnclaveError.damagedBlob) { try EnclaveKeyBlob(bytes: digested(forged[...])) }
            #expect(throws: EnclaveError.self) { try Argon2Costs(memoryKiB: Int(memory), passes: passes) }
        }
    }

    @Test func laterVersions() async throws {
        let (_, _, key, _) = try await make(.software)
        var content = Array(key.bytes.dropLast(32))
        content[4] = 2
        do {
            _ = try EnclaveKeyBlob(bytes: digested(content[...]))
            Issue.record("read")
        } catch {
            guard case .unsupported = error else { throw error }
        }
    }

    private func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
        var bytes = bytes
        bytes[bit / 8] ^= 1 << (bit % 8)
        return bytes
    }

    private func digested(_ content: ArraySlice<UInt8>) -> [UInt8] {
        content + Array(SHA256.hash(data: content))
    }
}
