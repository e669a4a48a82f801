import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamWire

/// A Welcome, taken apart: each device gets its own secrets and the GroupInfo that all of them have.
enum WelcomeSplit {
    /// A Welcome for each of the devices that a commit brings in.
    ///
    /// - Parameters:
    ///   - encoded: an MLSMessage with a Welcome; empty for none.
    ///   - added: the key packages of the commit's Adds.
    /// - Throws: `invalid_commit` where one of them has no secrets, or secrets are for nobody.
    static func split(_ encoded: [UInt8], for added: [KeyPackage]) throws(APIError) -> [CheckedCommit.Welcome] {
        guard !encoded.isEmpty || !added.isEmpty else { return [] }
        guard case .welcome(let whole)? = try? MLSMessage(wireBytes: encoded) else {
            throw APIError(.invalidCommit, "the Welcome is none", rule: Self.rule)
        }
        guard whole.secrets.count == added.count else {
            throw APIError(.invalidCommit, "the Welcome is not for those who come in", rule: Self.rule)
        }
        let secrets = Dictionary(whole.secrets.map { ($0.newMember, $0) }) { first, _ in first }
        // Each device gets what is for all of them: one short request is not to become many times as much.
        guard added.count <= Limits.welcomes / max(whole.encryptedGroupInfo.count, 1) else {
            throw APIError(.tooLarge, "the Welcome is longer than \(Limits.welcomes) bytes for all who come in")
        }
        var parts: [CheckedCommit.Welcome] = []
        for keyPackage in added {
            guard let reference = try? keyPackage.reference(), let own = secrets[reference],
                let leaf = try? RoomLeaf(inTree: keyPackage.leafNode)
            else { throw APIError(.invalidCommit, "the Welcome lacks a device that comes in", rule: Self.rule) }
            var part = whole
            part.secrets = [own]
            parts.append(
                CheckedCommit.Welcome(
                    address: MailboxAddress(account: leaf.account, device: leaf.device),
                    message: MLSMessage.welcome(part).wireBytes
                )
            )
        }
        return parts
    }

    /// The name by which clients know it (RFC 9420, section 12.4.3.1).
    private static let rule = "welcomeIsForThoseWhoComeIn"
}
