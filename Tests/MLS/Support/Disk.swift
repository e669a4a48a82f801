import MildamCrypto
import Testing

@testable import MildamMLS

/// What a member has stored of a group: its records, and nothing else.
struct Disk {
    private(set) var records: [StateRecord.Name: SymmetricKey] = [:]
    private var saved: Group?
    /// How many records the last change wrote and removed, and how many bytes it wrote.
    private(set) var written = (records: 0, bytes: 0)

    /// Stores a group as it is now.
    mutating func save(_ group: Group) {
        // A group that was made anew has another name, and is stored beside the old one.
        let isSame = saved?.publicGroup.context.groupID == group.publicGroup.context.groupID
        if !isSame { records = [:] }
        let changes = group.changes(since: isSame ? saved : nil)
        for term in changes.ended { records = records.filter { $0.key.term != term } }
        for name in changes.removed { #expect(records.removeValue(forKey: name) != nil, "\(name)") }
        for record in changes.stored { records[record.name] = record.content }
        written.records = changes.stored.count + changes.removed.count
        written.bytes = changes.stored.reduce(0) { $0 + $1.content.bitCount / 8 }
        saved = group
    }

    /// The group that is stored.
    ///
    /// What is stored piece by piece is what would be stored at once, and what is read would be written as it is.
    mutating func restored(_ environment: GroupEnvironment) throws -> Group {
        let whole = Disk.all(try #require(saved))
        #expect(Set(records.keys) == Set(whole.keys))
        #expect(records.allSatisfy { whole[$0.key] == $0.value })
        let group = try Group(restoring: Disk.list(records), environment: environment)
        let again = Disk.all(group)
        #expect(Set(records.keys) == Set(again.keys))
        #expect(records.allSatisfy { again[$0.key] == $0.value })
        saved = group
        return group
    }

    private static func all(_ group: Group) -> [StateRecord.Name: SymmetricKey] {
        Dictionary(uniqueKeysWithValues: group.changes().stored.map { ($0.name, $0.content) })
    }

    static func list(_ records: [StateRecord.Name: SymmetricKey]) -> [StateRecord] {
        records.map { StateRecord(name: $0.key, content: $0.value) }
    }
}
