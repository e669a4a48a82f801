import Glibc
import MildamCrypto
import MildamKeychain

/// A secret that nobody thought of.
struct GeneratedSecret {
    let secret: SecretValue
    /// What guessing it takes, in bits, rounded down.
    let entropy: Int

    /// Random letters and digits, and signs that forms take.
    static func characters(_ count: Int, hasSymbols: Bool) -> GeneratedSecret {
        let letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
        let alphabet = Array((letters + (hasSymbols ? "!#%*+-./:=?@_" : "")).utf8)
        let secret = unsafe SecretBytes(count: count) { text in
            for index in 0..<count { unsafe text[index] = alphabet[random(below: alphabet.count)] }
        }
        return GeneratedSecret(secret: SecretValue(secret), entropy: Int(Double(count) * log2(Double(alphabet.count))))
    }

    /// Random syllables.
    static func words(_ count: Int) -> GeneratedSecret {
        GeneratedSecret(secret: SecretValue(Proquint.passphrase(words: count)), entropy: 16 * count)
    }

    /// Every number with the same chance: bytes above the last whole multiple are drawn again.
    private static func random(below bound: Int) -> Int {
        let limit = 256 - 256 % bound
        while true {
            let byte = Int(SecretBytes.random(count: 1).span[0])
            if byte < limit { return byte % bound }
        }
    }
}
