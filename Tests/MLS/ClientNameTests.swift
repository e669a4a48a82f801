import MildamWire
import Synchronization
import Testing

@testable import MildamMLS

/// Counts how often it is asked for a client.
private final class Questions: Sendable {
    private let count = Atomic<Int>(0)

    func ask() { count.wrappingAdd(1, ordering: .relaxed) }

    /// How many there were since the last time.
    func taken() -> Int { count.exchange(0, ordering: .relaxed) }
}

private struct Asked: AuthenticationService {
    let questions: Questions

    func isValid(_ credential: Credential, signatureKey: SignaturePublicKey) -> Bool { true }
    func isValid(_ new: Credential, asSuccessorOf old: Credential) -> Bool { true }
    func client(of leaf: LeafNode) -> [UInt8] {
        questions.ask()
        return leaf.credential.wireBytes
    }
}

@Suite("RFC 9420, section 12.2: whom the application is asked for")
struct ClientNameTests {
    @Test func aMemberIsAskedForOnce() throws {
        let (questions, party) = (Questions(), try Party((0..<16).map { "member \($0)" }))
        // Who joined has asked for nobody yet.
        var group = try party["member 5"]
        group.environment.authentication = Asked(questions: questions)
        let (first, second) = (try Person("eve").bundle(), try Person("frank").bundle())
        _ = try group.process(party["member 1"].forged(.add(first.keyPackage)))
        #expect(questions.taken() == 17)
        _ = try group.process(party["member 1"].forged(.add(second.keyPackage)))
        // The one who is to come in is in no tree yet.
        #expect(questions.taken() == 1)
        // A copy of the group knows what the group knows.
        var copy = group
        let again = try Person("member 3").bundle().keyPackage
        try copy.expectRefusal(.addIsNewClient, of: party["member 1"].forged(.add(again)))
        // By the member, and by who follows the group without its secrets.
        #expect(questions.taken() == 2)
        _ = try copy.commit()
        // For those who come: when their proposals are chosen, and when they are in the tree.
        #expect(questions.taken() <= 4)
    }

    @Test func anotherServiceIsAskedItself() throws {
        let (questions, party) = (Questions(), try Party(["alice", "bob"]))
        var bob = try party["bob"]
        let again = try Person("alice").bundle().keyPackage
        // By their keys both are different clients; by their names they are not.
        _ = try bob.process(party["alice"].forged(.add(again)))
        bob = try party["bob"]
        bob.environment.authentication = Asked(questions: questions)
        try bob.expectRefusal(.addIsNewClient, of: party["alice"].forged(.add(again)))
        #expect(questions.taken() > 0)
    }
}
