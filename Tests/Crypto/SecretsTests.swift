import Foundation
import MildamCrypto
import Testing

@Suite("Secrets in memory", .serialized)
struct SecretsTests {
    /// One size of each kind of memory: the three slots. A larger secret has pages of its own, which are given back.
    @Test(arguments: [32, 64, 500, 4096])
    func aSecretIsWipedWhenItsOwnerGoes(count: Int) throws {
        let (address, masked) = placeAndDrop(count)
        let left = try ProcessMemory.read(address, count)
        // The slot may have a new owner by now, but never the old bytes: not one run of eight of them.
        for start in stride(from: 0, to: count - 7, by: 8) {
            let old = masked[start..<start + 8].map { $0 ^ 0xff }
            #expect(Array(left[start..<start + 8]) != old, "bytes \(start)... are still there")
        }
    }

    private func placeAndDrop(_ count: Int) -> (UInt, [UInt8]) {
        let secret = SecretBytes.random(count: count)
        return unsafe secret.withUnsafeBytes { bytes in
            unsafe (UInt(bitPattern: bytes.baseAddress), bytes.map { $0 ^ 0xff })
        }
    }

    @Test func aSymmetricKeyIsWipedWithItsLastCopy() throws {
        var copies = [SymmetricKey](repeating: SymmetricKey(size: .bits256), count: 2)
        let (address, old) = unsafe copies[0].withUnsafeBytes { bytes in
            unsafe (UInt(bitPattern: bytes.baseAddress), Array(bytes))
        }
        copies.removeLast()
        #expect(try ProcessMemory.read(address, 32) == old)
        copies.removeLast()
        #expect(try ProcessMemory.read(address, 32) != old)
    }

    /// After sealing, opening and failing to open, the key is in no memory: neither in its own slot, nor in the thread's
    /// contexts, nor on the stack, where the loader leaves an HMAC's key when it looks names up at their first call.
    @Test(arguments: ["AES.GCM", "ChaChaPoly", "HMAC"])
    func noKeyStaysInTheThreadsContext(name: String) throws {
        let masked = try use(name)
        #expect(try ProcessMemory.occurrences(ofMasked: masked) == 0)
    }

    @Test func theSearchFindsAKeyThatIsThere() throws {
        let key = SymmetricKey(size: .bits256)
        let masked = unsafe key.withUnsafeBytes { unsafe $0.map { $0 ^ 0xff } }
        #expect(try ProcessMemory.occurrences(ofMasked: masked) > 0)
        #expect(key.bitCount == 256)
    }

