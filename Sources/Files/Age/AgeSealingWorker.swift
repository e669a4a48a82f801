import MildamCrypto
import MildamSystem

/// Seals pieces of content.
final class AgeSealingWorker: FlowWorker {
    private let source: PieceSource
    private let target: AgePieceTarget
    private var sealer: ChaChaPoly.Sealer
    private var content: [UInt8]
    private var sealed: [UInt8]
    private let chunks: Int
    private var piece = PieceSource.Piece(count: 0, isLast: false)
    private var firstChunk = 0
    private var sealedCount = 0
    private var failure: AgeError?

    init(
        _ pieces: AgePiece,
        _ source: PieceSource,
        _ target: AgePieceTarget,
        _ sealer: consuming ChaChaPoly.Sealer
    ) {
        chunks = pieces.chunks
        content = [UInt8](repeating: 0, count: pieces.size + 1)
        sealed = [UInt8](repeating: 0, count: pieces.sealedSize)
        self.source = source
        self.target = target
        self.sealer = sealer
    }

    func take(_ number: Int) throws(AgeError) -> Bool {
        let next = try io { () throws(SystemError) in try source.take(into: &content) }
        guard let next else { return false }
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
        let sealed = sealed
        try target.write(sealed.span.extracting(..<sealedCount), of: piece.count)
    }

    private func seal(_ chunk: Int, isLast: Bool) throws(AgeError) {
        let range = AgePiece.range(of: chunk, by: AgePayload.chunkSize, in: piece.count)
        let place = AgePiece.range(of: chunk, by: AgePayload.sealedChunkSize, in: sealedCount)
        let nonce = try AgePayload.nonce(chunk: firstChunk + chunk, isLast: isLast)
        let text = content
        let input = text.span.extracting(range)
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
