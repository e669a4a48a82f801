/// Each parser of foreign bytes, as one call for a fuzzer: `import` with `@_spi(Fuzzing)`.
///
/// The input is parsed whole, and again cut where its first byte says; the two must agree, or the call traps.
@_spi(Fuzzing)
public enum FuzzEntries {
    /// A request's head, and the content behind it.
    public static func request(_ bytes: [UInt8]) {
        check(bytes) { pieces -> Result<[[UInt8]], HTTPViolation> in
            var parser = HTTPHeadParser(maxHeadBytes: 4096, maxFields: 32)
            var body: HTTPBodyDecoder?
            do throws(HTTPViolation) {
                for piece in pieces {
                    var position = 0
                    if body == nil, let head = try parser.next(piece.span, at: &position) {
                        _ = (head.target.segments, head.target.queryItems, head.closesAfterwards, head.asksForWebSocket)
                        body = try HTTPBodyDecoder(head.framing, limit: 4096, maxTrailerBytes: 512, maxTrailers: 4)
                    }
                    if try body?.next(piece.span, at: &position) == true { return .success([body?.body ?? []]) }
                }
                return .success([])
            } catch {
                return .failure(error)
            }
        }
    }

    /// A response's head.
    public static func responseHead(_ bytes: [UInt8]) {
        check(bytes) { pieces -> Result<HTTPResponseHead?, HTTPViolation> in
            var parser = HTTPResponseHeadParser(maxHeadBytes: 4096, maxFields: 32)
            do throws(HTTPViolation) {
                for piece in pieces {
                    var position = 0
                    if let head = try parser.next(piece.span, at: &position) { return .success(head) }
                }
                return .success(nil)
            } catch {
                return .failure(error)
            }
        }
    }

    /// A chunked body.
    public static func chunked(_ bytes: [UInt8]) {
        check(bytes) { pieces -> Result<[[UInt8]], HTTPViolation> in
            var decoder = ChunkedDecoder(limit: 4096, maxTrailerBytes: 512, maxTrailers: 4)
            var body: [UInt8] = []
            do throws(HTTPViolation) {
                for piece in pieces {
                    var position = 0
                    if try decoder.next(piece.span, at: &position, into: &body) { return .success([body]) }
                }
                return .success([])
            } catch {
                return .failure(error)
            }
        }
    }

    /// WebSocket frames, as a server reads them and as a client does.
    public static func frames(_ bytes: [UInt8], isServer: Bool) {
        check(bytes) { pieces -> Result<[WebSocketEvent], WebSocketViolation> in
            var decoder = WebSocketFrameDecoder(
                role: isServer ? .server : .client,
                maxFrameBytes: 1024,
                maxMessageBytes: 4096
            )
            var events: [WebSocketEvent] = []
            do throws(WebSocketViolation) {
                for piece in pieces {
                    var position = 0
                    while let event = try decoder.next(piece.span, at: &position) { events.append(event) }
                }
                return .success(events)
            } catch {
                return .failure(error)
            }
        }
    }

    private static func check<Outcome: Equatable>(_ bytes: [UInt8], _ parse: ([[UInt8]]) -> Outcome) {
        guard let first = bytes.first else { return }
        let input = Array(bytes.dropFirst())
        let cut = min(Int(first), input.count)
        let whole = parse([input])
        precondition(parse([Array(input[..<cut]), Array(input[cut...])]) == whole, "a cut changes the reading")
    }
}
