import MLSInterop
import MildamCrypto
import TestSupport
import Testing

@testable import MildamMLS

/// A group through whatever happens: who comes and goes, who commits at the same time as another, messages that are lost or
/// come in another order.
private struct Soak {
    private var generator: SeededGenerator
    private(set) var groups: [String: Group] = [:]
    /// What each member has stored of the group.
    private var disks: [String: Disk] = [:]
    /// The same, of those who store seldom: much has changed then at once.
    private var lateDisks: [String: Disk] = [:]
    /// Those who were removed, as they were.
    private var ghosts: [Group] = []
    private var born = 0
    private var anew: UInt8 = 0
    private(set) var seen: [String: Int] = [:]
    private let suite: CipherSuite
    private static let size = 40

    init(_ suite: CipherSuite, _ label: String) throws {
        self.suite = suite
        generator = Seed.generator(for: label)
        let (name, bundle) = try newcomer()
        keep(name, try Group(creating: GroupID([0]), with: bundle, environment: environment(of: name)))
    }

    /// Members differ in how long they keep what is over. In every other group some of them keep nothing to resume from; then
    /// nobody does resume.
    private func environment(of name: String) -> GroupEnvironment {
        let number = name.split(separator: " ").last.flatMap { Int($0) } ?? 0
        return GroupEnvironment(
            authentication: Everybody(by: .credential),
            policy: Everybody(by: .credential),
            grease: .all,
            now: { 1_700_000_000 },
            presharedKey: { key in
                if case .external(let id) = key {
                    SymmetricKey(data: id + [UInt8](repeating: 1, count: 32))
                } else {
                    nil
                }
            },
            pastEpochs: [1, 0, 3][number % 3],
            resumptionEpochs: [8, anew.isMultiple(of: 2) ? 1 : 0, 3][number / 3 % 3]
        )
    }

    private mutating func newcomer() throws -> (String, KeyPackageBundle) {
        born += 1
        let name = "member \(born)"
        return (name, try Person(name, suite).bundle())
    }

    private mutating func somebody(but other: String? = nil) -> String? {
        groups.keys.filter { $0 != other }.sorted().randomElement(using: &generator)
    }

