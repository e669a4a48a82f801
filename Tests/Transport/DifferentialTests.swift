import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

/// What our parser accepts, h11 accepts with the same reading: method, target, fields, content and where each request
/// ends. Being stricter is no difference. h11 0.14 reads otherwise in these places, and what we do is right:
///
/// - It refuses an empty line before a request. RFC 9112, section 2.2: one SHOULD be ignored. The peer takes off one.
/// - It writes `Transfer-Encoding` in small letters. RFC 9112, section 7: codings compare without regard to case. We
///   do the same here, for the comparison only.
/// - It checks trailer fields as it does header fields: one that frames a message may be refused. RFC 9110, section
///   6.5.1: such a field in a trailer must be ignored, as we ignore all of them. `isAboutTrailers` names these cases.
/// - It hands an absolute target over as it stands. RFC 9112, section 3.2.2: the server takes its path. The peer takes
///   off what stands before it.
/// - It goes on after a request that ends the connection (RFC 9112, section 9.6: no more is to be read), and after one
///   that asks for another protocol; we stop there. Only what both have read is compared.
@Suite("RFC 9112: the same reading as h11's", .enabled(if: Foreign.h11))
struct DifferentialTests {
    private static let batch = 500

    @Test func everyRequestWeAcceptIsReadTheSame() throws {
        let peer = try PythonPeer("h11_reader.py")
        var streams = RequestStreams(generator: Seed.generator(for: "differential"))
        var cuts = Seed.generator(for: "differential cuts")
        let count = Count.of(few: 3000, full: 200_000)
        var (accepted, behindAnother) = (0, 0)
        for _ in 0..<count / Self.batch {
            let batch = (0..<Self.batch).map { _ in streams.next() }
            try peer.send(batch)
            for stream in batch {
                let theirs = try Reading(from: peer)
                let ours = Self.read(stream, &cuts)
                accepted += ours.count
                behindAnother += max(0, ours.count - 1)
                guard !theirs.messages.starts(with: ours), !theirs.isAboutTrailers(after: ours) else { continue }
                Issue.record(
                    """
                    \(String(decoding: stream, as: UTF8.self).debugDescription)
                    ours: \(ours.map(\.text))
                    h11: \(theirs.messages.map(\.text)) \(theirs.reason)
                    """
                )
            }
        }
        // Otherwise nothing was compared.
        #expect(accepted > count / 2, "\(accepted)")
        #expect(behindAnother > count / 8, "\(behindAnother)")
    }

    /// The comparison itself: streams that must be told apart.
    @Test func theComparisonSeesDifferences() throws {
        let peer = try PythonPeer("h11_reader.py")
        let first = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
        let second = "GET /b HTTP/1.1\r\nHost: a\r\n\r\n"
        try peer.send(
            [first + second, "\r\n" + first, first + "GET /b\r\n\r\n", first.dropLast() + ""].map { Array($0.utf8) }
        )
        let readings = try (0..<4).map { _ in try Reading(from: peer) }
        #expect(readings.map(\.messages.count) == [2, 1, 1, 0])
        #expect(readings[0].messages[0].text == "POST /a HTTP/1.1\nhost: a\ncontent-length: 2\n\nhi")
        #expect(
            readings.map { $0.messages.last?.end } == [
                (first + second).utf8.count, first.utf8.count + 2, first.utf8.count, nil,
            ]
        )
        #expect(readings.map(\.reason.isEmpty) == [true, true, false, false])
    }

    /// Reads as the server does: until the end, a refusal, or a request that is the connection's last.
    private static func read(_ stream: [UInt8], _ cuts: inout SeededGenerator) -> [Message] {
        var messages: [Message] = []
        var parser = HTTPHeadParser(maxHeadBytes: 16_384, maxFields: 100)
        var content: (head: HTTPRequestHead, decoder: HTTPBodyDecoder)?
        var start = 0
        while start < stream.count {
            let end = Int.random(in: start + 1...stream.count, using: &cuts)
            let piece = Array(stream[start..<end])
            var position = 0
            do throws(HTTPViolation) {
                while true {
                    if content == nil {
                        guard position < piece.count, let head = try parser.next(piece.span, at: &position) else {
                            break
                        }
                        let decoder = try HTTPBodyDecoder(
                            head.framing,
                            limit: 1 << 20,
                            maxTrailerBytes: 16_384,
                            maxTrailers: 100
                        )
                        content = (head, decoder)
                    }
                    guard let head = content?.head, try content?.decoder.next(piece.span, at: &position) == true
                    else { break }
                    messages.append(Message(head, content?.decoder.takeBody() ?? [], end: start + position))
                    guard !head.closesAfterwards, !head.asksForWebSocket else { return messages }
                    content = nil
                    parser = HTTPHeadParser(maxHeadBytes: 16_384, maxFields: 100)
                }
            } catch {
                return messages
            }
            start = end
        }
        return messages
    }

    /// One request in the form that the peer writes.
    struct Message: Equatable {
        /// Where it ends in the stream.
        let end: Int
        let bytes: [UInt8]

        var text: String { String(decoding: bytes, as: UTF8.self) }

        init(_ head: HTTPRequestHead, _ body: [UInt8], end: Int) {
            self.end = end
            var text = "\(head.method.rawValue) \(head.target) HTTP/1.\(head.isOldVersion ? 0 : 1)\n"
            for field in head.fields.all {
                let name = field.name.lowercased()
                text += "\(name): \(name == "transfer-encoding" ? field.value.lowercased() : field.value)\n"
            }
            bytes = Array((text + "\n").utf8) + body
        }

        init(_ blob: [UInt8]) {
            end = blob.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            bytes = Array(blob.dropFirst(4))
        }
    }

    /// What h11 made of a stream.
    struct Reading {
        let messages: [Message]
        /// Why it went no further; empty at the end.
        let reason: String

        init(from peer: PythonPeer) throws {
            messages = try (0..<peer.takeNumber()).map { _ in Message(try peer.takeString()) }
            reason = String(decoding: try peer.takeString(), as: UTF8.self)
        }

        /// Whether the first difference is that h11 refused a framing field among trailers.
        func isAboutTrailers(after ours: [Message]) -> Bool {
            guard messages.count < ours.count, ours.starts(with: messages) else { return false }
            let isChunked = ours[messages.count].text.contains("transfer-encoding: chunked")
            return isChunked && (reason.contains("Content-Length") || reason.contains("Transfer-Encoding"))
        }
    }
}
