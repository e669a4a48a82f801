import Foundation
import MildamCrypto
import MildamMLS

/// What MLS costs in suite 1, in groups whose trees are full; beside each row the operations on curves that nobody can spare it,
/// and other libraries.
enum MLSFigures {
    static func figures() async throws -> [Figure] {
        let primitives = try Primitives()
        var figures = try single(primitives)
        for count in counts { figures += try group(of: count, primitives) }
        return try MLSLibraries.beside(figures, groupsOf: counts)
    }

    /// How large groups are; MILDAM_BENCH_MEMBERS names another, such as 10000, for which it takes a quarter of an hour.
    private static var counts: [Int] {
        let named = ProcessInfo.processInfo.environment["MILDAM_BENCH_MEMBERS"].flatMap { Int($0) }
        return named.map { [$0] } ?? [10, 100, 1000]
    }

    /// What the operations on the curves cost, in nanoseconds.
    private struct Primitives {
        let key, agree, sign, verify: Double
        /// Threads that work at the same time.
        let cores = Double(min(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

        init() throws {
            let agreeing = Curve25519.KeyAgreement.PrivateKey()
            let signing = Curve25519.Signing.PrivateKey()
            let message = [UInt8](repeating: 7, count: 600)
            let signature = signing.signature(for: message)
            key = cost { _ = Curve25519.KeyAgreement.PrivateKey() }
            agree = try cost { _ = try agreeing.sharedSecretFromKeyAgreement(with: agreeing.publicKey) }
            sign = cost { _ = signing.signature(for: message) }
            verify = try cost {
                guard signing.publicKey.isValidSignature(signature, for: message) else {
                    throw BenchError("a signature does not verify")
                }
            }
        }
    }

    private static let suite = CipherSuite.x25519AES128

    private static let environment = GroupEnvironment(
        authentication: Anybody(),
        policy: Anybody(),
        now: { 1_700_000_000 }
    )

    private static func newcomer(_ number: Int) throws -> KeyPackageBundle {
        try KeyPackageBundle(
            .basic(identity: Array("member \(number)".utf8)),
            signer: SignatureKeyPair(suite),
            lifetime: Lifetime(notBefore: 1_690_000_000, notAfter: 1_710_000_000)
        )
    }

    private static func single(_ primitives: Primitives) throws -> [Figure] {
        let bundle = try newcomer(0)
        return [
            row("MLS key package", try cost { _ = try newcomer(1) }, 0.3, 2 * primitives.key + 3 * primitives.sign),
            row(
                "MLS create group",
                try cost { _ = try Group(creating: nil, with: bundle, environment: environment) },
                0.1,
                0
            ),
        ]
    }

    /// Times are in nanoseconds, the limit in milliseconds.
    private static func row(_ what: String, _ value: Double, _ limit: Double?, _ floor: Double) -> Figure {
        Figure(
            what: what,
            value: value,
            unit: value < 1_000_000 ? .microseconds : .milliseconds,
            peer: floor > 0 ? ("the curve alone", floor) : nil,
            goal: limit.map { .value(atMost: $0 * 1_000_000) },
            note: "suite 1"
        )
    }

    private static func group(of count: Int, _ primitives: Primitives) throws -> [Figure] {
        let goals = count == 1000
        let name = "MLS, \(count) members: "
        let depth = Double((1..<count).reduce(into: 0) { depth, _ in if 1 << depth < count { depth += 1 } })
        var figures: [Figure] = []

        // All at once.
        let newcomers = try (1..<count).map(newcomer)
        var options = CommitOptions()
        options.proposals = newcomers.map { .add($0.keyPackage) }
        let empty = try Group(creating: nil, with: newcomer(0), environment: environment)
        let adding = try cost(for: 1) {
            var first = empty
            _ = try first.commit(options)
            try first.mergeStagedCommit()
        }
        let many = Double(count - 1)
        let addFloor = many * (2 * primitives.verify + primitives.agree + 3 * primitives.key) / primitives.cores
        figures.append(row(name + "add all in one commit", adding, goals ? 150 : nil, addFloor))

        // And one after the other, each by the one before: then every parent has a key.
        var members = try Chain(count)
        guard case .welcome(let welcome)? = members.lastWelcome else { throw BenchError("nobody was welcome") }
        let joining = try cost {
            _ = try Group(joining: welcome, with: members.lastBundle, environment: environment, isKnown: { _ in false })
        }
        let joinFloor = (Double(count) * primitives.verify) / primitives.cores + depth * primitives.key
        figures.append(row(name + "join by Welcome with tree", joining, goals ? 50 : nil, joinFloor))
        figures += try commits(&members, name, goals, depth, primitives)
        figures.append(try memory(welcome, members.lastBundle, name, goals))
        return figures
    }

    private static func commits(
        _ members: inout Chain,
        _ name: String,
        _ goals: Bool,
        _ depth: Double,
        _ primitives: Primitives
    ) throws -> [Figure] {
        var waiting: [MLSMessage] = []
        var (creating, processing): ([Double], [Double]) = ([], [])
        for _ in 0..<20 {
            let start = nanoseconds()
            let commit = try members.last.commit().commit
            creating.append(Double(nanoseconds() - start))
            try members.last.mergeStagedCommit()
            let before = nanoseconds()
            _ = try members.first.process(commit)
            processing.append(Double(nanoseconds() - before))
        }
        let data = [UInt8](repeating: 7, count: 1024)
        let protecting = try cost(for: 50_000_000) { waiting.append(try members.last.protect(data)) }
        var unprotecting: [Double] = []
        for message in waiting.prefix(1000) {
            let start = nanoseconds()
            _ = try members.first.process(message)
            unprotecting.append(Double(nanoseconds() - start))
        }
        let path = depth * (primitives.agree + 2 * primitives.key) + primitives.key + 3 * primitives.sign
        return [
            row(name + "create commit", creating.median, goals ? 2.5 : nil, path),
            row(
                name + "process commit",
                processing.median,
                goals ? 1.2 : nil,
                2 * primitives.verify + primitives.agree + depth * primitives.key
            ),
            row(name + "protect 1 KiB", protecting, goals ? 0.045 : nil, primitives.sign),
            row(name + "unprotect 1 KiB", unprotecting.median, goals ? 0.09 : nil, primitives.verify),
        ]
    }

    /// What a member's state takes of memory, by what the process has of it in all.
    private static func memory(
        _ welcome: Welcome,
        _ bundle: KeyPackageBundle,
        _ name: String,
        _ goals: Bool
    ) throws -> Figure {
        let copies = 40
        var held: [Group] = []
        held.reserveCapacity(copies)
        let before = try residentBytes()
        for _ in 0..<copies {
            held.append(
                try Group(joining: welcome, with: bundle, environment: environment, isKnown: { _ in false })
            )
        }
        let after = try residentBytes()
        withExtendedLifetime(held) {}
        return Figure(
            what: name + "state in memory",
            value: Double(after - before) / Double(copies),
            unit: .megabytes,
            goal: goals ? .value(atMost: 1.5 * 1_048_576) : nil,
            note: "suite 1"
        )
    }

    private static func residentBytes() throws -> Int {
        let text = try String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8)
        guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw BenchError("the system does not say how much memory there is")
        }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// A group into which two members at a time were added by the one before: its first and its last member.
    ///
    /// Each commit of such a one gives keys to all that is above both, so that no parent is blank.
    private struct Chain {
        var first: Group
        var last: Group
        var lastBundle: KeyPackageBundle
        var lastWelcome: MLSMessage?

