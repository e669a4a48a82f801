import Foundation
import MildamCrypto
import MildamFiles
import MildamWire
import TestSupport
import Testing

@Suite("ECIES packets as bytes and as text")
struct ECIESPacketFormTests {
    private let packet = Data((0..<100).map { UInt8($0) })

    @Test(arguments: ECIESPacketForm.allCases) func whatIsWrittenIsRead(form: ECIESPacketForm) throws {
        let written = form.encode(packet)
        #expect(try form.decode(written) == packet)
        if form == .binary { #expect(written == Array(packet)) }
        guard form != .binary else { return }
        #expect(written.last == UInt8(ascii: "\n"))
        let wrapped = written.flatMap { $0 == UInt8(ascii: "A") ? [$0, 0x0D, 0x0A, 0x20] : [$0] }
        #expect(try form.decode(wrapped) == packet)
        #expect(throws: WireError.invalidText) { _ = try form.decode(written + [UInt8(ascii: "!")]) }
        #expect(throws: WireError.invalidText) { _ = try form.decode([0xFF]) }
    }

    @Test(arguments: [ECIESPacketForm.base64, .hex]) func cutAndChangedTextsAreNeverThePacket(
        form: ECIESPacketForm
    ) throws {
        let written = Array(form.encode(packet).dropLast())
        for count in written.indices { #expect((try? form.decode(Array(written[..<count]))) != packet) }
        for index in written.indices {
            for bit in 0..<8 {
                var changed = written
                changed[index] ^= 1 << bit
                let read = try? form.decode(changed)
                // Hexadecimal digits have two cases.
                let isSame = form == .hex && bit == 5 && changed[index] > 0x40
                #expect((read == packet) == isSame, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func whatOneKeySealsTheOtherHalfOpens() throws {
        let keys = [
            ECIESPrivateKey.p256(P256.KeyAgreement.PrivateKey()), .p384(P384.KeyAgreement.PrivateKey()),
            .p521(P521.KeyAgreement.PrivateKey()),
        ]
        let message = Array("a message".utf8)
        for (key, overhead) in zip(keys, [81, 113, 149]) {
            let parameters = ECIES.Parameters(hash: .sha512, iv: .derived)
            let packet = try key.publicKey.seal(message.span, parameters: parameters)
            #expect(packet.count == message.count + overhead)
            let opened = try key.open(packet, parameters: parameters)
            let bytes = unsafe opened.withUnsafeBytes { unsafe Array($0) }
            #expect(bytes == message)
            #expect(throws: ECIESError.authenticationFailure) { _ = try key.open(packet, parameters: .init()) }
        }
    }
}
