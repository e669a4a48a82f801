import MildamMLS
import MildamWire

/// Calls that propose and commit.
extension InteropClient {
    func propose(_ name: String, _ request: Fields) throws -> [String: Any] {
        var member = try member(request)
        let message: MLSMessage
        if name == "UpdateProposal" {
            message = try member.group.proposeUpdate(framing: member.framing).message
        } else {
            message = try member.group.propose(proposal(name, request, member), framing: member.framing).message
        }
        members[try request.number("state_id")] = member
        return ["proposal": base64(message)]
    }

    private func proposal(_ name: String, _ request: Fields, _ member: Member) throws -> Proposal {
        switch name {
        case "AddProposal": return .add(try keyPackage(request.bytes("key_package")))
        case "RemoveProposal": return .remove(try member.leaf(of: request.bytes("removed_id")))
        case "ExternalPSKProposal":
            return .preSharedKey(member.group.presharedKeyID(.external(id: try request.bytes("psk_id"))))
        case "ResumptionPSKProposal":
            return try resumption(request, member.group.publicGroup)
        case "GroupContextExtensionsProposal": return .groupContextExtensions(try extensions(request))
        case "ReInitProposal": return .reInit(try reInit(request))
        case "AddExternalSigner":
            var extensions = member.group.publicGroup.context.extensions
            var senders = try extensions[.externalSenders].map { try ExternalSenders(wireBytes: $0).list } ?? []
            senders.append(try ExternalSender(wireBytes: request.bytes("external_sender")))
            extensions.list.removeAll { $0.type == .externalSenders }
            extensions.list.append(Extension(type: .externalSenders, data: ExternalSenders(senders).wireBytes))
            return .groupContextExtensions(extensions)
        default: throw InteropError.call(name)
        }
    }

    private func resumption(_ request: Fields, _ group: PublicGroup) throws -> Proposal {
        let key = PreSharedKeyID.Key.resumption(
            usage: .application,
            groupID: group.context.groupID,
            epoch: try request.number("epoch_id")
        )
        return .preSharedKey(group.presharedKeyID(key))
    }

    private func reInit(_ request: Fields) throws -> ReInit {
        ReInit(
            groupID: GroupID(try request.bytes("group_id")),
            cipherSuite: try suite(request),
            extensions: try extensions(request)
        )
    }

    /// A proposal by its description, in a group.
    func described(_ description: Fields, _ group: PublicGroup) throws -> Proposal {
        let kind = String(decoding: try description.bytes("proposal_type"), as: UTF8.self)
        switch kind {
        case "add": return .add(try keyPackage(description.bytes("key_package")))
        case "remove":
            let credential = Credential.basic(identity: try description.bytes("removed_id"))
            guard let member = group.members.first(where: { $0.leaf.credential == credential }) else {
                throw InteropError.member
            }
            return .remove(member.index)
        case "externalPSK":
            return .preSharedKey(group.presharedKeyID(.external(id: try description.bytes("psk_id"))))
        case "resumptionPSK": return try resumption(description, group)
        case "groupContextExtensions": return .groupContextExtensions(try extensions(description))
        case "reinit": return .reInit(try reInit(description))
        default: throw InteropError.field("proposal_type")
        }
    }

    func commit(_ request: Fields) throws -> [String: Any] {
        var member = try member(request)
        var options = CommitOptions()
        options.received = try take(request.list("by_reference"), &member.group)
        options.proposals = try request.objects("by_value").map { try described($0, member.group.publicGroup) }
        options.forcesPath = request.flag("force_path")
        options.sendsTree = !request.flag("external_tree")
        options.framing = member.framing
        let messages = try member.group.commit(options)
        members[try request.number("state_id")] = member
        var answer: [String: Any] = ["commit": base64(messages.commit)]
        if let welcome = messages.welcome { answer["welcome"] = base64(welcome) }
        if !options.sendsTree, let tree = member.group.stagedRatchetTree { answer["ratchet_tree"] = base64(tree) }
        return answer
    }

    /// Takes proposals in.
    private func take(_ messages: [[UInt8]], _ group: inout Group) throws -> Set<ProposalRef> {
        var references: Set<ProposalRef> = []
        for bytes in messages {
            switch try group.process(MLSMessage(wireBytes: bytes)) {
            case .proposal(let reference, _, _): references.insert(reference)
            case .ownMessage(let reference?): references.insert(reference)
            default: throw InteropError.message("proposal")
            }
        }
        return references
    }

    func handleCommit(_ request: Fields) throws -> [String: Any] {
        let member = try handled(request)
        return joined(member)
    }

    func handlePendingCommit(_ request: Fields) throws -> [String: Any] { joined(try merged(request)) }

    private func joined(_ member: Member) -> [String: Any] {
        ["state_id": keep(member), "epoch_authenticator": base64(member.group.epochAuthenticator)]
    }

    /// A member after another's commit.
    func handled(_ request: Fields) throws -> Member {
        var member = try member(request)
        _ = try take(request.list("proposal"), &member.group)
        guard case .commit = try member.group.process(MLSMessage(wireBytes: request.bytes("commit"))) else {
            throw InteropError.message("commit")
        }
        guard member.group.ending != .removed else { throw InteropError.removed }
        return member
    }

    /// A member after their own commit.
    func merged(_ request: Fields) throws -> Member {
        var member = try member(request)
        try member.group.mergeStagedCommit()
        return member
    }

    func createExternalSigner(_ request: Fields) throws -> [String: Any] {
        let (key, identity) = try (SignatureKeyPair(suite(request)), request.bytes("identity"))
        let number = number()
        signers[number] = (key, identity)
        let sender = ExternalSender(signatureKey: key.publicKey, credential: .basic(identity: identity))
        return ["signer_id": number, "external_sender": base64(sender.wireBytes)]
    }

    func externalSignerProposal(_ request: Fields) throws -> [String: Any] {
        let number: UInt32 = try request.number("signer_id")
        guard let signer = signers[number] else { throw InteropError.state(number) }
        let group = try PublicGroup(
            info(request),
            ratchetTree: ratchetTree(request),
            environment: .trial([:], grease)
        )
        let message = try ExternalProposal.message(
            described(request.object("description"), group),
            to: group.context,
            from: index(of: signer.key.publicKey, in: group.context),
            signer: signer.key
        )
        return ["proposal": base64(message)]
    }

    /// Where a group lists a signer. The test runner sends 0 as the index of every one (`signer_index`).
    private func index(of key: SignaturePublicKey, in context: GroupContext) throws -> UInt32 {
        let senders = try context.extensions[.externalSenders].map { try ExternalSenders(wireBytes: $0).list } ?? []
        guard let index = senders.firstIndex(where: { $0.signatureKey == key }) else { throw InteropError.member }
        return UInt32(index)
    }
}