        init(_ count: Int) throws {
            lastBundle = try newcomer(0)
            first = try Group(creating: nil, with: lastBundle, environment: environment)
            last = first
            var number = 1
            while number < count {
                // An even count of members from the first pair on.
                let pair = try (number..<min(number + (number == 1 ? 1 : 2), count)).map(newcomer)
                var options = CommitOptions()
                options.proposals = pair.map { .add($0.keyPackage) }
                options.forcesPath = true
                let messages = try last.commit(options)
                if number == 1 {
                    try last.mergeStagedCommit()
                    first = last
                } else {
                    _ = try first.process(messages.commit)
                }
                lastBundle = pair[pair.count - 1]
                lastWelcome = messages.welcome
                guard case .welcome(let welcome)? = lastWelcome else { throw BenchError("nobody was welcome") }
                last = try Group(
                    joining: welcome,
                    with: lastBundle,
                    environment: environment,
                    isKnown: { _ in false }
                )
                number += pair.count
            }
        }
    }
}

/// Takes everybody for who they say they are.
private struct Anybody: AuthenticationService, GroupPolicy {
    func isValid(_ credential: Credential, signatureKey: SignaturePublicKey) -> Bool { true }
    func isValid(_ new: Credential, asSuccessorOf old: Credential) -> Bool { true }
    func client(of leaf: LeafNode) -> [UInt8] { leaf.signatureKey.bytes }
    func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }
    func accepts(_ review: CommitReview) -> Bool { true }
    var maximumLifetime: UInt64 { .max }
}
