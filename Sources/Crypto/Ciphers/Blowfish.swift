/// Blowfish (B. Schneier, "Description of a New Variable-Length Key, 64-Bit Block Cipher", 1993) with the salted key
/// schedule of bcrypt (N. Provos and D. Mazières, "A Future-Adaptable Password Scheme", 1999).
///
/// For `bcrypt_pbkdf` alone. The state is the first `wordCount` words of memory that the caller keeps and wipes: 18
/// subkeys, and four boxes of 256 words. Keys and salts are 16 words of the same memory.
enum Blowfish {
    /// How many words the state has.
    static let wordCount = subkeyCount + 4 * 256
    /// How many words a key has here, and a salt.
    static let keyWordCount = 16

    private static let subkeyCount = 18

    /// Puts the state where it begins: at π.
    static func begin(_ words: inout MutableSpan<UInt32>) {
        for index in 0..<wordCount { words[index] = pi[index] }
    }

    /// Mixes a key into the state.
    ///
    /// - Parameters:
    ///   - key: where among the words the key begins.
    ///   - salt: where a salt begins that is mixed in, too.
    static func expand(_ words: inout MutableSpan<UInt32>, key: Int, salt: Int? = nil) {
        for index in 0..<subkeyCount {
            let part = words[key + index % keyWordCount]
            words[index] ^= part
        }
        var block: (UInt32, UInt32) = (0, 0)
        for place in stride(from: 0, to: wordCount, by: 2) {
            if let salt {
                block.0 ^= words[salt + place % keyWordCount]
                block.1 ^= words[salt + (place + 1) % keyWordCount]
            }
            block = encrypt(block, words)
            words[place] = block.0
            words[place + 1] = block.1
        }
    }

    /// Encrypts a block: 16 rounds, two at a time so that the halves need not change places.
    static func encrypt(_ block: (UInt32, UInt32), _ words: borrowing MutableSpan<UInt32>) -> (UInt32, UInt32) {
        var (left, right) = (block.0 ^ words[0], block.1)
        for round in stride(from: 1, to: 17, by: 2) {
            right ^= mixed(left, words) ^ words[round]
            left ^= mixed(right, words) ^ words[round + 1]
        }
        return (right ^ words[17], left)
    }

    /// The round function: a word of each box.
    private static func mixed(_ half: UInt32, _ words: borrowing MutableSpan<UInt32>) -> UInt32 {
        let first = words[subkeyCount + Int(half >> 24)]
        let second = words[subkeyCount + 256 + Int(half >> 16 & 255)]
        let third = words[subkeyCount + 512 + Int(half >> 8 & 255)]
        let fourth = words[subkeyCount + 768 + Int(half & 255)]
        return ((first &+ second) ^ third) &+ fourth
    }
}
