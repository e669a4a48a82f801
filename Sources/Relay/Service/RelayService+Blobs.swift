import MildamIdentity
import MildamRelayAPI
import MildamTransport

extension RouteHandler {
    /// Blobs of rooms, in pieces.
    static let blobs = [
        RouteHandler(Routes.blob, .reading) { $0.blobState($1.names, $1.sender, $1.reply) },
        RouteHandler(Routes.putPiece, .upload) { service, call throws(APIError) in try service.putPiece(call) },
        RouteHandler(Routes.blobContent, .reading) { $0.blobContent($1) },
    ]
}

extension RelayService {
    /// `PUT /v1/rooms/ROOM/blobs/BLOB?size=TOTAL&offset=N`, the piece as plain bytes.
    func putPiece(_ call: Call<Sender, BlobPlace, (Int, Int), [UInt8]>) throws(APIError) {
        let (place, body, reply) = (call.names, call.request.body, call.reply)
        let (size, offset) = call.query
        guard !body.isEmpty else { throw APIError(.badRequest, "the piece is empty") }
        let piece = BlobPiece(room: place.room, blob: place.blob, size: size, offset: offset, count: body.count)
        parts.blobs.write(piece, body, by: call.sender.account, for: call.turn, commits: parts.commits) {
            [parts] result in
            if case .success = result { parts.metrics.blobBytes.add(UInt64(piece.count)) }
            reply.send(HTTPResponse(result.map { .json($0) }))
        }
    }

    /// `GET /v1/rooms/ROOM/blobs/BLOB`.
    func blobState(_ place: BlobPlace, _ sender: Sender, _ reply: Answer) {
        parts.blobs.state(of: place.blob, in: place.room, for: Turn(sender, reply), sender.account) { result in
            reply.send(HTTPResponse(result.map { .json($0) }))
        }
    }

    /// `GET /v1/rooms/ROOM/blobs/BLOB/content?offset=N&length=M`.
    func blobContent(_ call: Call<Sender, BlobPlace, (Int, Int), Void>) {
        let (place, reply) = (call.names, call.reply)
        let (offset, length) = call.query
        let account = call.sender.account
        parts.blobs.read(place.blob, in: place.room, offset: offset, count: length, for: call.turn, account) { result in
            reply.send(HTTPResponse(result.map { .bytes($0) }))
        }
    }
}

extension HTTPResponse {
    /// Opaque bytes.
    static func bytes(_ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            fields: ["Content-Type": "application/octet-stream", "Cache-Control": "no-store"],
            body: bytes
        )
    }
}
