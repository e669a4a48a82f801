import MildamIdentity
import MildamRelayAPI
import MildamTransport

extension RelayService {
    /// `PUT /v1/rooms/ROOM/blobs/BLOB?size=TOTAL&offset=N`, the piece as plain bytes.
    func putPiece(
        of blob: BlobID,
        in room: RoomID,
        _ request: HTTPRequest,
        _ reply: Answer
    ) throws(APIError) {
        let sender = try sender(of: request, for: .upload)
        let query = try Query(request.target, names: ["size", "offset"])
        let size: Int = try query.number("size", in: 1...Limits.blob)
        let offset: Int = try query.number("offset", in: 0...Limits.blob)
        guard !request.body.isEmpty else { throw APIError(.badRequest, "the piece is empty") }
        let piece = BlobPiece(room: room, blob: blob, size: size, offset: offset, count: request.body.count)
        parts.blobs.write(piece, request.body, by: sender.account, commits: parts.commits) { [parts] result in
            if case .success = result { parts.metrics.blobBytes.add(UInt64(piece.count)) }
            reply.send(HTTPResponse(result.map { .json($0) }))
        }
    }

    /// `GET /v1/rooms/ROOM/blobs/BLOB`.
    func blobState(
        _ blob: BlobID,
        in room: RoomID,
        _ request: HTTPRequest,
        _ reply: Answer
    ) throws(APIError) {
        let sender = try sender(of: request, for: .reading)
        _ = try Query(request.target, names: [])
        parts.blobs.state(of: blob, in: room, for: sender.account) { result in
            reply.send(HTTPResponse(result.map { .json($0) }))
        }
    }

    /// `GET /v1/rooms/ROOM/blobs/BLOB/content?offset=N&length=M`.
    func blobContent(
        _ blob: BlobID,
        in room: RoomID,
        _ request: HTTPRequest,
        _ reply: Answer
    ) throws(APIError) {
        let sender = try sender(of: request, for: .reading)
        let query = try Query(request.target, names: ["offset", "length"])
        let offset: Int = try query.number("offset", in: 0...Limits.blob)
        let length: Int = try query.number("length", in: 1...Limits.blobPiece)
        parts.blobs.read(blob, in: room, offset: offset, count: length, for: sender.account) { result in
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
