import Foundation
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

@testable import MildamRelay

@Suite("The plain form of a send")
struct PlainSendTests {
    private func encode(
        _ request: SendRequest,
        _ formatting: JSONEncoder.OutputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    ) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return [UInt8](try encoder.encode(request))
    }

    private func isSame(_ left: SendRequest, _ right: SendRequest) -> Bool {
        left.id == right.id && left.digest == right.digest && left.body == right.body
    }

    @Test("what clients write is read, and means the same to both decoders")
    func same() throws {
        var generator = Seed.generator(for: "plain send")
        for count in Array(0..<70) + [400, 4000] {
            let request = SendRequest(
                id: .random(),
                generation: UInt32.random(in: 0...5, using: &generator),
                epoch: UInt64.random(in: 0...1_000_000_000, using: &generator),
                body: Data(generator.bytes(count))
            )
            for formatting in [[], .sortedKeys, .withoutEscapingSlashes] as [JSONEncoder.OutputFormatting] {
                let bytes = try encode(request, formatting)
                let plain = PlainSend.read(bytes)
                // An empty body is left to the general decoder.
                #expect((plain == nil) == (count == 0))
                #expect(isSame(plain ?? request, try JSONBody.decode(SendRequest.self, from: bytes)))
            }
        }
    }

    @Test("cut at every byte, and with every byte changed: nothing is read that the general decoder reads otherwise")
    func spoiled() throws {
        let request = SendRequest(id: .random(), generation: 12, epoch: 7, body: Data([1, 2, 3, 4, 255, 254, 63, 62]))
        try spoil(request, [.sortedKeys, .withoutEscapingSlashes])
        try spoil(request, .sortedKeys)
    }

    private func spoil(_ request: SendRequest, _ formatting: JSONEncoder.OutputFormatting) throws {
        let bytes = try encode(request, formatting)
        for count in bytes.indices { #expect(PlainSend.read(Array(bytes.prefix(count))) == nil) }
        #expect(PlainSend.read(bytes + [0x20]) == nil)
        var read = 0
        for index in bytes.indices {
            for value in UInt8.min ... .max where value != bytes[index] {
                var changed = bytes
                changed[index] = value
                guard let plain = PlainSend.read(changed) else { continue }
                read += 1
                let general = try? JSONBody.decode(SendRequest.self, from: changed)
                guard let general, isSame(plain, general) else {
                    Issue.record("differs: \(String(decoding: changed, as: UTF8.self))")
                    continue
                }
            }
        }
        #expect(read > 100)
    }

    @Test("a field that is missing, twice, out of range or unknown, and a change of members, are left alone")
    func others() throws {
        let id = MessageID.random()
        let texts = [
            "{\"body\":\"AQ==\",\"epoch\":0,\"generation\":1}",
            "{\"body\":\"AQ==\",\"epoch\":0,\"generation\":1,\"id\":\"\(id)\",\"id\":\"\(id)\"}",
            "{\"body\":\"!!\",\"body\":\"AQ==\",\"epoch\":0,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"AQ==\",\"epoch\":0,\"generation\":1,\"id\":\"BAD\",\"id\":\"\(id)\"}",
            "{\"body\":\"AQ==\",\"epoch\":0,\"generation\":4294967296,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"AQ==\",\"epoch\":-,\"epoch\":0,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"AQ==\",\"epoch\":0,\"generation\":4294967296,\"id\":\"\(id)\"}",
            "{\"body\":\"AQ==\",\"epoch\":99999999999999999999,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"AQ==\",\"epoch\":01,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"AQ==\",\"epoch\":1.5,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"AR==\",\"epoch\":0,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"AQI\\=\",\"epoch\":0,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"A\",\"epoch\":0,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"AQ\",\"epoch\":0,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"AQIDBA\",\"epoch\":0,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"A===\",\"epoch\":0,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"AQ==\",\"change\":null,\"epoch\":0,\"generation\":1,\"id\":\"\(id)\"}",
            "{\"body\":\"AQ==\",\"epoch\":0,\"generation\":1,\"id\":\"\(id)\",}",
            "{}", "{", "",
        ]
        for text in texts { #expect(PlainSend.read(Array(text.utf8)) == nil, "\(text)") }
    }
}
