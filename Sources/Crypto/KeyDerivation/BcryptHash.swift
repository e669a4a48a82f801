/// The hash under `bcrypt_pbkdf`: 32 bytes of a password and a salt, each taken by its SHA-512; and the sum (exclusive
/// or) of such hashes, each salted with the one before. All of it lies in secret memory.
struct BcryptHash: ~Copyable {
    /// The size of a hash in bytes.
    static let byteCount = 32

    /// Where in the memory things lie, in words of 32 bits, one behind the other.
    private enum Place {
        static let password = Blowfish.wordCount
        static let salt = password + Blowfish.keyWordCount
        /// The last hash.
        static let block = salt + Blowfish.keyWordCount
        static let sum = block + hashWordCount
        static let end = sum + hashWordCount

        static let hashWordCount = byteCount / 4
    }

    /// What is encrypted: "OxychromaticBlowfishSwatDynamite".
    private static let magic: [UInt32] = [
        0x4F78_7963, 0x6872_6F6D, 0x6174_6963, 0x426C_6F77, 0x6669_7368, 0x5377_6174, 0x4479_6E61, 0x6D69_7465,
    ]
    /// How often the key is mixed into the state, and the text encrypted.
    private static let turns = 64

    private var memory: SecretBytes

    /// Begins with a password, of any size.
    init(password: Span<UInt8>) {
        memory = unsafe SecretBytes(count: 4 * Place.end) { memory in
            unsafe password.withUnsafeBytes { password in
                unsafe BcryptHash.digest(password, to: Place.password, of: memory)
            }
        }
    }

    /// Begins a sum with the hash under a salt.
    mutating func begin(salt: [UInt8]) {
        unsafe memory.withUnsafeMutableBytes { memory in
            unsafe salt.withUnsafeBytes { salt in unsafe BcryptHash.digest(salt, to: Place.salt, of: memory) }
            var words = unsafe MutableSpan<UInt32>(_unsafeBytes: memory)
            BcryptHash.hash(&words)
            for index in 0..<Place.hashWordCount { words[Place.sum + index] = words[Place.block + index] }
        }
    }

    /// Adds the hash that is salted with the last one.
    mutating func add() {
        unsafe memory.withUnsafeMutableBytes { memory in
            let last = unsafe UnsafeRawBufferPointer(rebasing: memory[4 * Place.block..<4 * Place.sum])
            unsafe BcryptHash.digest(last, to: Place.salt, of: memory)
            var words = unsafe MutableSpan<UInt32>(_unsafeBytes: memory)
            BcryptHash.hash(&words)
            for index in 0..<Place.hashWordCount {
                let part = words[Place.block + index]
                words[Place.sum + index] ^= part
            }
        }
    }

    /// A byte of the sum.
    func byte(_ index: Int) -> UInt8 { memory.span[4 * Place.sum + index] }

    /// Puts the SHA-512 of bytes, as 16 numbers in big-endian order, where a key belongs.
    private static func digest(
        _ bytes: UnsafeRawBufferPointer,
        to place: Int,
        of memory: UnsafeMutableRawBufferPointer
    ) {
        let range = 4 * place..<4 * (place + Blowfish.keyWordCount)
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[range])
        unsafe ThreadContexts.current.digest(.sha512).hash(bytes, target)
        var words = unsafe MutableSpan<UInt32>(_unsafeBytes: target)
        for index in words.indices {
            let word = UInt32(bigEndian: words[index])
            words[index] = word
        }
    }

    /// The hash of the password and the salt that are there; its numbers are written in little-endian order.
    private static func hash(_ words: inout MutableSpan<UInt32>) {
        Blowfish.begin(&words)
        Blowfish.expand(&words, key: Place.password, salt: Place.salt)
        for _ in 0..<turns {
            Blowfish.expand(&words, key: Place.salt)
            Blowfish.expand(&words, key: Place.password)
        }
        for index in stride(from: 0, to: Place.hashWordCount, by: 2) {
            var block = (magic[index], magic[index + 1])
            for _ in 0..<turns { block = Blowfish.encrypt(block, words) }
            words[Place.block + index] = block.0.littleEndian
            words[Place.block + index + 1] = block.1.littleEndian
        }
    }
}
