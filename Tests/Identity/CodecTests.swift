import Foundation
import MildamWire
import TestSupport
import Testing

@testable import MildamIdentity

/// One structure, its pinned encoding, and how it is read and written again.
struct CodecCase: CustomTestStringConvertible {
    let testDescription: String
    let encoding: [UInt8]
    let written: [UInt8]
    let reencoded: @Sendable ([UInt8]) throws -> [UInt8]

    init<Value: WireEncodable & WireDecodable & Sendable>(_ name: String, _ value: Value, _ hex: String) {
        testDescription = name
        encoding = Sample.must { try Hex.decode(hex) }
        written = value.wireBytes
        reencoded = { bytes in try Value(wireBytes: bytes).wireBytes }
    }

    // Written by hand in Python from the presentation language in the doc comments; the signature is that of
    // python3-cryptography over label ‖ structure.
    static let identityKey = "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c"
    static let ids = String(repeating: "11", count: 16) + String(repeating: "22", count: 16)
    static let device = String(repeating: "33", count: 16)
    static let accountRecord = "01" + ids + "05616c696365" + identityKey
    static let deviceRecord =
        "01" + ids + device + "8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394"
        + "5dfedd3b6bd47f6fa28ee15d969d5bb0ea53774d488bdaf9df1c6e0124b3ef22" + "0000000077359400"
    static let nextIdentity = String(repeating: "44", count: 32)
    static let secondAccountRecord = "02" + String(accountRecord.dropFirst(2)) + nextIdentity
    static let secondDeviceRecord =
        "02" + String(deviceRecord.dropFirst(2)) + "0000000000000005" + nextIdentity + "00000001"
    static let deviceList =
        "01" + ids + "0000000000000001" + "01" + device
        + "b90d8dfe79502ed780c35f5c2493861716e90047bb0eb6a100da97422ee4f0be"
    static let handover =
        "01" + ids + device + "38e02c7845b1fa8bad5e0d29af2d2b735f64d4141732af6156f6305c507f6dd9"
        + "ec942495e941fc8fe88c9c0e34454843655d7e8ee9dc3c79bf0ed4ae31047f47"
    static let handoverSignature =
        "2edd5a1fa547b9dd853ab2e15a08adc4db10f10ad1f77bedfe128e5439bf3dfb"
        + "2b3514fed735b357d051a2e75fc48265efbe5299e87e3922ae63fa382922120e"
    static let signature =
        "0fdc8e2b381aeee81a08abbb416f4663cdc86372f7a924091e2e96b35bd2959b"
        + "fcfef041e2ef0cbc77d0c686782ae398f162d0d9a389fc67e176b7c74a6cf806"

    static let versioned = all.filter {
        $0.testDescription.contains("Record") || $0.testDescription.contains("Handover")
    }

    static let all = [
        CodecCase("Identifier", Sample.device, device),
        CodecCase("Handle", Sample.handle, "05616c696365"),
        CodecCase("AccountRecord", Sample.accountRecord, accountRecord),
        CodecCase("DeviceRecord", Sample.deviceRecord, deviceRecord),
        CodecCase("AccountRecord, version 2", Sample.secondAccountRecord, secondAccountRecord),
        CodecCase("DeviceRecord, version 2", Sample.secondDeviceRecord, secondDeviceRecord),
        CodecCase("DeviceList", Sample.list, deviceList),
        CodecCase("DeviceHandover", Sample.handover, handover),
        CodecCase(
            "Signed<DeviceHandover>",
            Signed(Sample.handover, by: Sample.signing),
            handover + handoverSignature
        ),
        CodecCase(
            "Signed<AccountRecord>",
            Signed(Sample.accountRecord, by: Sample.identity),
            accountRecord + signature
        ),
    ]
}

@Suite("protocol.md, Identity: encodings")
struct CodecTests {
    @Test("Round trip, and the bytes are the contract's", arguments: CodecCase.all)
    func roundTrip(_ sample: CodecCase) throws {
        #expect(sample.written == sample.encoding)
        #expect(try sample.reencoded(sample.encoding) == sample.encoding)
    }

