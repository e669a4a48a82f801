import MildamSystem

/// Where bytes go, in armor where that was asked for; counted and hashed as they go. Used by one thread at a time.
final class AgeOutput {
    private let target: Descriptor?
    private let path: String?
    private let meter: ByteMeter
    private var armor: AgeArmor.Encoder?
    /// What goes out with the first piece: a small file is written at once.
    private var header: [UInt8]
    /// The last piece, armored.
    private var text: [UInt8] = []

    /// - Parameters:
    ///   - header: what stands before the pieces.
    ///   - target: `nil` where the bytes are only counted.
    ///   - meter: sees what is written.
    init(
        _ target: consuming Descriptor?,
        path: String?,
        header: [UInt8] = [],
        armored: Bool = false,
        meter: ByteMeter
    ) {
        self.header = header
        self.target = target
        self.path = path
        self.meter = meter
        armor = armored ? AgeArmor.Encoder() : nil
    }

    /// Writes the next piece.
    func write(_ piece: Span<UInt8>) throws(AgeError) {
        guard !header.isEmpty else { return try pass(piece) }
        let first = unsafe piece.withUnsafeBufferPointer { unsafe header + $0 }
        header = []
        try pass(first.span)
    }

    private func pass(_ bytes: Span<UInt8>) throws(AgeError) {
        guard armor != nil else { return try put(bytes) }
        text.removeAll(keepingCapacity: true)
        armor?.encode(bytes, into: &text)
        let armored = text
        try put(armored.span)
    }

    /// Writes what ends an armored file.
    func finish() throws(AgeError) {
        guard let armor else { return }
        text.removeAll(keepingCapacity: true)
        armor.finish(into: &text)
        let armored = text
        try put(armored.span)
    }

    private func put(_ bytes: Span<UInt8>) throws(AgeError) {
        meter.take(bytes)
        try AgeError.reporting { () throws(SystemError) in try target?.write(bytes, path: path) }
    }
}
