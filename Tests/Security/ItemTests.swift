import Foundation
import MildamKeychain
import MildamSecurity
import TestSupport
import Testing

extension SecurityTests {
    @Suite("SecItemAdd, CopyMatching, Update and Delete")
    struct Items {
        @Test func withoutAKeychainNothingIsAvailable() {
            SecKeychain.use(nil)
            #expect(SecItemAdd(password("a") as CFDictionary, nil) == errSecNotAvailable)
            #expect(find(password("a")).status == errSecNotAvailable)
            #expect(SecItemUpdate(password("a") as CFDictionary, ["labl": "x"]) == errSecNotAvailable)
            #expect(SecItemDelete(password("a") as CFDictionary) == errSecNotAvailable)
        }

        @Test func addingTwiceIsADuplicateByPrimaryKey() async throws {
            let fixture = try await Fixture()
            add("a")
            var again = password("a")
            again[kSecAttrLabel as String] = "a label is no part of the primary key"
            #expect(SecItemAdd(again as CFDictionary, nil) == errSecDuplicateItem)
            add("b")
            add("a", "another service")
            again[kSecAttrSynchronizable as String] = true
            #expect(SecItemAdd(again as CFDictionary, nil) == errSecSuccess)
            withExtendedLifetime(fixture) {}
        }

        @Test func theFirstItemIsMeantUnlessALimitIsNamed() async throws {
            let fixture = try await Fixture()
            for account in ["a", "b", "c"] { add(account, "service", account) }
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecReturnData as String: kCFBooleanTrue as Any,
            ]
            #expect(find(query).item as? Data == Data("a".utf8))
            #expect(find(query, [kSecMatchLimit as String: kSecMatchLimitOne]).item as? Data == Data("a".utf8))
            let all = find(query, [kSecMatchLimit as String: kSecMatchLimitAll]).item as? [Data]
            #expect(all == ["a", "b", "c"].map { Data($0.utf8) })
            #expect((find(query, [kSecMatchLimit as String: 2]).item as? [Data])?.count == 2)
            #expect(find(query, [kSecMatchLimit as String: 1]).item as? Data == Data("a".utf8))
            for limit in [0, -1, "m_LimitSome", 1.5] as [Any] {
                #expect(find(query, [kSecMatchLimit as String: limit]).status == errSecParam)
            }
            withExtendedLifetime(fixture) {}
        }

        @Test func whatIsReturnedHasTheShapeThatIsAskedFor() async throws {
            let fixture = try await Fixture()
            add("a")
            let query = password("a")
            #expect(find(query).status == errSecSuccess)
            #expect(find(query).item == nil, "nothing was asked for")
            #expect(find(query, [kSecReturnData as String: true]).item is Data)
            #expect(find(query, [kSecReturnData as String: false]).item == nil)
            let attributes = find(query, [kSecReturnAttributes as String: true]).item as? [String: Any]
            #expect(attributes?[kSecAttrAccount as String] as? String == "a")
            #expect(attributes?[kSecAttrService as String] as? String == "service")
            #expect(attributes?[kSecClass as String] as? String == kSecClassGenericPassword as String)
            #expect(attributes?[kSecAttrAccessible as String] as? String == kSecAttrAccessibleWhenUnlocked as String)
            #expect(attributes?[kSecAttrSynchronizable as String] as? Bool == false)
            #expect(attributes?[kSecAttrAccessGroup as String] as? String == ProgramIdentity.own.ownGroup)
            #expect((attributes?[kSecAttrCreationDate as String] as? Date)?.timeIntervalSinceNow ?? -60 > -60)
            #expect(attributes?[kSecValueData as String] == nil)
            let both: [String: Any] = [kSecReturnAttributes as String: true, kSecReturnData as String: true]
            let whole = find(query, both).item as? [String: Any]
            #expect(whole?[kSecValueData as String] as? Data == Data("secret".utf8))
            #expect(whole?[kSecAttrAccount as String] as? String == "a")
            let list = find(query, both.merging([kSecMatchLimit as String: kSecMatchLimitAll]) { $1 }).item
            #expect((list as? [[String: Any]])?.first?[kSecValueData as String] as? Data == Data("secret".utf8))
            #expect(find(query, [kSecReturnRef as String: true]).status == errSecUnimplemented)
            let nowhere = query.merging([kSecReturnData as String: true]) { $1 }
            #expect(SecItemCopyMatching(nowhere as CFDictionary, nil) == errSecParam)
            withExtendedLifetime(fixture) {}
        }

