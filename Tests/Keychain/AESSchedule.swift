/// The third and the fourth round key of AES-256 (FIPS 197, section 5.2), 32 bytes: what a search for traces of the cipher
/// looks for. The first two are the key itself.
func aes256RoundKeys(_ key: UnsafeRawBufferPointer) -> [UInt8] {
    var words = (0..<8).map { word in (0..<4).map { unsafe key[word * 4 + $0] } }
    var constant: UInt8 = 1
    for index in 8..<16 {
        var word = words[index - 1]
        if index.isMultiple(of: 8) {
            word = [word[1], word[2], word[3], word[0]].map(substitute)
            word[0] ^= constant
            constant <<= 1
        } else if index.isMultiple(of: 4) {
            word = word.map(substitute)
        }
        words.append(zip(words[index - 8], word).map { $0 ^ $1 })
    }
    return words[8...].flatMap { $0 }
}

/// The S-box (FIPS 197, section 5.1.1): the inverse in GF(2⁸), then an affine map.
private func substitute(_ byte: UInt8) -> UInt8 {
    func times(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (left, right, product) = (left, right, UInt8(0))
        while right != 0 {
            if right & 1 == 1 { product ^= left }
            left = left << 1 ^ (left & 0x80 == 0 ? 0 : 0x1b)
            right >>= 1
        }
        return product
    }
    let inverse = (UInt8.min ... .max).first { times($0, byte) == 1 } ?? 0
    var result: UInt8 = 0x63
    for turn in 0..<5 {
        let high = inverse &<< UInt8(turn)
        let low: UInt8 = turn == 0 ? 0 : inverse &>> UInt8(8 - turn)
        result ^= high | low
    }
    return result
}
