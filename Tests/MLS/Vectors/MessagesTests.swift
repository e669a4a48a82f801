import MildamCrypto
import MildamWire
import TestSupport
import Testing

@testable import MildamMLS

@Suite("RFC 9420, sections 6 to 12: what goes over the wire", .enabled(if: Vectors.areExpected))
struct MessagesTests {
    private static let messages = [
        "mls_welcome", "mls_group_info", "mls_key_package", "public_message_application", "public_message_proposal",
        "public_message_commit", "private_message",
    ]

    @Test func whatIsReadIsWrittenAsItWas() throws {
        for vector in try vectors("messages", of: [String: Bytes].self, count: 300) {
            for name in MessagesTests.messages { try roundTrip(MLSMessage.self, #require(vector[name])) }
            try roundTrip(KeyPackage.self, #require(vector["add_proposal"]))
            try roundTrip(LeafNode.self, #require(vector["update_proposal"]))
            try roundTrip(LeafIndex.self, #require(vector["remove_proposal"]))
            try roundTrip(PreSharedKeyID.self, #require(vector["pre_shared_key_proposal"]))
            try roundTrip(ReInit.self, #require(vector["re_init_proposal"]))
            try roundTrip(Extensions.self, #require(vector["group_context_extensions_proposal"]))
            try roundTrip(Commit.self, #require(vector["commit"]))
            let secrets = try #require(vector["group_secrets"])
            #expect(try GroupSecrets(encoded: secrets.secret).encoded.exposed == secrets.bytes)
            let tree = try #require(vector["ratchet_tree"])
            #expect(try RatchetTree.Nodes(wireBytes: tree.bytes).wireBytes == tree.bytes)
            let externalInit = try #require(vector["external_init_proposal"])
            let proposal = try Proposal(wireBytes: ProposalType.externalInit.wireBytes + externalInit.bytes)
            #expect(proposal.wireBytes.dropFirst(2).elementsEqual(externalInit.bytes))
        }
    }

    private func roundTrip<Value: WireDecodable & WireEncodable>(_ type: Value.Type, _ bytes: Bytes) throws {
        #expect(try bytes.read(type).wireBytes == bytes.bytes)
    }

    @Test func cutAnywhereOrLongerItIsRefused() throws {
        let vector = try #require(try vectors("messages", of: [String: Bytes].self, count: 300).first)
        for name in MessagesTests.messages {
            let bytes = try #require(vector[name]).bytes
            for count in 0..<bytes.count {
                #expect(throws: WireError.self) { try MLSMessage(wireBytes: Array(bytes.prefix(count))) }
            }
            #expect(throws: WireError.trailingBytes(count: 1)) { try MLSMessage(wireBytes: bytes + [0]) }
        }
    }

    @Test func aFlippedBitIsRefusedOrReadAsWhatItIs() throws {
        let vector = try #require(try vectors("messages", of: [String: Bytes].self, count: 300).first)
        for name in MessagesTests.messages {
            var bytes = try #require(vector[name]).bytes
            for place in bytes.indices {
                bytes[place] ^= 1 << UInt8(place % 8)
                if let message = try? MLSMessage(wireBytes: bytes) { #expect(message.wireBytes == bytes) }
                bytes[place] ^= 1 << UInt8(place % 8)
            }
        }
    }

    struct Header: Decodable { let vlbytes_header: Bytes, length: Int }

    @Test func lengthsAreAsShortAsTheyCanBe() throws {
        for vector in try vectors("deserialization", of: Header.self, count: 14) {
            var reader = WireReader(vector.vlbytes_header.bytes.span)
            #expect(try reader.variableLength() == vector.length)
            var writer = WireWriter()
            writer.variableLength(vector.length)
            #expect(writer.bytes == vector.vlbytes_header.bytes)
        }
    }

    @Test(arguments: [[0x40, 0x3F], [0x80, 0, 0x3F, 0xFF], [0x80, 0, 0, 0]] as [[UInt8]])
    func aLengthThatCouldBeShorterIsRefused(bytes: [UInt8]) {
        #expect(throws: WireError.lengthNotMinimal) {
            var reader = WireReader(bytes.span)
            _ = try reader.variableLength()
        }
    }

    @Test func thePrefix11IsRefused() {
        #expect(throws: WireError.invalidValue(field: "length")) {
            var reader = WireReader([0xC0, 0, 0, 0, 0, 0, 0, 0].span)
            _ = try reader.variableLength()
        }
    }
}