        @Test func addingGivesBackWhatIsAskedFor() async throws {
            let fixture = try await Fixture()
            var attributes = password("a")
            attributes[kSecValueData as String] = Data("secret".utf8)
            attributes[kSecReturnAttributes as String] = true
            attributes[kSecReturnData as String] = true
            var item: CFTypeRef?
            #expect(unsafe SecItemAdd(attributes as CFDictionary, &item) == errSecSuccess)
            let added = item as? [String: Any]
            #expect(added?[kSecAttrAccount as String] as? String == "a")
            #expect(added?[kSecValueData as String] as? Data == Data("secret".utf8))
            #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecParam, "there is no place for it")
            withExtendedLifetime(fixture) {}
        }

        @Test func anItemWithoutDataHasEmptyData() async throws {
            let fixture = try await Fixture()
            let list = Data(#"[{"name":"mail"}]"#.utf8)
            let attributes = password("a").merging([kSecAttrGeneric as String: list]) { $1 }
            #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
            let both: [String: Any] = [kSecReturnAttributes as String: true, kSecReturnData as String: true]
            let found = find(password("a"), both).item as? [String: Any]
            #expect(found?[kSecAttrGeneric as String] as? Data == list)
            #expect(found?[kSecValueData as String] as? Data == Data())
            withExtendedLifetime(fixture) {}
        }

        @Test func anUpdateChangesAllThatMatchOrNone() async throws {
            let fixture = try await Fixture()
            for account in ["a", "b"] { add(account) }
            var service = password("a")
            service[kSecAttrAccount as String] = nil
            let new: [String: Any] = [kSecValueData as String: Data("new".utf8), kSecAttrLabel as String: "a label"]
            #expect(SecItemUpdate(service as CFDictionary, new as CFDictionary) == errSecSuccess)
            #expect(text("a") == "new")
            #expect(text("b") == "new")
            let clash = [kSecAttrAccount as String: "b"]
            #expect(SecItemUpdate(service as CFDictionary, clash as CFDictionary) == errSecDuplicateItem)
            #expect(text("a") == "new")
            #expect(SecItemUpdate(password("c") as CFDictionary, new as CFDictionary) == errSecItemNotFound)
            let moved = [kSecAttrAccount as String: "z"]
            #expect(SecItemUpdate(password("a") as CFDictionary, moved as CFDictionary) == errSecSuccess)
            #expect(text("a") == nil)
            #expect(text("z") == "new")
            withExtendedLifetime(fixture) {}
        }

        @Test func anUpdateTakesAttributesAndDataOnly() async throws {
            let fixture = try await Fixture()
            add("a")
            let query = password("a")
            func update(_ change: [String: Any]) -> OSStatus {
                SecItemUpdate(query as CFDictionary, change as CFDictionary)
            }
            #expect(update([:]) == errSecParam)
            #expect(update([kSecClass as String: kSecClassGenericPassword]) == errSecParam)
            #expect(update([kSecReturnData as String: true]) == errSecParam)
            #expect(update([kSecMatchLimit as String: kSecMatchLimitOne]) == errSecParam)
            #expect(update([kSecAttrSynchronizable as String: kSecAttrSynchronizableAny]) == errSecParam)
            #expect(update([kSecAttrCreationDate as String: Date()]) == errSecReadOnlyAttr)
            #expect(update([kSecAttrServer as String: "x"]) == errSecNoSuchAttr)
            let returning = query.merging([kSecReturnData as String: true]) { $1 }
            #expect(SecItemUpdate(returning as CFDictionary, ["labl": "x"]) == errSecParam)
            let one = query.merging([kSecMatchLimit as String: kSecMatchLimitOne]) { $1 }
            #expect(SecItemUpdate(one as CFDictionary, ["labl": "x"]) == errSecParam)
            #expect(update([kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock]) == errSecSuccess)
            let found = find(query, [kSecReturnAttributes as String: true]).item as? [String: Any]
            #expect(found?[kSecAttrAccessible as String] as? String == kSecAttrAccessibleAfterFirstUnlock as String)
            withExtendedLifetime(fixture) {}
        }

        @Test func anUpdateMovesAnItemToEveryDevice() async throws {
            let fixture = try await Fixture()
            add("a")
            let change: [String: Any] = [
                kSecAttrSynchronizable as String: true, kSecValueData as String: Data("n".utf8),
            ]
            #expect(SecItemUpdate(password("a") as CFDictionary, change as CFDictionary) == errSecSuccess)
            #expect(text("a") == nil)
            let moved = find(password("a"), [kSecAttrSynchronizable as String: true, kSecReturnData as String: true])
            #expect(moved.item as? Data == Data("n".utf8))
            let stays = [kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlockedThisDeviceOnly]
            let query = password("a").merging([kSecAttrSynchronizable as String: kSecAttrSynchronizableAny]) { $1 }
            #expect(SecItemUpdate(query as CFDictionary, stays as CFDictionary) == errSecParam)
            withExtendedLifetime(fixture) {}
        }

        @Test func aDeletionTakesAllThatMatch() async throws {
            let fixture = try await Fixture()
            for account in ["a", "b"] { add(account) }
            add("a", "another service")
            var service = password("a")
            service[kSecAttrAccount as String] = nil
            let one = service.merging([kSecMatchLimit as String: kSecMatchLimitOne]) { $1 }
            #expect(SecItemDelete(one as CFDictionary) == errSecParam)
            let all = service.merging([kSecMatchLimit as String: kSecMatchLimitAll]) { $1 }
            #expect(SecItemDelete(all as CFDictionary) == errSecSuccess)
            #expect(SecItemDelete(service as CFDictionary) == errSecItemNotFound)
            #expect(text("a", "another service") == "secret")
            #expect(SecItemDelete([kSecClass as String: kSecClassGenericPassword]) == errSecSuccess)
            #expect(text("a", "another service") == nil)
            withExtendedLifetime(fixture) {}
        }

        @Test func dataAreNothingToSearchBy() async throws {
            let fixture = try await Fixture()
            add("a")
            let query = password("a").merging([kSecValueData as String: Data("another".utf8)]) { $1 }
            #expect(find(query, [kSecReturnData as String: true]).item as? Data == Data("secret".utf8))
            #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
            #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
            #expect(text("a") == "another")
            withExtendedLifetime(fixture) {}
        }

        @Test func synchronizableItemsAreMeantWhenAQuerySaysSo() async throws {
            let fixture = try await Fixture()
            add("a", "service", "here")
            var everywhere = password("a")
            everywhere[kSecAttrSynchronizable as String] = kCFBooleanTrue
            everywhere[kSecValueData as String] = Data("everywhere".utf8)
            #expect(SecItemAdd(everywhere as CFDictionary, nil) == errSecSuccess)
            let data: [String: Any] = [kSecReturnData as String: true, kSecMatchLimit as String: kSecMatchLimitAll]
            func found(_ synchronizable: Any?) -> [String]? {
                var query = password("a").merging(data) { $1 }
                query[kSecAttrSynchronizable as String] = synchronizable
                return (find(query).item as? [Data])?.map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(found(nil) == ["here"])
            #expect(found(false) == ["here"])
            #expect(found(true) == ["everywhere"])
            #expect(found(1) == ["everywhere"])
            #expect(found(kSecAttrSynchronizableAny) == ["here", "everywhere"])
            everywhere[kSecAttrSynchronizable as String] = kSecAttrSynchronizableAny
            #expect(SecItemAdd(everywhere as CFDictionary, nil) == errSecParam)
            #expect(find(everywhere.merging([kSecAttrSynchronizable as String: "yes"]) { $1 }).status == errSecParam)
            withExtendedLifetime(fixture) {}
        }

        @Test func aPersistentReferenceStaysThroughUpdates() async throws {
            let fixture = try await Fixture()
            var attributes = password("a")
            attributes[kSecReturnPersistentRef as String] = true
            attributes[kSecValueData as String] = Data("secret".utf8)
            var item: CFTypeRef?
            #expect(unsafe SecItemAdd(attributes as CFDictionary, &item) == errSecSuccess)
            let reference = try #require(item as? Data)
            #expect(reference.count == 28)
            #expect(find(password("a"), [kSecReturnPersistentRef as String: true]).item as? Data == reference)
            #expect(SecItemUpdate(password("a") as CFDictionary, [kSecAttrAccount as String: "b"]) == errSecSuccess)
            let query: [String: Any] = [kSecValuePersistentRef as String: reference, kSecReturnData as String: true]
            #expect(find(query).item as? Data == Data("secret".utf8))
            #expect(find(query, [kSecClass as String: kSecClassKey]).status == errSecParam)
            #expect(SecItemUpdate([kSecValuePersistentRef: reference], [kSecAttrAccount: "c"]) == errSecSuccess)
            #expect(text("c") == "secret")
            #expect(SecItemDelete([kSecValuePersistentRef as String: reference]) == errSecSuccess)
            #expect(find(query).status == errSecItemNotFound)
            for size in 0..<reference.count {
                let cut = find([kSecValuePersistentRef as String: reference.prefix(size)])
                #expect(cut.status == errSecInvalidItemRef)
            }
            for bit in 0..<reference.count * 8 {
                var changed = reference
                changed[bit / 8] ^= 1 << (bit % 8)
                let status = find([kSecValuePersistentRef as String: changed]).status
                #expect(status == errSecInvalidItemRef || status == errSecItemNotFound)
            }
            withExtendedLifetime(fixture) {}
        }
    }
}
