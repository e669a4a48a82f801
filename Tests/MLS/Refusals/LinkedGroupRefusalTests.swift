import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Alice makes a group of another one; Bob, who was in that, looks.
@Suite("RFC 9420, sections 11.2, 11.3 and 12.4.3.1: groups made of others that are refused")
struct LinkedGroupRefusalTests {
    /// A group as it was, and how another one is made of it.
    private struct Making {
        var party: Party
        let usage: ResumptionPSKUsage
        var suite = CipherSuite.x25519ChaChaPoly
        var groupID: GroupID?
        var extensions = Extensions()
        /// Who is in it, beside Alice.
        var names = ["bob"]
        /// How many commits there are before.
        var commits = 0

        /// A branch.
        init() throws {
            party = try Party(["alice", "bob", "carol"])
            usage = .branch
        }

        /// A group that is made anew.
        init(_ reInit: ReInit) throws {
            party = try Party(["alice", "bob", "carol"])
            usage = .reinit
            names = ["bob", "carol"]
            groupID = reInit.groupID
            suite = reInit.cipherSuite
            var options = CommitOptions()
            options.proposals = [.reInit(reInit)]
            try party.commit(by: "alice", options)
        }

        /// Makes the group, and lets Bob join it.
        func join(madeOf origin: Group?) throws {
            let context = try party["alice"].publicGroup.context
            let key = PreSharedKeyID.Key.resumption(usage: usage, groupID: context.groupID, epoch: context.epoch)
            let secret = try party["alice"].resumptionKey(key)
            var environment = ByName.environment
            environment.presharedKey = { $0 == key ? secret : nil }
            let bundles = try names.map { try Person($0, suite).bundle() }
            var group = try Group(
                creating: groupID,
                with: Person("alice", suite).bundle(),
                extensions: extensions,
                environment: environment
            )
            for _ in 0..<commits {
                _ = try group.commit()
                try group.mergeStagedCommit()
            }
            var options = CommitOptions()
            options.proposals =
                bundles.map { .add($0.keyPackage) } + [.preSharedKey(group.presharedKeyID(key))]
            guard case .welcome(let welcome)? = try group.commit(options, linking: usage).welcome else {
                throw MLSError.notWelcome
            }
            _ = try Group(
                joining: Welcome(wireBytes: welcome.wireBytes),
                with: bundles[0],
                madeOf: origin,
                environment: environment,
                isKnown: { _ in false }
            )
        }

        func refuse(_ rule: ValidationRule, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let bob = try party["bob"]
            #expect(throws: MLSError.invalid(rule), sourceLocation: sourceLocation) { try join(madeOf: bob) }
        }
    }

    private let reInit = ReInit(groupID: GroupID([9]), cipherSuite: .x25519AES128)

    @Test func aGroupThatNothingWasChangedOfIsTaken() throws {
        for making in try [Making(), Making(reInit)] { try making.join(madeOf: making.party["bob"]) }
    }

    @Test func branchHasSameParameters() throws {
        var making = try Making()
        making.suite = .x25519AES128
        try making.refuse(.branchHasSameParameters)
        #expect(throws: MLSError.invalid(.branchHasSameParameters)) {
            try LinkedGroup(
                branching: making.party["alice"],
                with: Person("alice", .x25519AES128).bundle(),
                [],
                environment: ByName.environment
            )
        }
    }

    @Test func branchHasSomeMembers() throws {
        var making = try Making()
        making.names.append("eve")
        try making.refuse(.branchHasSomeMembers)
    }

    @Test func groupIsMadeOfKnownOne() throws {
        let making = try Making()
        let other = try Group(creating: GroupID([1]), with: Person("bob").bundle(), environment: Person.environment)
        for origin in [nil, other] {
            #expect(throws: MLSError.invalid(.groupIsMadeOfKnownOne)) { try making.join(madeOf: origin) }
        }
    }

    @Test func linkedGroupIsNew() throws {
        var making = try Making()
        making.commits = 1
        try making.refuse(.linkedGroupIsNew)
    }

    @Test func reInitializedGroupHasAllMembers() throws {
        var making = try Making(reInit)
        making.names = ["bob"]
        try making.refuse(.reInitializedGroupHasAllMembers)
    }

    @Test func reInitializedGroupIsAsProposed() throws {
        var making = try Making(reInit)
        making.groupID = GroupID([8])
        try making.refuse(.reInitializedGroupIsAsProposed)
        making = try Making(reInit)
        making.suite = .x25519ChaChaPoly
        try making.refuse(.reInitializedGroupIsAsProposed)
        making = try Making(reInit)
        making.extensions.list = [Extension(type: .externalSenders, data: ExternalSenders([]).wireBytes)]
        try making.refuse(.reInitializedGroupIsAsProposed)
        #expect(throws: MLSError.invalid(.reInitializedGroupIsAsProposed)) {
            try LinkedGroup(
                reInitializing: making.party["alice"],
                with: Person("alice").bundle(),
                [],
                environment: ByName.environment
            )
        }
    }

    @Test func reInitializedGroupWasToBeMadeAnew() throws {
        let making = try Making(reInit)
        // Bob as he was before the ReInit, which he then has not seen.
        var bob = try making.party["bob"]
        bob.ending = nil
        #expect(throws: MLSError.invalid(.reInitializedGroupIsAsProposed)) { try making.join(madeOf: bob) }
    }
}
