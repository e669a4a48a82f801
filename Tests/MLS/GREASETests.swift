import MLSInterop
import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

@Suite("RFC 9420, section 13.5: values that mean nothing")
struct GREASETests {
    private func meaningless(_ values: [UInt16]) -> Int { values.count { GREASE.values.contains($0) } }

    private func expectGREASE(in leaf: LeafNode) {
        let capabilities = leaf.capabilities
        #expect(meaningless(capabilities.cipherSuites.map(\.rawValue)) == 1)
        #expect(meaningless(capabilities.extensions.map(\.rawValue)) == 1)
        #expect(meaningless(capabilities.proposals.map(\.rawValue)) == 1)
        #expect(meaningless(capabilities.credentials.map(\.rawValue)) == 1)
        let types = leaf.extensions.types.filter { GREASE.values.contains($0.rawValue) }
        #expect(types.count == 1)
        #expect(types.allSatisfy(capabilities.extensions.contains))
        // Where they would be refused, there are none.
        #expect(meaningless(capabilities.versions.map(\.rawValue)) == 0)
    }

    @Test("Leaves, key packages and GroupInfos have some, and everybody passes over them")
    func sent() throws {
        let bundle = try Person("alice").bundle()
        expectGREASE(in: bundle.keyPackage.leafNode)
        #expect(meaningless(bundle.keyPackage.extensions.types.map(\.rawValue)) == 1)
        var party = try Party(["alice", "bob", "carol"])
        #expect(meaningless(try party["alice"].groupInfo().extensions.types.map(\.rawValue)) == 1)
        #expect(meaningless(try party["alice"].publicGroup.context.extensions.types.map(\.rawValue)) == 0)
        var options = CommitOptions()
        options.leafChange = LeafChange(
            capabilities: Capabilities(extensions: [.applicationID]),
            extensions: Extensions([Extension(type: .applicationID, data: [1])])
        )
        for _ in 0..<3 { try party.commit(by: "bob", options) }
        let bob = try party["bob"]
        expectGREASE(in: try #require(bob.publicGroup[bob.ownLeaf]))
        let leaf = try #require(try party["alice"].publicGroup[bob.ownLeaf])
        #expect(leaf.extensions[.applicationID] == [1])
    }

    @Test(
        arguments: [
            [], .capabilities, .leafExtensions, .keyPackageExtensions, .groupInfoExtensions, .all,
            [.leafExtensions, .groupInfoExtensions],
        ] as [GREASE.Places]
    )
    func theApplicationSaysWhere(places: GREASE.Places) throws {
        func expectPlaces(in leaf: LeafNode) {
            let (capabilities, inCapabilities) = (leaf.capabilities, places.contains(.capabilities) ? 1 : 0)
            let inLeaf = places.contains(.leafExtensions) ? 1 : 0
            #expect(meaningless(capabilities.cipherSuites.map(\.rawValue)) == inCapabilities)
            #expect(meaningless(capabilities.proposals.map(\.rawValue)) == inCapabilities)
            #expect(meaningless(capabilities.credentials.map(\.rawValue)) == inCapabilities)
            #expect(meaningless(capabilities.extensions.map(\.rawValue)) == max(inCapabilities, inLeaf))
            #expect(meaningless(leaf.extensions.types.map(\.rawValue)) == inLeaf)
        }
        var environment = Person.environment
        environment.grease = places
        let bundle = try KeyPackageBundle(
            .basic(identity: [1]),
            signer: SignatureKeyPair(.x25519ChaChaPoly),
            lifetime: Person.lifetime,
            grease: places
        )
        expectPlaces(in: bundle.keyPackage.leafNode)
        let inKeyPackage = meaningless(bundle.keyPackage.extensions.types.map(\.rawValue))
        #expect(inKeyPackage == (places.contains(.keyPackageExtensions) ? 1 : 0))
        // A leaf that had some gets those of the environment, and no others.
        for bundle in [bundle, try Person("alice").bundle()] {
            var group = try Group(with: bundle, environment: environment)
            _ = try group.commit()
            try group.mergeStagedCommit()
            expectPlaces(in: try #require(group.publicGroup[group.ownLeaf]))
            let inInfo = meaningless(try group.groupInfo().extensions.types.map(\.rawValue))
            #expect(inInfo == (places.contains(.groupInfoExtensions) ? 1 : 0))
        }
    }

    @Test("Unless the application says otherwise, capabilities alone have some")
    func byDefault() throws {
        let environment = GroupEnvironment(authentication: Everybody(), policy: Everybody(), now: { 1_700_000_000 })
        #expect(environment.grease == .capabilities)
        let bundle = try KeyPackageBundle(
            .basic(identity: [1]),
            signer: SignatureKeyPair(.x25519ChaChaPoly),
            lifetime: Person.lifetime
        )
        let leaf = bundle.keyPackage.leafNode
        #expect(bundle.keyPackage.extensions.list.isEmpty && leaf.extensions.list.isEmpty)
        #expect(meaningless(leaf.capabilities.extensions.map(\.rawValue)) == 1)
    }

    @Test("What the application says is never said twice")
    func notTwice() throws {
        let all = Extensions(GREASE.values.map { Extension(type: ExtensionType(rawValue: $0), data: [1]) })
        #expect(all.greased(.system) == all)
        let group = try Party(["alice"])["alice"]
        #expect(try group.groupInfo(all).extensions.areDistinct)
        #expect(Extensions().greased(.system).list.count == 1)
    }

    @Test("There are fifteen, which are drawn")
    func drawn() {
        #expect(GREASE.values.count == 15 && GREASE.values.first == 0x0A0A && GREASE.values.last == 0xEAEA)
        #expect(Set((0..<200).map { _ in GREASE.value(.system) }).count > 5)
    }
}
