@testable import MildamKeychain

extension FuzzTarget {
    /// The content of a bundle.
    static let keychainBundle = FuzzTarget(
        name: "keychain-bundle",
        source: .file,
        seeds: {
            let item = #"{"class":"genp","accessible":"ak","group":"g","synchronizable":false,"attributes":"#
            return [
                #"{"format":"mildam keychain bundle","version":1,"created":1}"# + "\n" + item
                    + #"{"acct":"a\n","gena":"AA==","invi":true,"cdat":-1,"crtr":7},"secret":"cw=="}"# + "\n"
                    + #"{"items":1,"leftOut":0}"# + "\n"
            ].map { Array($0.utf8) }
        },
        take: { input in
            guard let (lines, _) = try? BundleDocument.lines(of: input.span) else { return }
            for line in lines {
                guard let item = try? BundleItem.read(input.span.extracting(line)) else { continue }
                planted((item.attributes.number(.creator) ?? 7) != 7)
                mustHold(item.itemClass != .identity, "an identity has no row of its own")
                mustHold(!item.accessibility.staysOnThisDevice, "what stays on its device is in no bundle")
                mustHold(item.secret.count <= line.count, "a secret is no longer than its text")
            }
        }
    )
}
