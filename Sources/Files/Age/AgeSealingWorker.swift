import MildamCrypto

/// Seals pieces of content.
final class AgeSealingWorker: FlowWorker {
    private let source: PieceSource
    private let target: AgePieceTarget
    private var sealer: ChaChaPoly.Sealer
    private var content: [UInt8]
    private var sealed: [UInt8]
    private let chunks: Int
    private var piece = PieceSource.Piece(count: 0, isLast: false, position: 0)
    private var firstChunk = 0
    private var sealedCount = 0
    private var failure: AgeError?
    private let buffers: AgeSealingBuffers?

    /// - Parameter buffers: what to work in; `nil` for memory of its own.
    init(
        _ pieces: AgePiece,
        _ source: PieceSource,
        _ target: AgePieceTarget,
        _ sealer: consuming ChaChaPoly.Sealer,
        in buffers: AgeSealingBuffers? = nil
    ) {
        chunks = pieces.chunks
        self.buffers = buffers
        let taken = (buffers ?? AgeSealingBuffers()).take(content: pieces.size + 1, sealed: pieces.sealedSize)
        content = taken.content
        sealed = taken.sealed
        self.source = source
        self.target = target
        self.sealer = sealer
    }

    deinit {
        buffers?.give(content: content, sealed: sealed)
    }

    func take(_ number: Int) throws(AgeError) -> Bool {
        guard let next = try source.take(into: &content) else { return false }
        piece = next
        firstChunk = number * chunks
        return true
    }

    func work() {
        do throws(AgeError) {
            let chunks = AgePiece.chunkCount(of: piece.count, by: AgePayload.chunkSize)
            sealedCount = piece.count + chunks * AgePayload.tagSize
            for chunk in 0..<chunks { try seal(chunk, isLast: piece.isLast && chunk == chunks - 1) }
        } catch {
            failure = error
        }
    }

    func handOn() throws(AgeError) {
        if let failure { throw failure }
        let bytes = sealed
        try target.write(bytes.span.extracting(..<sealedCount), of: piece)
    }

    private func seal(_ chunk: Int, isLast: Bool) throws(AgeError) {
        let range = AgePiece.range(of: chunk, by: AgePayload.chunkSize, in: piece.count)
        let place = AgePiece.range(of: chunk, by: AgePayload.sealedChunkSize, in: sealedCount)
        let nonce = try AgePayload.nonce(chunk: firstChunk + chunk, isLast: isLast)
        // A span of a property would keep the others from being changed.
        let bytes = content
        let input = bytes.span.extracting(range)
        let failure: CryptoKitError? = unsafe sealed.withUnsafeMutableBytes { memory in
            var output = unsafe MutableSpan<UInt8>(_unsafeBytes: memory[place])
            do throws(CryptoKitError) {
                try sealer.seal(input, nonce: nonce, into: &output)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw .cryptography(failure) }
    }
}
