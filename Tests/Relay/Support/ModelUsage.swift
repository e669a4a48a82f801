import MildamIdentity
import MildamRelayAPI

@testable import MildamRelay

extension ModelRows {
    /// What each account has caused, counted from the rows: what every store has to have in its own.
    var recounted: [AccountID: UsageFact] {
        var usages: [AccountID: UsageFact] = [:]
        func count(_ usage: DiskUsage, for account: AccountID) {
            usages[account, default: UsageFact(network: self.usages[account]?.network)].disk += usage
        }
        for (id, account) in accounts { count(.row(account.bundle.count), for: id) }
        for (account, closing) in closings { count(.row(closing.count), for: account) }
        for room in rooms.values {
            count(.room, for: room.creator)
            for _ in room.members { count(.row(0), for: room.creator) }
        }
        for new in messages.values.joined() { count(.row(new.message.body.count), for: new.message.account) }
        for item in mailbox.values.joined() {
            if let sender = item.from { count(.row(item.body.count), for: sender) }
        }
        for key in consent.shares.keys { count(.row(0), for: key.sender) }
        for room in rooms.values where room.group != nil { count(.row(0), for: room.creator) }
        for info in groups.infos.values.joined() {
            if info.place > 0 {
                count(.row(info.bytes.count), for: info.account)
            } else if let creator = rooms[info.room]?.creator {
                count(.row(Limits.groupInfo), for: creator)
            }
        }
        for snapshot in groups.snapshots.values.joined() { count(.row(snapshot.bytes.count), for: snapshot.account) }
        for (name, row) in groups.keyPackages { count(.row(row.bytes.count), for: name.address.account) }
        for (name, row) in groups.claims { count(.row(row.answer.count), for: name.claimer) }
        for name in consent.standings.keys { count(.row(0), for: name.owner) }
        for (account, links) in consent.links { for _ in links { count(.row(0), for: account) } }
        for blob in blobs.values { count(.blob(blob.known.state.size), for: blob.known.owner) }
        return usages
    }

    /// How many pieces the accounts of each network take.
    func pieces(_ usages: [AccountID: UsageFact]) -> [NetworkID: Int] {
        var pieces: [NetworkID: Int] = [:]
        for usage in usages.values {
            if let network = usage.network { pieces[network, default: 0] += usage.disk.pieces }
        }
        return pieces
    }
}
