import FoundationEssentials
import MildamCrypto
import MildamSystem
import MildamWire

@testable import MildamKeychain
@testable import MildamStorage

extension FuzzTarget {
    /// What lies in a keychain's file. The first byte says what the rest is: what is sealed as an item's attributes; changes
    /// to a sealed row; what an item's key, or its row's, opens; the head; a grant; a line of the audit log; a slot; a
    /// recovery code.
    static let itemBlob = FuzzTarget(
        name: "item-blob",
        source: .file,
        seeds: { BlobSeeds.all },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0: readContent(rest)
            case 1: readRow(rest)
            case 2: readPadded(rest)
            case 3:
                guard let head = oneForm(Head.self, rest) else { return }
                mustHold(head.rows.bytes.count == SetHash.size, "a set hash has 32 bytes")
            case 4: _ = oneForm(AccessGrant.self, rest)
            case 5: _ = oneForm(AuditRecord.self, rest)
            case 6: readSlot(rest)
            default: readRecoveryCode(rest)
            }
        }
    )

    /// The first two bytes are the row's class and accessibility.
    private static func readContent(_ input: [UInt8]) {
        guard input.count >= 2 else { return }
        let opened = Array(input.dropFirst(2))
        let row = must { () throws(StorageError) -> ItemRow in
            let (itemClass, accessibility) = (Int64(input[0]), Int64(input[1]))
            let attributes = try BlobSeeds.sealer.seal(
                Data(opened),
                column: "attributes",
                row: .integer(1),
                .integer(1),
                .integer(itemClass),
                .integer(accessibility)
            )
            return ItemRow(
                number: 1,
                version: 1,
                itemClass: itemClass,
                accessibility: accessibility,
                attributes: [UInt8](attributes),
                key: [],
                secret: []
            )
        }
        let content = try? ItemContent(row, opened: opened.span)
        BlobSeeds.store.withLock { store in
            mustHold((try? store.open(row)) == content, "a row says what was sealed in it")
            guard let content else { return }
            planted((content.attributes.number(.creator) ?? 7) != 7)
            mustHold(content.sealedPart == opened, "the content of an item has one form")
            var query = KeychainQuery(content.itemClass, content.attributes)
            query.synchronizable = .any
            mustHold(content.matches(query, .everything(default: "")), "an item is one that has its own attributes")
            let indexed = content.attributes.sorted.filter { $0.0.isIndexed }
            mustHold(store.entries(content).count == indexed.count + 1, "each indexed attribute is in the index")
            let again = try? store.seal(content, number: 1, version: 1, secret: BlobSeeds.secret, under: BlobSeeds.key)
            guard let again, (try? store.open(again)) == content else {
                return mustHold(false, "what was read of an item can be sealed and opened")
            }
            let secret = try? store.secret(again, content, under: BlobSeeds.key)
            mustHold(secret?.constantTimeEquals(BlobSeeds.secret) ?? false, "what was sealed opens")
        }
    }

    /// The first three bytes say how much of the end of each column is missing, the rest what is changed.
    private static func readRow(_ script: [UInt8]) {
        guard script.count >= 3 else { return }
        let genuine = BlobSeeds.row
        let columns = [genuine.attributes, genuine.key, genuine.secret]
        var rest = change(columns.flatMap { $0 }, as: Array(script.dropFirst(3)))[...]
        let changed = zip(columns, script).map { column, missing in
            defer { rest = rest.dropFirst(column.count) }
            return Array(rest.prefix(max(column.count - Int(missing), 0)))
        }
        let row = ItemRow(
            number: genuine.number,
            version: genuine.version,
            itemClass: genuine.itemClass,
            accessibility: genuine.accessibility,
            attributes: changed[0],
            key: changed[1],
            secret: changed[2]
        )
        BlobSeeds.store.withLock { store in
            guard let content = try? store.open(row) else {
                return mustHold(changed[0] != columns[0], "what was sealed opens")
            }
            mustHold(changed[0] == columns[0], "attributes that were changed do not open")
            let secret = try? store.secret(row, content, under: BlobSeeds.key)
            mustHold((secret != nil) == (changed == columns), "a secret opens as it was sealed, and not otherwise")
        }
    }

    /// What is sealed with its length before it, by whoever has the key.
    private static func readPadded(_ padded: [UInt8]) {
        guard padded.count >= 4 else { return }
        let announced = padded[..<4].reduce(0) { $0 << 8 | Int($1) }
        let expected = announced <= padded.count - 4 ? Array(padded[4..<4 + announced]) : nil
        let place = Array("place".utf8)
        let sealed = must { () throws(CryptoKitError) in
            let secret = SecretBytes(copying: padded.span)
            return try AES.GCM.seal(secret: secret, using: BlobSeeds.key, authenticating: place.span)
        }
        let secret = SecretBox.open(sealed, under: BlobSeeds.key, place)
        mustHold(secret?.bytes == expected, "a secret is as long as its length says")

        let sealer = BlobSeeds.sealer
        var column: [UInt8] = []
        sealer.append("attributes", [], to: &column)
        let value = must { () throws(CryptoKitError) in
            try ChaChaPoly.seal(padded, using: sealer.key, authenticating: column).combined
        }
        let opened = try? sealer.open(Data(value), column: "attributes")
        mustHold(opened.map { [UInt8]($0) } == expected, "a value is as long as its length says")
    }

    private static func readSlot(_ input: [UInt8]) {
        guard let slot = oneForm(KeySlot.self, input) else { return }
        let row = SlotRow(number: 1, parameters: input, sealed: [])
        mustHold(KeySlot.kind(of: row) == slot.kind, "a slot is of the kind that its row claims")
        mustHold((slot.passphrase != nil) == slot.kind.stretchesPassphrase, "a passphrase has its costs")
        mustHold((slot.enclave != nil) == slot.kind.usesEnclave, "an enclave's slot has a key of it")
        if let costs = slot.passphrase?.costs {
            mustHold(PassphraseCosts(memoryKiB: costs.memoryKiB, passes: costs.passes) != nil, "costs are in range")
        }
        let known = slot.open(BlobSeeds.sealedSlot, under: BlobSeeds.key, BlobSeeds.identifier)
        mustHold((known != nil) == (slot == BlobSeeds.slot), "what a slot seals is bound to its parameters")
        let content = KeySlot.Content(
            main: BlobSeeds.content.main,
            passcode: slot.kind.hasPasscode ? BlobSeeds.content.passcode : nil
        )
        let sealed = try? slot.seal(content, under: BlobSeeds.key, BlobSeeds.identifier)
        let own = sealed.flatMap { slot.open($0, under: BlobSeeds.key, BlobSeeds.identifier) }
        mustHold(own?.main == content.main, "what a slot seals opens")
        mustHold((own?.passcode != nil) == slot.kind.hasPasscode, "a slot with a passcode holds its key")
    }

    private static func readRecoveryCode(_ input: [UInt8]) {
        guard let code = RecoveryCode(SecretValue(copying: input.span)) else { return }
        let text = code.text
        mustHold(text.count == 39, "a recovery code has 39 characters")
        let again = RecoveryCode(text)
        mustHold(again?.secret.constantTimeEquals(code.secret) ?? false, "a recovery code is read as written")
    }
}

