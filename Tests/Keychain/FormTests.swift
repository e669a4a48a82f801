import MildamCrypto
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("What is read has one form")
struct FormTests {
    private static let identifier = KeychainIdentifier([UInt8](repeating: 3, count: 16))
    private static let program = ProgramIdentity(executable: "/bin/x", user: 7)

    private static let replies: [AgentReply] = {
        guard let identifier else { return [] }
        let reference = ItemReference(keychain: identifier, number: 1)
        let item = KeychainItem(
            reference: reference,
            itemClass: .genericPassword,
            accessGroup: "g",
            isSynchronizable: false,
            accessibility: .whenUnlocked,
            attributes: [.account: "a\0é", .creationDate: .date(1)],
            secret: SecretValue(text: "x")
        )
        var report = KeychainReport()
        report.items = 2
        report.damaged = [2]
        report.problem = .changedFromOutside(reason: "r")
        return [
            .done, .failed(.tooManyTries(seconds: 2)), .failed(.invalidRequest(reason: "r")),
            .failed(.damagedItem(number: 9)), .state(.locked, identifier, .unknown(reason: "r")),
            .state(.unlocked, identifier, .agrees), .reference(reference), .items([item, item]),
            .count(1), .report(report), .grants([AccessGrant(program, "g")]),
            .auditLog([AuditRecord(time: 1, event: .granted, program: program, group: "g")]),
            .agent(agent(of: FileIdentity(device: 1, number: 1 << 40))), .agent(agent(of: nil)),
            .past([past(item, isRemoved: true), past(item, isRemoved: false)]), .secret(SecretValue(text: "x")),
            .failed(.damagedPast(number: 9)),
        ]
    }()

    private static func past(_ item: KeychainItem, isRemoved: Bool) -> PastItem {
        let known = KeychainItem(
            reference: item.reference,
            itemClass: item.itemClass,
            accessGroup: item.accessGroup,
            isSynchronizable: true,
            accessibility: item.accessibility,
            attributes: item.attributes,
            secret: nil
        )
        return PastItem(number: 7, item: known, time: 1 << 40, isRemoved: isRemoved)
    }

    private static func agent(of file: FileIdentity?) -> AgentInfo {
        AgentInfo(
            version: "1.2.3",
            executable: "/bin/x",
            keychain: "/é/keychain.db",
            file: file,
            isOwner: true,
            isReplaced: false
        )
    }

    /// Bytes, and what reads them and writes them again.
    private struct Written: Sendable {
        let bytes: [UInt8]
        let again: @Sendable ([UInt8]) -> [UInt8]?

        init(_ bytes: [UInt8], _ again: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
            self.bytes = bytes
            self.again = again
        }

        init<Value: WireEncodable & WireDecodable & SendableMetatype>(_ value: Value) {
            self.init(value.wireBytes) { (try? Value(wireBytes: $0))?.wireBytes }
        }
    }

    private static let written: [Written] = {
        let slot = KeySlot(
            kind: .enclaveAndPassphrase,
            created: 1,
            passphrase: .init(costs: .least, salt: [UInt8](repeating: 5, count: KDF.Argon2id.saltByteCount)),
            enclave: .init(blob: [1, 2, 3], peer: [UInt8](repeating: 6, count: KeySlot.EnclavePart.peerSize))
        )
        var head = Head()
        head.nextItem = 7
        head.hardwareKey = [1, 2, 3]
        let record = AuditRecord(time: 1, event: .denied, program: program, group: "g")
        var written = replies.map { Written($0) }
        written += [Written(slot), Written(head), Written(AccessGrant(program, "g")), Written(record)]
        written.append(Written(PastNote(time: 1 << 40)))
        written.append(Written(content.sealedPart) { read($0)?.sealedPart })
        return written
    }()

    private static let content = ItemContent(
        .genericPassword,
        .whenUnlocked,
        group: "g",
        isSynchronizable: true,
        [.account: "a", .generic: .data([1]), .creator: 7, .isNegative: false]
    )

    private static func read(_ opened: [UInt8]) -> ItemContent? {
        let row = ItemRow(number: 1, version: 1, itemClass: 1, accessibility: 1, attributes: [], key: [], secret: [])
        return try? ItemContent(row, opened: opened.span)
    }

