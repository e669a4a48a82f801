@testable import MildamTransport

extension FuzzTarget {
    /// A request's content, chunked.
    static let httpBody = FuzzTarget(
        name: "http-body",
        source: .network,
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
}
