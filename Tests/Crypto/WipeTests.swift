import Foundation
import TestSupport
import Testing

@testable import MildamCrypto

/// What is left in memory of secrets that are gone. Run at -O too: the compiler may drop what nothing reads.
@Suite(
    "Wiped memory",
    .serialized,
    .disabled(if: Sanitizer.isOn, "a sanitizer keeps freed memory, and shadows terabytes of it")
)
struct WipeTests {
    /// One size of each kind of memory: the three slots. A larger secret has pages of its own, which are given back. A
    /// slot may have a new owner at once, but never the old bytes.
    @Test(arguments: [32, 64, 500, 4096])
    func aSecretIsWipedWhenItsOwnerGoes(count: Int) throws {
        let (address, masked) = placeAndDrop(count)
        #expect(try ProcessMemory.firstLeft(of: masked, at: address) == nil)
    }

    private func placeAndDrop(_ count: Int) -> (UInt, [UInt8]) {
        let secret = SecretBytes.random(count: count)
        return unsafe secret.withUnsafeBytes { bytes in
            unsafe (UInt(bitPattern: bytes.baseAddress), bytes.map { $0 ^ 0xff })
        }
    }

    @Test func aSecretIsWipedWhenItsMakingFails() throws {
        struct Refusal: Error {}
        var written: MaskedSecret?
        do {
            let secret = try unsafe SecretBytes(count: 32) { bytes throws(Refusal) in
                unsafe SecureRandom.fill(bytes)
                written = unsafe MaskedSecret(UnsafeRawBufferPointer(bytes))
                throw Refusal()
            }
            Issue.record("made \(secret.count) bytes")
        } catch {}
        #expect(try ProcessMemory.occurrences(of: #require(written).bytes) == 0)
    }

    @Test func aSymmetricKeyIsWipedWithItsLastCopy() throws {
        var copies = [SymmetricKey](repeating: SymmetricKey(size: .bits256), count: 2)
        let secret = unsafe copies[0].withUnsafeBytes { unsafe MaskedSecret($0) }
        copies.removeLast()
        #expect(try ProcessMemory.occurrences(of: secret.bytes) == 1)
        copies.removeLast()
        #expect(try ProcessMemory.occurrences(of: secret.bytes) == 0)
    }

    @Test func bytesThatFailedAreWipedBeforeTheyAreFreed() throws {
        var written: MaskedSecret?
        do {
            // A size that little else has, so that nothing else is laid over it; the secret lies in its middle.
            let data = try unsafe Data.filled(1000) { bytes in
                unsafe SecureRandom.fill(bytes)
                written = unsafe MaskedSecret(UnsafeRawBufferPointer(rebasing: bytes[500...]))
                return .authenticationFailure
            }
            Issue.record("made \(data.count) bytes")
        } catch {
            #expect(error == .authenticationFailure)
        }
        #expect(try ProcessMemory.occurrences(of: #require(written).bytes) == 0)
    }

    /// After its use, a secret is in no memory: neither in its own slot, nor in the thread's contexts, nor on the stack,
    /// where the loader leaves an HMAC's key when it looks names up at their first call.
    @Test(arguments: SecretUse.allCases)
    func nothingStaysAfterItsUse(use: SecretUse) throws {
        let secrets = try use.run()
        #expect(!secrets.isEmpty)
        let none = [Int](repeating: 0, count: secrets.count)
        let found = try ProcessMemory.occurrences(of: secrets.map(\.bytes) + secrets.map(\.reversedBytes))
        #expect(found == none + none, "how often each secret is there, and each with its end first")
    }

    /// Contexts that keep a key hold it where the search can see it; so does the stack.
    @Test func theSearchFindsAKeyThatIsThere() throws {
        let key = SymmetricKey(size: .bits256)
        let secret = unsafe key.withUnsafeBytes { unsafe MaskedSecret($0) }
        #expect(try ProcessMemory.occurrences(of: secret.bytes) == 1)
        let gcm = try AES.GCM.Sealer(key: key)
        #expect(try ProcessMemory.occurrences(of: secret.bytes) == 2)
        let cha = try ChaChaPoly.Opener(key: key)
        #expect(try ProcessMemory.occurrences(of: secret.bytes) == 3)
        var onStack: InlineArray<32, UInt8> = InlineArray(repeating: 0)
        let found = try unsafe withUnsafeMutableBytes(of: &onStack) { stack in
            unsafe key.withUnsafeBytes { unsafe stack.copyMemory(from: $0) }
            defer { unsafe stack.copyBytes(from: repeatElement(0, count: 32)) }
            return try ProcessMemory.occurrences(of: secret.bytes)
        }
        #expect(found == 4)
        discard(gcm, cha)
        #expect(try ProcessMemory.occurrences(of: secret.bytes) == 1)
        #expect(key.bitCount == 256)
    }

    private func discard(_: consuming AES.GCM.Sealer, _: consuming ChaChaPoly.Opener) {}
}
