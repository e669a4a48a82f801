import MildamCrypto

/// A generated passphrase that can be read out and typed: proquints (Wilkerson, arXiv:0901.4016), five letters for 16
/// random bits each, consonant, vowel, consonant, vowel, consonant.
enum Proquint {
    private static let consonants = Array("bdfghjklmnprstvz".utf8)
    private static let vowels = Array("aiou".utf8)
    /// 112 bits: beyond what anybody can try, whatever the work factor.
    private static let usual = 7

    /// What guessing one takes, in bits.
    static let entropy = 16 * usual

    /// A new passphrase of so many words, with a hyphen between them.
    static func passphrase(words: Int? = nil) -> SecretBytes {
        let words = words ?? usual
        let random = SecretBytes.random(count: 2 * words)
        return unsafe SecretBytes(count: 6 * words - 1) { text in
            let random = random.span
            var position = 0
            for word in 0..<words {
                if word > 0 {
                    unsafe text[position] = UInt8(ascii: "-")
                    position += 1
                }
                let bits = Int(random[2 * word]) << 8 | Int(random[2 * word + 1])
                for (shift, isVowel) in [(12, false), (10, true), (6, false), (4, true), (0, false)] {
                    unsafe text[position] = isVowel ? vowels[bits >> shift & 3] : consonants[bits >> shift & 15]
                    position += 1
                }
            }
        }
    }
}