    private mutating func chance(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &generator) == 0 }

    // MARK: Steps

    mutating func step() throws {
        let kind = Int.random(in: 0..<100, using: &generator)
        switch kind {
        case ..<20: try add()
        case ..<32: try remove()
        case ..<41: try proposeAndCommit()
        case ..<44: try leave()
        case ..<54: try commit([])
        case ..<62: try commitAtOnce()
        case ..<84: try talk()
        case ..<90: try joinFromOutside()
        case ..<94: try resync()
        case ..<97: try commit([try presharedKey()])
        case ..<99: try restart()
        default: try makeAnew()
        }
    }

    private mutating func note(_ name: String) { seen[name, default: 0] += 1 }

    private mutating func add() throws {
        let room = Soak.size - groups.count
        guard room > 0 else { return try remove() }
        let newcomers = try (0..<Int.random(in: 1...min(5, room), using: &generator)).map { _ in try newcomer() }
        let messages = try commit(newcomers.map { .add($0.1.keyPackage) })
        guard case .welcome(let welcome)? = messages.welcome else { throw MLSError.notWelcome }
        for (name, bundle) in newcomers {
            let group = try Group(
                joining: welcome,
                with: bundle,
                environment: environment(of: name),
                isKnown: { _ in false }
            )
            keep(name, group)
        }
        agree()
        note("add")
    }

    private mutating func remove() throws {
        guard let committer = somebody(), let gone = somebody(but: committer), let leaf = groups[gone]?.ownLeaf else {
            return
        }
        try commit([.remove(leaf)], by: committer)
        #expect(groups[gone] == nil)
        note("remove")
    }

    private mutating func proposeAndCommit() throws {
        guard let proposer = somebody(), let committer = somebody(but: proposer), var group = groups[proposer] else {
            return
        }
        let isOpen = chance(2)
        let (message, reference) = try group.proposeUpdate(framing: isOpen ? .publicMessage : .privateMessage)
        keep(proposer, group)
        try deliver(message, but: proposer)
        if chance(4) {
            // The application has thought better of it.
            for name in groups.keys.sorted() {
                guard var group = groups[name] else { continue }
                group.discardProposal(reference)
                keep(name, group)
            }
            for name in groups.keys.sorted() { try crash(name) }
            note("discard")
        }
        try commit([], by: committer)
        note("update")
    }

    /// Somebody goes by a proposal of their own: whoever commits next takes them out, a member or one from outside.
    private mutating func leave() throws {
        guard let gone = somebody(), let other = somebody(but: gone), var group = groups[gone] else { return }
        let (message, _) = try group.proposeSelfRemove()
        keep(gone, group)
        try deliver(message, but: gone)
        if chance(2), case .publicMessage(let sent) = message, let host = groups[other] {
            let (name, bundle) = try newcomer()
            let join = try ExternalJoin(
                host.groupInfo(),
                with: bundle,
                selfRemoves: [sent],
                environment: environment(of: name)
            )
            try deliver(join.commit)
            keep(name, join.group)
            agree()
        } else {
            try commit([], by: other)
        }
        #expect(groups[gone] == nil)
        note("leave")
    }

    private mutating func presharedKey() throws -> Proposal {
        let group = try #require(groups.values.first)
        let context = group.publicGroup.context
        let known = groups.values.map { Set($0.resumptionKeys.keys) }.reduce(Set(group.resumptionKeys.keys)) {
            $0.intersection($1)
        }
        guard chance(2), let epoch = known.randomElement(using: &generator) else {
            return .preSharedKey(group.presharedKeyID(.external(id: [1, 2, 3])))
        }
        note("resumption")
        return .preSharedKey(
            group.presharedKeyID(.resumption(usage: .application, groupID: context.groupID, epoch: epoch))
        )
    }

    /// Two commit; one is ordered first, and the other is given up.
    private mutating func commitAtOnce() throws {
        guard let first = somebody(), let second = somebody(but: first), var loser = groups[second] else { return }
        _ = try loser.commit()
        if chance(2) { loser.discardStagedCommit() }
        keep(second, loser)
        try commit([], by: first)
        note("at once")
    }

    private mutating func talk() throws {
        var sent: [(from: String, message: MLSMessage, data: [UInt8])] = []
        for number in 0..<Int.random(in: 1...12, using: &generator) {
            guard let name = somebody(), var group = groups[name] else { return }
            let data = Array("\(name) says \(number)".utf8)
            sent.append((name, try group.protect(data, padding: Int.random(in: 0...64, using: &generator)), data))
            keep(name, group)
        }
        for name in groups.keys.sorted() {
            for (from, message, data) in sent.shuffled(using: &generator) where !chance(5) {
                guard var group = groups[name] else { continue }
                switch try group.process(message) {
                case .application(let heard): #expect(from != name && heard.data == data)
                case .ownMessage: #expect(from == name)
                default: Issue.record("something else was said")
                }
                keep(name, group)
            }
        }
        for ghost in ghosts {
            for (_, message, _) in sent {
                var ghost = ghost
                #expect(throws: MLSError.self) { try ghost.process(message) }
            }
        }
        note("talk")
    }

    private mutating func joinFromOutside() throws {
        guard groups.count < Soak.size, let host = somebody(), let group = groups[host] else { return }
        let (name, bundle) = try newcomer()
        let join = try ExternalJoin(group.groupInfo(), with: bundle, environment: environment(of: name))
        try deliver(join.commit)
        keep(name, join.group)
        agree()
        note("outside")
    }

    /// One who has lost everything comes back in their own place.
    private mutating func resync() throws {
        guard let host = somebody(), let lost = somebody(but: host), let leaf = groups[lost]?.ownLeaf else { return }
        let bundle = try Person(lost, suite).bundle()
        let info = try #require(groups[host]).groupInfo()
        let join = try ExternalJoin(info, with: bundle, replacing: leaf, environment: environment(of: lost))
        // What was stored stays, and is written over.
        groups[lost] = nil
        try deliver(join.commit)
        keep(lost, join.group)
        agree()
        note("resync")
    }

    private mutating func makeAnew() throws {
        anew += 1
        let reInit = ReInit(groupID: GroupID([anew]), cipherSuite: suite)
        try commit([.reInit(reInit)])
        guard let maker = somebody() else { return }
        for name in groups.keys.sorted() where chance(2) { try crash(name) }
        var bundles: [String: KeyPackageBundle] = [:]
        for name in groups.keys { bundles[name] = try Person(name, suite).bundle() }
        let linked = try LinkedGroup(
            reInitializing: #require(groups[maker]),
            with: #require(bundles[maker]),
            bundles.filter { $0.key != maker }.map(\.value.keyPackage),
            environment: environment(of: maker)
        )
        for (name, bundle) in bundles where name != maker {
            guard case .welcome(let welcome)? = linked.welcome else { throw MLSError.notWelcome }
            let group = try Group(
                joining: welcome,
                with: bundle,
                madeOf: groups[name],
                environment: environment(of: name),
                isKnown: { _ in false }
            )
            keep(name, group)
        }
        keep(maker, linked.group)
        agree()
        note("anew")
    }

    /// Somebody's program ends and starts anew, with a commit that was sent and not ordered yet.
    private mutating func restart() throws {
        guard let name = somebody(), var group = groups[name] else { return }
        let messages = try group.commit()
        keep(name, group)
        for name in groups.keys.sorted() { try crash(name) }
        if chance(2), let other = somebody(but: name) {
            // Another one is ordered before it, and the one who lost commits again.
            try commit([], by: other)
            guard var loser = groups[name] else { return }
            let again = try loser.commit()
            keep(name, loser)
            try crash(name)
            try deliver(again.commit)
        } else {
            try deliver(messages.commit)
        }
        agree()
        note("restart")
    }

    // MARK: Storage

    /// A member's group is another one, and stored as that.
    private mutating func keep(_ name: String, _ group: Group) {
        groups[name] = group
        disks[name, default: Disk()].save(group)
        if chance(8) { lateDisks[name, default: Disk()].save(group) }
    }

    /// All that is not stored is lost.
    private mutating func crash(_ name: String) throws {
        var disk = try #require(disks[name])
        groups[name] = try disk.restored(environment(of: name))
        disks[name] = disk
        if var late = lateDisks[name] { _ = try late.restored(environment(of: name)) }
    }

    // MARK: Delivery

    @discardableResult
    private mutating func commit(_ proposals: [Proposal], by name: String? = nil) throws -> CommitMessages {
        let committer = try #require(name ?? somebody())
        var group = try #require(groups[committer])
        var options = CommitOptions()
        options.proposals = proposals
        options.framing = chance(2) ? .publicMessage : .privateMessage
        options.forcesPath = chance(2)
        if chance(8) { options.leafChange.signer = try SignatureKeyPair(suite) }
        let messages = try group.commit(options)
        keep(committer, group)
        try deliver(messages.commit)
        agree()
        return messages
    }

    private mutating func deliver(_ message: MLSMessage, but absent: String? = nil) throws {
        for name in groups.keys.sorted() where name != absent {
            guard var group = groups[name] else { continue }
            let before = group
            _ = try group.process(message)
            if chance(30) {
                // The message was read, and nothing of that was stored: it comes again.
                try crash(name)
                group = try #require(groups[name])
                _ = try group.process(message)
                note("crash")
            }
            keep(name, group)
            if group.ending == .removed {
                var disk = try #require(disks[name])
                #expect(try disk.restored(environment(of: name)).ending == .removed)
                #expect(disk.records.count < 4 + 2 * Soak.size)
                groups[name] = nil
                disks[name] = nil
                lateDisks[name] = nil
                ghosts = Array((ghosts + [before]).suffix(5))
            }
        }
    }

    private func agree() {
        guard let first = groups.values.first else { return }
        for (name, group) in groups {
            #expect(group.epochAuthenticator == first.epochAuthenticator, "\(name)")
            #expect(group.publicGroup.context == first.publicGroup.context, "\(name)")
        }
    }
}

@Suite("RFC 9420: a long life with many members")
struct SoakTests {
    @Test func allWhoBelongToItAgree() throws {
        var soak = try Soak(.x25519ChaChaPoly, "MLS soak")
        for number in 0..<Count.of(few: 60, full: 2000) {
            do { try soak.step() } catch { Issue.record("step \(number): \(error)") }
        }
        print("steps: \(soak.seen.sorted { $0.key < $1.key })")
        let kinds = ["add", "remove", "talk", "update", "crash"]
        let rare = ["at once", "outside", "resync", "resumption", "anew", "restart", "discard", "leave"]
        for kind in Count.of(few: 0, full: 1) == 1 ? kinds + rare : kinds { #expect(soak.seen[kind, default: 0] > 0) }
    }
}