    @Test func thereIsSomethingToRead() { #expect(Self.written.count == 23) }

    @Test(arguments: 0..<23)
    func everythingIsReadBackAndEveryCutRefused(_ index: Int) {
        let (bytes, again) = (Self.written[index].bytes, Self.written[index].again)
        #expect(again(bytes) == bytes)
        #expect(again(bytes + [0]) == nil, "a byte more")
        let read = (0..<bytes.count).filter { again(Array(bytes[..<$0])) != nil }
        #expect(read.isEmpty, "cut")
    }

    @Test(arguments: 0..<23)
    func withABitFlippedItIsRefusedOrSaysSomethingElse(_ index: Int) {
        let (bytes, again) = (Self.written[index].bytes, Self.written[index].again)
        for position in 0..<bytes.count * 8 {
            var changed = bytes
            changed[position / 8] ^= 1 << UInt8(position % 8)
            #expect(again(changed) ?? changed == changed, "bit \(position)")
        }
    }

    @Test func theContentOfAnItemHasOneForm() throws {
        let bytes = Self.content.sealedPart
        // Behind the group of one byte: whether it is synchronizable.
        #expect(bytes[3] == 1)
        var changed = bytes
        changed[3] = 2
        #expect(Self.read(changed) == nil)
        #expect(Self.read(bytes) == Self.content)
    }

    @Test func theAttributesOfAChangeStandInTheirOrderAndOnce() throws {
        let account = Array("acct".utf8) + [0]
        let label = Array("labl".utf8) + [0]
        let rest: [UInt8] = [0, 0, 0, 0]
        #expect(try ItemChange(wireBytes: [2] + account + label + rest).attributes.count == 2)
        #expect(throws: WireError.self) { try ItemChange(wireBytes: [2] + label + account + rest) }
        #expect(throws: WireError.self) { try ItemChange(wireBytes: [2] + label + label + rest) }
        let flag: [UInt8] = Array("labl".utf8) + [1, 4, 0, 0, 0, 1, 1]
        #expect(throws: WireError.invalidValue(field: "labl")) { try ItemChange(wireBytes: [1] + flag + rest) }
        let many = ItemChange(Dictionary(uniqueKeysWithValues: ItemAttribute.allCases.map { ($0, nil) }))
        #expect(try ItemChange(wireBytes: many.wireBytes).attributes.count == ItemAttribute.allCases.count)
    }

    @Test func anErrorSaysOnlyWhatItsKindHas() throws {
        let nothing: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(try KeychainError(wireBytes: [2] + nothing) == .itemNotFound)
        #expect(throws: WireError.self) { try KeychainError(wireBytes: [2] + nothing.dropLast() + [1]) }
        #expect(throws: WireError.self) { try KeychainError(wireBytes: [2, 0, 1, 97] + nothing.dropFirst(2)) }
        // Numbers stand as they are written here.
        let numbers = KeychainError.ambiguousItem(numbers: [1, -70])
        #expect(try KeychainError(wireBytes: numbers.wireBytes) == numbers)
        for text in ["1  2", " 1", "+1", "01", "1 x"] {
            let bytes: [UInt8] = [19, 0, UInt8(text.utf8.count)] + Array(text.utf8) + nothing.dropFirst(2)
            #expect(throws: WireError.self) { try KeychainError(wireBytes: bytes) }
        }
        let many = try KeychainError(wireBytes: KeychainError.ambiguousItem(numbers: Array(1...5000)).wireBytes)
        guard case .ambiguousItem(let first) = many else {
            Issue.record("\(many)")
            return
        }
        #expect(first == Array(1...Int64(first.count)) && first.count > 100)
        // The states of a disk stay apart, by which the statuses of commands tell them.
        for (code, words) in [(20, "the disk is full"), (21, "for reading only")] as [(UInt8, String)] {
            let bytes: [UInt8] = [code, 0, 2] + Array("/p".utf8) + nothing.dropFirst(2)
            let error = try KeychainError(wireBytes: bytes)
            #expect(error.wireBytes == bytes && error.description.contains(words))
        }
        // Of an enclave that is not there, there are three kinds.
        for (number, isKnown) in [(0, false), (1, true), (3, true), (4, false)] as [(UInt8, Bool)] {
            let error = try? KeychainError(wireBytes: [25] + nothing.dropLast() + [number])
            #expect((error != nil) == isKnown, "\(number)")
        }
        // What was passed on once is passed on as it is.
        let error = KeychainError.agent(reason: "r")
        #expect(try KeychainError(wireBytes: error.wireBytes) == error)
    }

    @Test(arguments: ["x", "é", "👩‍👩‍👧‍👦", "e\u{301}\u{302}\u{303}"])
    func aLongTextIsCutToWhatCanBeRead(_ character: String) throws {
        let text = String(repeating: character, count: 5000)
        let read = try KeychainError(wireBytes: KeychainError.enclave(reason: text).wireBytes)
        guard case .enclave(let reason) = read else {
            Issue.record("\(read)")
            return
        }
        #expect((4093...4096).contains(reason.utf8.count))
        #expect(Array(text.utf8).starts(with: Array(reason.utf8)))
    }

    @Test func aCountFitsANumber() throws {
        let most = [UInt8](repeating: 0xff, count: 8)
        #expect(throws: WireError.self) { try AgentReply(wireBytes: [5] + most) }
        #expect(throws: WireError.self) { try AgentReply(wireBytes: [6] + most + [UInt8](repeating: 0, count: 13)) }
    }
}
