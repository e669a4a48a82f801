import Foundation
import MildamCrypto
import MildamIdentity
import MildamWire
import Testing

@testable import MildamGroupKey

@Suite("protocol.md, Group-key rooms: the message box")
struct MessageBoxTests {
    private let content = Array("밀담: hello".utf8)
    private let signer = Sample.alice.device.signatureKey

    private func opened(_ bytes: [UInt8]) throws -> [UInt8] {
        try MessageBox(wireBytes: bytes).opened(in: Sample.context, under: Sample.key, signedBy: signer)
    }

    @Test func roundTrip() throws {
        let bytes = try Sample.box(content).wireBytes
        let box = try MessageBox(wireBytes: bytes)
        #expect(box.wireBytes == bytes)
        #expect(box.message == Sample.message && box.counter == 7)
        #expect(try opened(bytes) == content)
        #expect(Data(bytes).range(of: Data(content)) == nil)
        #expect(try Sample.box(content).wireBytes != bytes, "the nonce is drawn anew")
    }

    @Test func cutAtEveryByte() throws {
        let bytes = try Sample.box(content).wireBytes
        for count in bytes.indices {
            #expect(throws: WireError.self) { try MessageBox(wireBytes: Array(bytes.prefix(count))) }
        }
        #expect(throws: WireError.trailingBytes(count: 1)) { try MessageBox(wireBytes: bytes + [0]) }
    }

