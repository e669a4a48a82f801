@testable import MildamTransport

extension FuzzTarget {
    /// A request's head, and a response's.
    static let httpHead = FuzzTarget(
        name: "http-head",
        source: .network,
        seeds: {
            [
                "GET /v1/relay HTTP/1.1\r\nHost: a\r\n\r\n",
                "POST /v1/rooms/x?from=1 HTTP/1.1\r\nHost: a:1\r\nContent-Length: 3\r\nContent-Type: application/json\r\n\r\n",
                "PUT /%20 HTTP/1.0\r\nTransfer-Encoding: chunked\r\nHost: [::1]\r\nConnection: close, upgrade\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            ].map { Array($0.utf8) }
        },
        take: { input in
            if case .ended(let head?, _) = mustBeTheSame(input, "a request's head", feed: { feedRequest($0) }) {
                planted(head.isOldVersion)
                // Longer by the spaces that were not there.
                let again = feedRequest([encode(head)[...]], maxHeadBytes: 2048)
                guard case .ended(let other?, _) = again else {
                    return mustHold(false, "a head that is written can be read")
                }
                mustHold(other == head, "a head that is written is read as it was")
                _ = (head.target.segments, head.target.queryItems?.count, head.asksForWebSocket, head.closesAfterwards)
            }
            _ = mustBeTheSame(input, "a response's head") { parts in
                feed(parts, HTTPResponseHeadParser(maxHeadBytes: 1024, maxFields: 8)) { parser, bytes, position in
                    do throws(HTTPViolation) { return .success(try parser.next(bytes, at: &position)) } catch {
                        return .failure(error)
                    }
                }
            }
        }
    )

    private static func feedRequest(
        _ parts: [ArraySlice<UInt8>],
        maxHeadBytes: Int = 1024
    ) -> Fed<HTTPRequestHead?, HTTPViolation> {
        feed(parts, HTTPHeadParser(maxHeadBytes: maxHeadBytes, maxFields: 8)) { parser, bytes, position in
            do throws(HTTPViolation) { return .success(try parser.next(bytes, at: &position)) } catch {
                return .failure(error)
            }
        }
    }

    private static func feed<Parser, Head: Equatable>(
        _ parts: [ArraySlice<UInt8>],
        _ parser: Parser,
        _ next: (inout Parser, Span<UInt8>, inout Int) -> Result<Head?, HTTPViolation>
    ) -> Fed<Head?, HTTPViolation> {
        var parser = parser
        var taken = 0
        for part in parts {
            var position = 0
            switch next(&parser, Array(part).span, &position) {
            case .failure(let violation): return .refused(violation)
            case .success(let head?): return .ended(head, taken: taken + position)
            case .success(nil): mustHold(position == part.count, "who wants more has taken what there was")
            }
            taken += position
        }
        return .unfinished(nil)
    }

    private static func encode(_ head: HTTPRequestHead) -> [UInt8] {
        var text = "\(head.method.rawValue) \(head.target) HTTP/1.\(head.isOldVersion ? 0 : 1)\r\n"
        for field in head.fields.all { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8)
    }
}
