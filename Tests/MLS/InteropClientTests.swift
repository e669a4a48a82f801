import Foundation
import MLSInterop
import Testing

/// Calls of the interop protocol, as a bridge makes them.
private struct Bridge {
    struct Refused: Error { let text: String }

    let client = InteropClient()

    @discardableResult
    func call(_ name: String, _ request: [String: Any] = [:]) throws -> [String: Any] {
        let data = try JSONSerialization.data(withJSONObject: ["rpc": name, "request": request])
        let answer = client.answer(String(decoding: data, as: UTF8.self))
        let object = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
        if let error = object?["error"] as? String { throw Refused(text: error) }
        return try #require(object?["response"] as? [String: Any])
    }

    func text(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}

@Suite("The MLS interop protocol (mls_client.proto), as JSON lines")
struct InteropClientTests {
    private func secret(_ bridge: Bridge, _ state: Any?) throws -> String {
        let answer = try bridge.call("StateAuth", ["state_id": state as Any])
        return try #require(answer["state_auth_secret"] as? String)
    }

    /// Alice's group, and Bob, who was added to it by value.
    private func two(_ bridge: Bridge, _ suite: Int, encrypted: Bool) throws -> (alice: Any, bob: Any) {
        let created = try bridge.call(
            "CreateGroup",
            [
                "group_id": bridge.text("g"), "cipher_suite": suite, "encrypt_handshake": encrypted,
                "identity": bridge.text("alice"),
            ]
        )
        let alice = try #require(created["state_id"])
        let bob = try bridge.call("CreateKeyPackage", ["cipher_suite": suite, "identity": bridge.text("bob")])
        let commit = try bridge.call(
            "Commit",
            [
                "state_id": alice, "force_path": true,
                "by_value": [["proposal_type": bridge.text("add"), "key_package": bob["key_package"] as Any]],
            ]
        )
        let after = try bridge.call("HandlePendingCommit", ["state_id": alice])
        let joined = try bridge.call(
            "JoinGroup",
            [
                "transaction_id": bob["transaction_id"] as Any, "welcome": commit["welcome"] as Any,
                "encrypt_handshake": encrypted, "identity": bridge.text("bob"),
            ]
        )
        #expect(joined["epoch_authenticator"] as? String == after["epoch_authenticator"] as? String)
        return (try #require(after["state_id"]), try #require(joined["state_id"]))
    }

    @Test(arguments: 1...7, [false, true])
    func twoTalkAndOneUpdates(suite: Int, encrypted: Bool) throws {
        let bridge = Bridge()
        let (alice, bob) = try two(bridge, suite, encrypted: encrypted)
        let sealed = try bridge.call(
            "Protect",
            ["state_id": alice, "plaintext": bridge.text("hello"), "authenticated_data": bridge.text("ad")]
        )
        let heard = try bridge.call("Unprotect", ["state_id": bob, "ciphertext": sealed["ciphertext"] as Any])
        #expect(heard["plaintext"] as? String == bridge.text("hello"))
        #expect(heard["authenticated_data"] as? String == bridge.text("ad"))
        let update = try #require(try bridge.call("UpdateProposal", ["state_id": bob])["proposal"])
        let commit = try bridge.call("Commit", ["state_id": alice, "by_reference": [update]])
        let first = try bridge.call("HandlePendingCommit", ["state_id": alice])
        let second = try bridge.call(
            "HandleCommit",
            ["state_id": bob, "proposal": [update], "commit": commit["commit"] as Any]
        )
        #expect(try secret(bridge, first["state_id"]) == secret(bridge, second["state_id"]))
        let export: [String: Any] = ["label": "l", "context": bridge.text("c"), "key_length": 20]
        let mine = try bridge.call("Export", export.merging(["state_id": first["state_id"] as Any]) { $1 })
        let theirs = try bridge.call("Export", export.merging(["state_id": second["state_id"] as Any]) { $1 })
        #expect(mine["exported_secret"] as? String == theirs["exported_secret"] as? String)
    }

    @Test func whoeverIsOutsideComesInAndAgainInTheirOwnPlace() throws {
        let bridge = Bridge()
        let (alice, bob) = try two(bridge, 1, encrypted: false)
        let info = try bridge.call("GroupInfo", ["state_id": alice, "external_tree": true])
        let join = try bridge.call(
            "ExternalJoin",
            [
                "group_info": info["group_info"] as Any, "ratchet_tree": info["ratchet_tree"] as Any,
                "identity": bridge.text("bob"), "remove_prior": true,
            ]
        )
        let after = try bridge.call("HandleCommit", ["state_id": alice, "commit": join["commit"] as Any])
        #expect(after["epoch_authenticator"] as? String == join["epoch_authenticator"] as? String)
        #expect(throws: Bridge.Refused.self) {
            try bridge.call("HandleCommit", ["state_id": bob, "commit": join["commit"] as Any])
        }
    }

