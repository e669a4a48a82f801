import Foundation
import MildamCrypto
import MildamMLS
import MildamWire

/// A client of the MLS interop protocol (`mls_client.proto` of mlswg/mls-implementations): each call makes its answer from
/// the states that earlier calls have left.
public final class InteropClient {
    /// A member's view of a group, as one of the calls has left it.
    struct Member {
        var group: Group
        var framing: Group.Framing
        var identity: [UInt8]
        var presharedKeys: [[UInt8]: SymmetricKey] = [:]
    }

    /// A key package that waits for a Welcome.
    struct Transaction {
        let bundle: KeyPackageBundle
        let identity: [UInt8]
        var presharedKeys: [[UInt8]: SymmetricKey] = [:]
    }

    /// A group that is made anew.
    struct ReInitialization {
        let old: Member
        let bundle: KeyPackageBundle
    }

    var members: [UInt32: Member] = [:]
    var transactions: [UInt32: Transaction] = [:]
    var reInitializations: [UInt32: ReInitialization] = [:]
    var signers: [UInt32: (key: SignatureKeyPair, identity: [UInt8])] = [:]
    private var last: UInt32 = 0

    /// Where key packages, leaves and GroupInfos have values that mean nothing.
    let grease: GREASE.Places

    /// A client without a state.
    ///
    /// - Parameter greasesExtensions: whether there are extensions that mean nothing, which some implementations refuse.
    public init(greasesExtensions: Bool = true) { grease = greasesExtensions ? .all : .capabilities }