    @Test("Cut at every byte, or one byte longer", arguments: CodecCase.all)
    func truncated(_ sample: CodecCase) {
        for count in sample.encoding.indices {
            #expect(throws: WireError.self) { try sample.reencoded(Array(sample.encoding.prefix(count))) }
        }
        #expect(throws: WireError.trailingBytes(count: 1)) { try sample.reencoded(sample.encoding + [0]) }
    }

    @Test("One bit flipped: refused, or read as exactly what it says", arguments: CodecCase.all)
    func flipped(_ sample: CodecCase) {
        for bit in 0..<sample.encoding.count * 8 {
            var bytes = sample.encoding
            bytes[bit / 8] ^= 1 << (bit % 8)
            do {
                #expect(try sample.reencoded(bytes) == bytes, "bit \(bit)")
            } catch {
                #expect(error is WireError)
            }
        }
    }

    @Test("A version that there is not", arguments: CodecCase.versioned)
    func otherVersion(_ sample: CodecCase) {
        for version: UInt8 in [0, 3, 255] {
            #expect(throws: WireError.invalidValue(field: "version")) {
                try sample.reencoded([version] + sample.encoding.dropFirst())
            }
        }
    }

    @Test("Version 2 is of records alone, and has its fields")
    func secondVersion() throws {
        for sample in CodecCase.all where sample.encoding.first == 1 {
            let isRecord = sample.testDescription.contains("Record")
            let error: WireError = isRecord ? .truncated : .invalidValue(field: "version")
            #expect(throws: error) { try sample.reencoded([2] + sample.encoding.dropFirst()) }
        }
        let key = Sample.identity.publicKey
        #expect(IdentitySuccession.commitment(to: key) != IdentitySuccession.commitment(to: Sample.signing.publicKey))
        #expect(IdentitySuccession.commitment(to: key).count == IdentitySuccession.commitmentSize)
    }

    @Test func listsAscendNameNoDeviceTwiceAndHold64() throws {
        let start = Array(try Hex.decode(CodecCase.deviceList).prefix(41))
        func entry(_ device: UInt8) -> [UInt8] { [UInt8](repeating: device, count: 48) }
        #expect(try DeviceList(wireBytes: start + [2] + entry(1) + entry(2)).entries.count == 2)
        #expect(throws: WireError.invalidValue(field: "entries")) {
            try DeviceList(wireBytes: start + [2] + entry(2) + entry(1))
        }
        #expect(throws: WireError.invalidValue(field: "entries")) {
            try DeviceList(wireBytes: start + [2] + entry(1) + entry(1))
        }
        let most = (0..<65).map { entry(UInt8($0)) }
        #expect(try DeviceList(wireBytes: start + [64] + Array(most.prefix(64).joined())).entries.count == 64)
        #expect(throws: WireError.lengthOutOfRange(65)) {
            try DeviceList(wireBytes: start + [65] + Array(most.joined()))
        }
        #expect(try DeviceList(wireBytes: start + [0]).entries.isEmpty)
    }

    @Test func listsSortTheirDevices() {
        let records = [9, 1, 5].map { (byte: UInt8) in
            DeviceRecord(
                relay: Sample.relay,
                account: Sample.account,
                device: Sample.identifier(byte),
                signatureKey: Sample.signing.publicKey,
                agreementKey: Sample.agreement.publicKey,
                notAfter: 0
            )
        }
        let list = DeviceList(relay: Sample.relay, account: Sample.account, number: 1, records: records)
        #expect(list.entries.map { $0.device.bytes[0] } == [1, 5, 9])
        #expect(list.entries.map(\.recordDigest) == [records[1].digest, records[2].digest, records[0].digest])
    }

    @Test func signedStructuresTravelAsBase64() throws {
        let json = try JSONEncoder().encode([Signed(Sample.accountRecord, by: Sample.identity)])
        let text = try JSONDecoder().decode([String].self, from: json)
        #expect(text == [Base64.standard.encode(try Hex.decode(CodecCase.accountRecord + CodecCase.signature))])
        for wrong in [#"["AA=="]"#, #"["*"]"#, "[1]", "[null]"] {
            #expect(throws: (any Error).self) {
                try JSONDecoder().decode([Signed<AccountRecord>].self, from: Data(wrong.utf8))
            }
        }
    }
}