    @Test func aGroupIsMadeAnewAndBranched() throws {
        let bridge = Bridge()
        let (alice, bob) = try two(bridge, 3, encrypted: true)
        let key = try bridge.call("CreateKeyPackage", ["cipher_suite": 3, "identity": bridge.text("bob")])
        let branch = try bridge.call(
            "CreateBranch",
            ["state_id": alice, "group_id": bridge.text("b"), "key_packages": [key["key_package"] as Any]]
        )
        let branched = try bridge.call(
            "HandleBranch",
            [
                "state_id": bob, "transaction_id": key["transaction_id"] as Any,
                "welcome": branch["welcome"] as Any,
            ]
        )
        #expect(branched["epoch_authenticator"] as? String == branch["epoch_authenticator"] as? String)

        let proposal = try bridge.call(
            "ReInitProposal",
            ["state_id": bob, "cipher_suite": 2, "group_id": bridge.text("n")]
        )
        let commit = try bridge.call(
            "ReInitCommit",
            ["state_id": alice, "by_reference": [proposal["proposal"] as Any]]
        )
        let mine = try bridge.call("HandlePendingReInitCommit", ["state_id": alice])
        let theirs = try bridge.call(
            "HandleReInitCommit",
            ["state_id": bob, "proposal": [proposal["proposal"] as Any], "commit": commit["commit"] as Any]
        )
        let made = try bridge.call(
            "ReInitWelcome",
            ["reinit_id": theirs["reinit_id"] as Any, "key_package": [mine["key_package"] as Any]]
        )
        let joined = try bridge.call(
            "HandleReInitWelcome",
            ["reinit_id": mine["reinit_id"] as Any, "welcome": made["welcome"] as Any]
        )
        #expect(joined["epoch_authenticator"] as? String == made["epoch_authenticator"] as? String)
    }

    @Test func servicesProposeFromOutsideByTheirOwnPlaceInTheList() throws {
        let bridge = Bridge()
        var (mine, theirs) = try two(bridge, 1, encrypted: false)
        var service: [String: Any] = [:]
        for name in ["first", "second"] {
            service = try bridge.call("CreateExternalSigner", ["cipher_suite": 1, "identity": bridge.text(name)])
            let proposal = try bridge.call(
                "AddExternalSigner",
                ["state_id": mine, "external_sender": service["external_sender"] as Any]
            )["proposal"]
            let commit = try bridge.call("Commit", ["state_id": mine, "by_reference": [proposal as Any]])["commit"]
            let after: [String: Any] = ["state_id": theirs, "proposal": [proposal as Any], "commit": commit as Any]
            mine = try #require(try bridge.call("HandlePendingCommit", ["state_id": mine])["state_id"])
            theirs = try #require(try bridge.call("HandleCommit", after)["state_id"])
        }
        let info = try bridge.call("GroupInfo", ["state_id": mine])
        // The test runner of mls-implementations names no index.
        let proposal = try bridge.call(
            "ExternalSignerProposal",
            [
                "signer_id": service["signer_id"] as Any, "group_info": info["group_info"] as Any,
                "description": ["proposal_type": bridge.text("remove"), "removed_id": bridge.text("bob")],
            ]
        )
        let removal = try bridge.call(
            "Commit",
            ["state_id": mine, "by_reference": [proposal["proposal"] as Any]]
        )
        #expect(throws: Bridge.Refused.self) {
            try bridge.call(
                "HandleCommit",
                [
                    "state_id": theirs, "proposal": [proposal["proposal"] as Any],
                    "commit": removal["commit"] as Any,
                ]
            )
        }
        try bridge.call("HandlePendingCommit", ["state_id": mine])
    }

    @Test(arguments: ["", "{", "[]", "{}", #"{"rpc":"Nothing"}"#, #"{"rpc":"Commit","request":{"state_id":9}}"#])
    func whatIsNoCallIsAnswered(line: String) throws {
        let answer = try JSONSerialization.jsonObject(with: Data(InteropClient().answer(line).utf8)) as? [String: Any]
        #expect(answer?["error"] is String)
    }

    @Test func itSaysWhoItIsAndWhatItCan() throws {
        let bridge = Bridge()
        #expect(try bridge.call("Name")["name"] as? String == "mildam")
        #expect(try bridge.call("SupportedCiphersuites")["ciphersuites"] as? [Int] == Array(1...7))
    }
}