/// A keychain's keys, and what is sealed under them: the same in every run but for the nonces.
private enum BlobSeeds {
    static let key = SymmetricKey(data: [UInt8](repeating: 1, count: 32))
    static let metadata = SymmetricKey(data: [UInt8](repeating: 2, count: 32))
    static let content = KeySlot.Content(main: SymmetricKey(data: [UInt8](repeating: 3, count: 32)), passcode: key)
    static let secret = SecretValue(text: "a secret")
    static let sealer = RowSealer(rootKey: metadata, table: "item", path: "")

    static let identifier: KeychainIdentifier = {
        guard let identifier = KeychainIdentifier([UInt8](repeating: 4, count: 16)) else { fatalError("16 bytes") }
        return identifier
    }()

    static let store: Lock<ItemStore> = {
        let database = must { () throws(StorageError) in try Database(inMemory: "fuzz") }
        return Lock(must { () throws(KeychainError) in try ItemStore(database, identifier, metadata) })
    }()

    private static let item = ItemContent(
        .genericPassword,
        .whenUnlocked,
        group: "group",
        isSynchronizable: false,
        [
            .account: "a\0é", .service: "s", .generic: .data([1, 2]), .creator: 7, .isNegative: false,
            .creationDate: .date(1),
        ]
    )

    static let row: ItemRow = store.withLock { store in
        must { () throws(KeychainError) in try store.seal(item, number: 3, version: 2, secret: secret, under: key) }
    }

    static let slot = KeySlot(
        kind: .passphrase,
        created: 1,
        passphrase: .init(costs: .least, salt: [UInt8](repeating: 5, count: KDF.Argon2id.saltByteCount)),
        enclave: nil
    )

    static let sealedSlot: [UInt8] = must { () throws(KeychainError) in try slot.seal(content, under: key, identifier) }

    private static let enclaveSlot = KeySlot(
        kind: .enclavePIN,
        created: 1,
        passphrase: nil,
        enclave: .init(blob: [1, 2, 3], peer: [UInt8](repeating: 6, count: KeySlot.EnclavePart.peerSize))
    )

    static let all: [[UInt8]] = {
        let program = ProgramIdentity(executable: "/bin/x", user: 7)
        let record = AuditRecord(time: 1, event: .denied, program: program, group: "g")
        let certificate = ItemContent(
            .certificate,
            .afterFirstUnlock,
            group: "g",
            isSynchronizable: true,
            [.issuer: .data([48, 0]), .serialNumber: .data([1]), .certificateType: 3]
        )
        var head = Head()
        head.hardwareKey = [1, 2, 3]
        var seeds: [[UInt8]] = [[1, 0, 0, 0], [1, 0, 1, 0, 0, 0, 1], [2, 0, 0, 0, 3, 97, 98, 99, 0, 0]]
        for content in [item, certificate] {
            seeds.append([0, content.itemClass.rawValue, content.accessibility.rawValue] + content.sealedPart)
        }
        seeds.append([3] + head.wireBytes)
        seeds.append([4] + AccessGrant(program, "g").wireBytes)
        seeds.append([5] + record.wireBytes)
        for slot in [slot, enclaveSlot] { seeds.append([6] + slot.wireBytes) }
        seeds.append([7] + Array("abcd-efgh-ijkl-mnop-qrst-uvwx-yz23-4567".utf8))
        return seeds
    }()
}