    private func use(_ name: String) throws -> [UInt8] {
        let key = SymmetricKey(size: .bits256)
        let message = Data("a message".utf8)
        switch name {
        case "AES.GCM":
            let box = try AES.GCM.seal(message, using: key)
            #expect(try AES.GCM.open(box, using: key) == message)
            #expect(throws: CryptoKitError.authenticationFailure) {
                try AES.GCM.open(box, using: key, authenticating: message)
            }
        case "ChaChaPoly":
            let box = try ChaChaPoly.seal(message, using: key)
            #expect(try ChaChaPoly.open(box, using: key) == message)
            #expect(throws: CryptoKitError.authenticationFailure) {
                try ChaChaPoly.open(box, using: key, authenticating: message)
            }
        default:
            _ = HMAC<SHA256>.authenticationCode(for: message, using: key)
        }
        return unsafe key.withUnsafeBytes { unsafe $0.map { $0 ^ 0xff } }
    }

    @Test func secretBytes() throws {
        var secret = SecretBytes(copying: Data([1, 2, 3]))
        #expect(secret.count == 3)
        #expect(secret.description == "3 secret bytes")
        let array: [UInt8] = [1, 2, 3]
        let (same, shorter) = (
            secret.constantTimeEquals(SecretBytes(copying: array.span)),
            secret.constantTimeEquals(SecretBytes(copying: Data([1, 2])))
        )
        #expect(same && !shorter)
        unsafe secret.withUnsafeMutableBytes { unsafe $0[2] = 4 }
        let last = secret.span[2]
        #expect(last == 4)
        let stillSame = secret.constantTimeEquals(SecretBytes(copying: array.span))
        #expect(!stillSame)
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try throwingInitialiser(Refusal()) }
        let large = SecretBytes.random(count: 100_000)
        #expect(large.count == 100_000)
    }

    private func throwingInitialiser(_ error: some Error) throws {
        let secret = try unsafe SecretBytes(count: 8) { _ in throw error }
        Issue.record("made \(secret.count) bytes")
    }

    @Test func constantTimeEquality() {
        let bytes = Data(0..<32)
        #expect(constantTimeEquals(bytes, Array(bytes)))
        #expect(constantTimeEquals(Data(), [UInt8]()))
        #expect(!constantTimeEquals(bytes, bytes.dropLast()))
        for index in 0..<32 {
            var other = bytes
            other[index] ^= 0x80
            #expect(!constantTimeEquals(bytes, other))
        }
    }

    @Test func nothingIsDescribed() throws {
        let raw = Data(repeating: 0xab, count: 32)
        let secret = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: raw)
        let shared = try secret.sharedSecretFromKeyAgreement(with: Curve25519.KeyAgreement.PrivateKey().publicKey)
        let values: [(Any, String)] = [
            (SymmetricKey(data: raw), "SymmetricKey (256 bits)"),
            (secret, "Curve25519.KeyAgreement.PrivateKey"),
            (try Curve25519.Signing.PrivateKey(rawRepresentation: raw), "Curve25519.Signing.PrivateKey"),
            (try P256.KeyAgreement.PrivateKey(rawRepresentation: raw), "P256.KeyAgreement.PrivateKey"),
            (try P256.Signing.PrivateKey(rawRepresentation: raw), "P256.Signing.PrivateKey"),
            (shared, "SharedSecret (32 bytes)"),
            (HMAC<SHA256>.authenticationCode(for: raw, using: SymmetricKey(data: raw)), "HMAC with SHA256 (32 bytes)"),
        ]
        for (value, text) in values {
            #expect("\(value)" == text && String(reflecting: value).contains(text))
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!dumped.lowercased().contains("abab") && !dumped.contains("171"), "\(dumped)")
        }
    }

    @Test func randomBytes() {
        #expect(SecureRandom.bytes(count: 0).isEmpty)
        #expect(SecureRandom.data(count: 33).count == 33)
        #expect(SecureRandom.bytes(count: 32) != SecureRandom.bytes(count: 32))
        var generator = SecureRandom()
        #expect(generator.next() != generator.next())
    }
}

/// This process's own memory, read without touching it.
enum ProcessMemory {
    static func read(_ address: UInt, _ count: Int) throws -> [UInt8] {
        let memory = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/mem"))
        defer { try? memory.close() }
        try memory.seek(toOffset: UInt64(address))
        let bytes = try memory.read(upToCount: count)
        return try Array(#require(bytes))
    }

    /// How often the first 16 bytes of a masked pattern stand, unmasked, in writable memory other than the search's.
    static func occurrences(ofMasked masked: [UInt8]) throws -> Int {
        let size = 1 << 20
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        let pattern = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
        for (index, byte) in masked.prefix(16).enumerated() {
            unsafe pattern.storeBytes(of: byte ^ 0xff, toByteOffset: index, as: UInt8.self)
        }
        defer {
            unsafe memset(pattern, 0, 16)
            unsafe memset(buffer, 0, size)
            unsafe buffer.deallocate()
            unsafe pattern.deallocate()
        }
        let own = [
            UInt(bitPattern: buffer)..<UInt(bitPattern: buffer) + UInt(size),
            UInt(bitPattern: pattern)..<UInt(bitPattern: pattern) + 16,
        ]
        let first = unsafe Int32(pattern.load(as: UInt8.self))
        let descriptor = unsafe open("/proc/self/mem", O_RDONLY)
        defer { close(descriptor) }
        var found = 0
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        let maps = try String(decoding: file.readToEnd() ?? Data(), as: UTF8.self)
        for line in maps.split(separator: "\n") {
            let parts = line.split(separator: " ")
            let ends = parts[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard parts[1].hasPrefix("rw"), ends.count == 2 else { continue }
            var position = ends[0]
            while position < ends[1] {
                let got = unsafe pread(descriptor, buffer, min(size, Int(ends[1] - position)), off_t(position))
                guard got >= 16 else { break }
                var start = 0
                while start < got, let hit = unsafe memchr(buffer + start, first, got - start) {
                    let offset = unsafe hit - buffer
                    start = offset + 1
                    guard got - offset >= 16, unsafe memcmp(hit, pattern, 16) == 0 else { continue }
                    let address = position + UInt(offset)
                    if !own.contains(where: { $0.contains(address) }) { found += 1 }
                }
                if got < size { break }
                position += UInt(got - 15)
            }
        }
        return found
    }
}
