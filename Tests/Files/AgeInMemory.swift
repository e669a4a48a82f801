import MildamFiles

/// A whole age file, made in memory.
func sealed(_ content: [UInt8], for recipients: [any AgeRecipient]) throws -> [UInt8] {
    var encryptor = try AgeEncryptor(recipients: recipients)
    var file = encryptor.header.bytes
    var start = 0
    var isLast: Bool
    repeat {
        let end = min(start + AgeEncryptor.chunkSize, content.count)
        isLast = end == content.count
        var chunk = Array(content[start..<end])
        try encryptor.seal(&chunk, isLast: isLast)
        file.append(contentsOf: chunk)
        start = end
    } while !isLast
    return file
}

/// The header of a file that comes in pieces of `piece` bytes, and where it ends.
func header(of file: [UInt8], piece: Int = .max) throws(AgeError) -> (header: AgeHeader, end: Int) {
    var parser = AgeHeaderParser()
    var position = 0
    while position < file.count {
        let count = min(piece, file.count - position)
        let used = try parser.consume(file.span.extracting(position..<position + count))
        position += used
        if used < count { break }
    }
    return (try parser.finish(), position)
}

/// The content of a whole age file in memory; what was released before an error is in `released`.
func opened(
    _ file: [UInt8],
    with identities: [any AgeIdentity],
    piece: Int = .max,
    released: inout [UInt8]
) throws(AgeError) {
    let (header, end) = try header(of: file, piece: piece)
    var decryptor = try AgeDecryptor(header: header, identities: identities)
    var position = end
    var content: [UInt8] = []
    while position < file.count {
        let next = min(position + AgeDecryptor.sealedChunkSize, file.count)
        defer { released.append(contentsOf: content) }
        try decryptor.open(file.span.extracting(position..<next), into: &content)
        position = next
    }
    try decryptor.finish()
}

func opened(_ file: [UInt8], with identities: [any AgeIdentity], piece: Int = .max) throws(AgeError) -> [UInt8] {
    var content: [UInt8] = []
    try opened(file, with: identities, piece: piece, released: &content)
    return content
}

/// The armor of a whole file, made from pieces of `piece` bytes.
func armored(_ file: [UInt8], piece: Int = .max) -> [UInt8] {
    var encoder = AgeArmor.Encoder()
    var text: [UInt8] = []
    var position = 0
    while position < file.count {
        let next = position + min(piece, file.count - position)
        encoder.encode(file.span.extracting(position..<next), into: &text)
        position = next
    }
    encoder.finish(into: &text)
    return text
}

/// The file in an armor that comes in pieces of `piece` bytes.
func unarmored(_ text: [UInt8], piece: Int = .max) throws(AgeError) -> [UInt8] {
    var decoder = AgeArmor.Decoder()
    var file: [UInt8] = []
    var position = 0
    while position < text.count {
        let next = position + min(piece, text.count - position)
        try decoder.decode(text.span.extracting(position..<next), into: &file)
        position = next
    }
    try decoder.finish()
    return file
}
