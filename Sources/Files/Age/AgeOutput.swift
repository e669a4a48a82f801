import MildamSystem

/// An age file on its way to a descriptor, in armor where that was asked for; counted and hashed as it goes.
struct AgeOutput {
    private var meter: AgeCiphertext.Meter
    private var armor: AgeArmor.Encoder?
    /// The last piece, armored.
    private var text: [UInt8] = []

    init(armored: Bool, digesting: Bool) {
        meter = AgeCiphertext.Meter(digesting: digesting)
        armor = armored ? AgeArmor.Encoder() : nil
    }

    /// Writes more of the file.
    mutating func write(
        _ bytes: Span<UInt8>,
        to target: borrowing Descriptor,
        path: String?
    ) throws(AgeError) {
        guard armor != nil else { return try AgeOutput.write(bytes, &meter, target, path) }
        text.removeAll(keepingCapacity: true)
        armor?.encode(bytes, into: &text)
        let piece = text
        try AgeOutput.write(piece.span, &meter, target, path)
    }

    /// Writes what ends the file.
    ///
    /// - Returns: what was written in all.
    mutating func finish(to target: borrowing Descriptor, path: String?) throws(AgeError) -> AgeCiphertext {
        if let armor {
            text.removeAll(keepingCapacity: true)
            armor.finish(into: &text)
            let piece = text
            try AgeOutput.write(piece.span, &meter, target, path)
        }
        return meter.ciphertext
    }

    private static func write(
        _ bytes: Span<UInt8>,
        _ meter: inout AgeCiphertext.Meter,
        _ target: borrowing Descriptor,
        _ path: String?
    ) throws(AgeError) {
        meter.take(bytes)
        try AgeError.reporting { () throws(SystemError) in try target.write(bytes, path: path) }
    }
}