    @Test func oneBitFlippedAnywhere() throws {
        let bytes = try Sample.box(content).wireBytes
        var refusedWhole = 0
        for bit in 0..<bytes.count * 8 {
            guard let box = try? MessageBox(wireBytes: bytes.flipped(bit)) else {
                refusedWhole += 1
                continue
            }
            // Message id and counter lie in clear; the box is bound to them.
            #expect(throws: GroupKeyError.damaged, "bit \(bit)") {
                try box.opened(in: Sample.context, under: Sample.key, signedBy: signer)
            }
        }
        #expect(refusedWhole == 5 * 8, "the version and the box's length, nothing else")
    }

    @Test("Another context in one field", arguments: 0..<5)
    func otherContext(_ field: Int) throws {
        let context = MessageContext(
            room: field == 0 ? Sample.identifier(1) : Sample.room,
            generation: field == 1 ? 4 : 3,
            epoch: field == 2 ? 1 : 0,
            senderAccount: field == 3 ? Sample.bob.record.account : Sample.alice.record.account,
            senderDevice: field == 4 ? Sample.bob.keys.device : Sample.alice.keys.device
        )
        let box = try Sample.box(content)
        #expect(throws: GroupKeyError.damaged) {
            try box.opened(in: context, under: Sample.key, signedBy: signer)
        }
    }

    @Test func anotherKeyOpensNothing() throws {
        let other = RoomKey(room: Sample.room, generation: 3)
        let box = try Sample.box(content)
        #expect(throws: GroupKeyError.damaged) { try box.opened(in: Sample.context, under: other, signedBy: signer) }
    }

    @Test func aMemberCannotWriteInAnothersName() throws {
        // Bob has the room key and makes a box whose context says Alice.
        let forged = try Sample.box(content, by: Sample.bob)
        #expect(throws: GroupKeyError.badSignature) {
            try forged.opened(in: Sample.context, under: Sample.key, signedBy: signer)
        }
        #expect(
            try forged.opened(in: Sample.context, under: Sample.key, signedBy: Sample.bob.device.signatureKey)
                == content,
            "the key was right; only the signature was not"
        )
    }

    /// A member who has the key seals what no honest client would: signed by Alice, but shaped at will.
    private func handmade(_ shape: ([UInt8]) -> [UInt8]) throws -> MessageBox {
        let authenticated =
            Label("message").wireBytes + Sample.context.wireBytes + Sample.message.bytes + [0, 0, 0, 0, 0, 0, 0, 7]
        let signature = Sample.alice.keys.signing.signature(for: authenticated + content)
        let sealed = try ChaChaPoly.seal(
            shape(Array(signature)),
            using: Sample.key.secretKey,
            authenticating: authenticated
        )
        var writer = WireWriter()
        writer.integer(UInt8(1))
        writer.fixed(Sample.message.bytes)
        writer.integer(UInt64(7))
        writer.vector(UInt32.self, Array(sealed.combined))
        return try MessageBox(wireBytes: writer.bytes)
    }

    @Test func theLayoutIsTheContracts() throws {
        let length: [UInt8] = [0, 0, 0, UInt8(content.count)]
        for padding in [0, 1, 1000] {
            let box = try handmade { $0 + length + content + [UInt8](repeating: 0, count: padding) }
            #expect(try box.opened(in: Sample.context, under: Sample.key, signedBy: signer) == content)
        }
        let malformed: [([UInt8]) -> [UInt8]] = [
            { $0 + length + content + [0, 0, 1] },
            { $0 + length + content + [0x80] + [UInt8](repeating: 0, count: 99) },
            { $0 + [0, 0, 0, UInt8(content.count + 1)] + content },
            { $0 + [0xFF, 0xFF, 0xFF, 0xFF] + content },
            { $0 + [0, 0, 0] },
            { Array($0.prefix(63)) },
            { _ in [] },
        ]
        for (index, shape) in malformed.enumerated() {
            let box = try handmade(shape)
            #expect(throws: GroupKeyError.malformed, "shape \(index)") {
                try box.opened(in: Sample.context, under: Sample.key, signedBy: signer)
            }
        }
    }

    @Test func theBoxIsBoundedBeforeItIsRead() throws {
        let head: [UInt8] = [1] + Sample.message.bytes + [0, 0, 0, 0, 0, 0, 0, 7]
        for (length, count): ([UInt8], Int) in [
            ([0, 0, 0, 27], 27), ([0, 0x10, 0, 1], 1 << 20 | 1), ([0xFF, 0xFF, 0xFF, 0xFF], 0xFFFF_FFFF),
        ] {
            let bytes = head + length + [UInt8](repeating: 0, count: 27)
            #expect(throws: WireError.lengthOutOfRange(count)) { try MessageBox(wireBytes: bytes) }
        }
    }

    // MARK: Padding

    /// Computed by hand from section 4 of the PURBs paper: E = ⌊log₂ L⌋, S = ⌊log₂ E⌋ + 1, the last E − S bits zero.
    @Test(
        "Padmé, and at least 256",
        arguments: [
            (0, 256), (1, 256), (255, 256), (256, 256), (257, 272), (272, 272), (273, 288), (511, 512), (512, 512),
            (513, 544), (1000, 1024), (1025, 1088), (65_536, 65_536), (65_537, 67_584), (100_000, 100_352),
            (1_000_000, 1_015_808),
        ]
    )
    func paddedSize(_ size: Int, _ padded: Int) {
        #expect(Padding.paddedSize(of: size) == padded)
    }

    @Test func paddingCostsAtMostAnEighthAndNeverShrinks() {
        for size in 257..<20_000 {
            let padded = Padding.paddedSize(of: size)
            #expect(padded >= size && (padded - size) * 100 <= size * 12)
            #expect(Padding.paddedSize(of: padded) == padded)
        }
    }

    @Test func textsOfOneClassHaveOneLength() throws {
        let sizes = try [0, 1, 50, 188].map { try Sample.box([UInt8](repeating: 65, count: $0)).wireBytes.count }
        #expect(Set(sizes) == [1 + 16 + 8 + 4 + 12 + 256 + 16], "up to 188 bytes of content")
        let longer = try [189, 204].map { try Sample.box([UInt8](repeating: 65, count: $0)).wireBytes.count }
        #expect(Set(longer) == [1 + 16 + 8 + 4 + 12 + 272 + 16])
    }
}
