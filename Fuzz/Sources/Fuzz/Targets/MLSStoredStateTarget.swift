import MildamCrypto
import MildamWire

@testable import MildamMLS

extension FuzzTarget {
    /// The records that a group is stored in: each with its name before it, and the length of both.
    static let mlsStoredState = FuzzTarget(
        name: "mls-stored-state",
        source: .network,
        seeds: { [joined(MLSSeeds.all.group), joined(MLSSeeds.all.waiting)] },
        take: { input in
            guard let list = try? Records(wireBytes: input).list else { return }
            planted(list.count > 3 && list.contains { $0.name.term == .lateMessages(1) })
            guard let group = try? Group(restoring: list, environment: MLSSeeds.environment) else { return }
            let again = try? Group(restoring: group.changes().stored, environment: MLSSeeds.environment)
            mustHold(again != nil, "a group that was restored can be stored again")
            var talking = group
            _ = try? talking.protect([1])
            talking.discardStagedCommit()
            _ = try? talking.commit()
            for message in MLSSeeds.all.messages { _ = try? talking.process(message) }
        }
    )
}

/// `Record records<V>`, each of which has its name and its content as vectors.
private struct Records: WireDecodable {
    let list: [StateRecord]

    init(from reader: inout WireReader) throws(WireError) {
        var list: [StateRecord] = []
        while reader.remaining > 0 {
            let name = try StateRecord.Name(wireBytes: try reader.vector())
            list.append(StateRecord(name: name, content: SymmetricKey(data: try reader.vector())))
        }
        self.list = list
    }
}

private func joined(_ group: Group) -> [UInt8] {
    var writer = WireWriter()
    for record in group.changes().stored {
        writer.vector(record.name.wireBytes)
        unsafe record.content.withUnsafeBytes { unsafe writer.vector($0) }
    }
    return writer.bytes
}
