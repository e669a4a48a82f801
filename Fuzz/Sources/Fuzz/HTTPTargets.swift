@testable import MildamTransport

extension FuzzTarget {
    /// A request's head, and a response's.
    static let httpHead = FuzzTarget(
        name: "http-head",
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
                planted(head.target.query == "" && head.isOldVersion)
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

    /// A request's content, chunked.
    static let httpBody = FuzzTarget(
        name: "http-body",
        seeds: {
            [
                "3\r\nabc\r\n0\r\n\r\n", "00a;x=\"y\"\r\n0123456789\r\n1\r\nz\r\n0\r\nA: b\r\n\r\n",
                "FF\r\n" + String(repeating: "x", count: 255) + "\r\n0\r\n\r\n",
            ].map { Array($0.utf8) }
        },
        take: { input in
            let fed = mustBeTheSame(input, "a chunked body") { decode($0, .chunked) }
            guard case .ended(let body, let taken) = fed else { return }
            planted(body.isEmpty && taken > 7)
            mustHold(body.count < taken, "chunks take more than their content")
            let again =
                Array((String(body.count, radix: 16) + "\r\n").utf8) + body
                + Array((body.isEmpty ? "\r\n" : "\r\n0\r\n\r\n").utf8)
            mustHold(
                decode([again[...]], .chunked) == .ended(body, taken: again.count),
                "content in one chunk is read as it was"
            )
            if !body.isEmpty {
                mustHold(
                    decode([body[...]], .length(body.count)) == .ended(body, taken: body.count),
                    "content by length is read as it was"
                )
            }
        }
    )

    // MARK: Parts

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

    private static func decode(_ parts: [ArraySlice<UInt8>], _ framing: HTTPFraming) -> Fed<[UInt8], HTTPViolation> {
        var taken = 0
        do throws(HTTPViolation) {
            var decoder = try HTTPBodyDecoder(framing, limit: 512, maxTrailerBytes: 256, maxTrailers: 4)
            for part in parts {
                var position = 0
                let isWhole = try decoder.next(Array(part).span, at: &position)
                mustHold(decoder.body.count <= 512, "no more than the limit is gathered")
                taken += position
                if isWhole { return .ended(decoder.takeBody(), taken: taken) }
                mustHold(position == part.count, "who wants more has taken what there was")
            }
            return .unfinished(decoder.takeBody())
        } catch {
            return .refused(error)
        }
    }

    private static func encode(_ head: HTTPRequestHead) -> [UInt8] {
        var text = "\(head.method.rawValue) \(head.target) HTTP/1.\(head.isOldVersion ? 0 : 1)\r\n"
        for field in head.fields.all { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8)
    }
}