    /// The answer to a line: `{"rpc": NAME, "request": {…}}` gives `{"response": {…}}` or `{"error": TEXT}`.
    public func answer(_ line: String) -> String {
        var answer: [String: Any]
        do {
            guard let call = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let name = call["rpc"] as? String
            else { throw InteropError.field("rpc") }
            answer = ["response": try perform(name, Fields(call["request"] as? [String: Any] ?? [:]))]
        } catch {
            answer = ["error": "\(error)"]
        }
        let data = try? JSONSerialization.data(withJSONObject: answer, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data ?? Data(#"{"error":"the answer is none"}"#.utf8), as: UTF8.self)
    }

    private func perform(_ name: String, _ request: Fields) throws -> [String: Any] {
        switch name {
        case "Name": ["name": "mildam"]
        case "SupportedCiphersuites": ["ciphersuites": CipherSuite.usable.map { Int($0.rawValue) }]
        case "CreateGroup": try createGroup(request)
        case "CreateKeyPackage": try createKeyPackage(request)
        case "JoinGroup": try joinGroup(request)
        case "ExternalJoin": try externalJoin(request)
        case "GroupInfo": try groupInfo(request)
        case "StateAuth": try ["state_auth_secret": base64(member(request).group.epochAuthenticator)]
        case "Export": try export(request)
        case "Protect": try protect(request)
        case "Unprotect": try unprotect(request)
        case "StorePSK": try storePSK(request)
        case "AddProposal", "RemoveProposal", "ExternalPSKProposal", "ResumptionPSKProposal",
            "GroupContextExtensionsProposal", "ReInitProposal", "UpdateProposal", "AddExternalSigner":
            try propose(name, request)
        case "Commit", "ReInitCommit": try commit(request)
        case "HandleCommit": try handleCommit(request)
        case "HandlePendingCommit": try handlePendingCommit(request)
        case "HandleReInitCommit": try reInitialize(handled(request))
        case "HandlePendingReInitCommit": try reInitialize(merged(request))
        case "ReInitWelcome": try reInitWelcome(request)
        case "HandleReInitWelcome": try handleReInitWelcome(request)
        case "CreateBranch": try createBranch(request)
        case "HandleBranch": try handleBranch(request)
        case "NewMemberAddProposal": try newMemberAddProposal(request)
        case "CreateExternalSigner": try createExternalSigner(request)
        case "ExternalSignerProposal": try externalSignerProposal(request)
        case "Free": try free(request)
        default: throw InteropError.call(name)
        }
    }

    // MARK: States

    func number() -> UInt32 {
        last += 1
        return last
    }

    func member(_ request: Fields, _ name: String = "state_id") throws -> Member {
        let number: UInt32 = try request.number(name)
        guard let member = members[number] else { throw InteropError.state(number) }
        return member
    }

    func transaction(_ request: Fields) throws -> Transaction {
        let number: UInt32 = try request.number("transaction_id")
        guard let transaction = transactions[number] else { throw InteropError.state(number) }
        return transaction
    }

    /// Keeps a member under a new number.
    func keep(_ member: Member) -> UInt32 {
        let number = number()
        members[number] = member
        return number
    }

    private func free(_ request: Fields) throws -> [String: Any] {
        members[try request.number("state_id")] = nil
        return [:]
    }

    private func storePSK(_ request: Fields) throws -> [String: Any] {
        let number: UInt32 = try request.number("state_or_transaction_id")
        let (id, key) = try (request.bytes("psk_id"), SymmetricKey(data: request.bytes("psk_secret")))
        if members[number] != nil {
            members[number]?.presharedKeys[id] = key
            members[number]?.takeKeys()
        } else if transactions[number] != nil {
            transactions[number]?.presharedKeys[id] = key
        } else {
            throw InteropError.state(number)
        }
        return [:]
    }

    // MARK: Pieces

    func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    func base64(_ message: MLSMessage) -> String { base64(message.wireBytes) }

    /// A message, and its kind.
    func read<Value>(_ bytes: [UInt8], _ name: String, _ body: (MLSMessage) -> Value?) throws -> Value {
        guard let value = body(try MLSMessage(wireBytes: bytes)) else { throw InteropError.message(name) }
        return value
    }

    func keyPackage(_ bytes: [UInt8]) throws -> KeyPackage {
        try read(bytes, "key_package") { if case .keyPackage(let value) = $0 { value } else { nil } }
    }

    func welcome(_ request: Fields) throws -> Welcome {
        try read(request.bytes("welcome"), "welcome") { if case .welcome(let value) = $0 { value } else { nil } }
    }

    func info(_ request: Fields) throws -> GroupInfo {
        try read(request.bytes("group_info"), "group_info") {
            if case .groupInfo(let value) = $0 { value } else { nil }
        }
    }

    func ratchetTree(_ request: Fields) throws -> [UInt8]? {
        let tree = try request.bytes("ratchet_tree")
        return tree.isEmpty ? nil : tree
    }

    func suite(_ request: Fields) throws -> CipherSuite {
        CipherSuite(rawValue: try request.number("cipher_suite"))
    }

    func extensions(_ request: Fields) throws -> Extensions {
        Extensions(
            try request.objects("extensions").map {
                Extension(
                    type: ExtensionType(rawValue: try $0.number("extension_type")),
                    data: try $0.bytes("extension_data")
                )
            }
        )
    }

    func framing(_ request: Fields) -> Group.Framing {
        request.flag("encrypt_handshake") ? .privateMessage : .publicMessage
    }

    func bundle(_ suite: CipherSuite, _ identity: [UInt8]) throws -> KeyPackageBundle {
        let signer = try SignatureKeyPair(suite)
        let now = UInt64(Date().timeIntervalSince1970)
        let lifetime = Lifetime(notBefore: now - 3600, notAfter: now + 90 * 86_400)
        return try KeyPackageBundle(
            .basic(identity: identity),
            signer: signer,
            lifetime: lifetime,
            grease: grease
        )
    }
}

extension GroupEnvironment {
    /// The environment of trials.
    static func trial(_ keys: [[UInt8]: SymmetricKey], _ grease: GREASE.Places) -> GroupEnvironment {
        GroupEnvironment(
            authentication: Everybody(by: .credential),
            policy: Everybody(by: .credential),
            grease: grease,
            now: { UInt64(Date().timeIntervalSince1970) },
            presharedKey: { key in if case .external(let id) = key { keys[id] } else { nil } }
        )
    }
}

extension SymmetricKey {
    /// The bytes of a secret, in memory that nothing wipes.
    var exposed: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

extension InteropClient.Member {
    /// Gives the group the keys that are known by now.
    mutating func takeKeys() { group.environment = .trial(presharedKeys, group.environment.grease) }

    /// Where the member of an identity is.
    func leaf(of identity: [UInt8]) throws -> LeafIndex {
        let member = group.publicGroup.members.first { $0.leaf.credential == .basic(identity: identity) }
        guard let member else { throw InteropError.member }
        return member.index
    }
}
