import MildamCrypto
import MildamWire
import Testing

@testable import MildamIdentity

@Suite("protocol.md, Identity: fingerprints and labels")
struct FingerprintTests {
    /// python3: `d = sha512(b"\x14mildam/1 fingerprint" + b"\x22"*16 + key).digest()`, then
    /// `"%05d" % (int.from_bytes(d[i:i+5], "big") % 100000)` for i in 0, 5, … 55.
    @Test func pinned() {
        #expect(
            Sample.accountRecord.fingerprint.description
                == "56508 78467 28598 53585 59801 23468 82722 66162 30795 09387 83019 69334"
        )
    }

    @Test func differsByAccountAndByKey() {
        let own = Sample.accountRecord.fingerprint
        #expect(own == Fingerprint(account: Sample.account, key: Sample.identity.publicKey))
        #expect(own != Fingerprint(account: Sample.identifier(0x23), key: Sample.identity.publicKey))
        #expect(own != Fingerprint(account: Sample.account, key: Sample.signing.publicKey))
    }

    @Test func aLabelIsWrittenWithItsLength() {
        #expect(Label("x").wireBytes == [10] + Array("mildam/1 x".utf8))
        #expect(Label("x").over(Sample.handle) == Label("x").wireBytes + Sample.handle.wireBytes)
    }

    /// A structure of the same bytes for another purpose.
    private struct Other: Signable {
        static let label = Label("other record")
        let record: AccountRecord
        func encode(into writer: inout WireWriter) { record.encode(into: &writer) }
        init(from reader: inout WireReader) throws(WireError) { record = try AccountRecord(from: &reader) }
    }

    @Test func aSignatureForOnePurposeIsNoneForAnother() throws {
        let signed = Signed(Sample.accountRecord, by: Sample.identity)
        #expect(try signed.verified(under: Sample.identity.publicKey) == Sample.accountRecord)
        let other = try Signed<Other>(wireBytes: signed.wireBytes)
        #expect(throws: IdentityError.badSignature("mildam/1 other record")) {
            try other.verified(under: Sample.identity.publicKey)
        }
        let labels = [AccountRecord.label, DeviceRecord.label, DeviceList.label].map(\.text)
        #expect(labels == ["mildam/1 account record", "mildam/1 device record", "mildam/1 device list"])
    }

    @Test func everyBitUnderASignatureCounts() throws {
        let signed = Signed(Sample.list, by: Sample.identity).wireBytes
        for bit in 0..<signed.count * 8 {
            var bytes = signed
            bytes[bit / 8] ^= 1 << (bit % 8)
            guard let altered = try? Signed<DeviceList>(wireBytes: bytes) else { continue }
            #expect(throws: IdentityError.badSignature("mildam/1 device list"), "bit \(bit)") {
                try altered.verified(under: Sample.identity.publicKey)
            }
        }
    }
}
