import Foundation
import MildamKeychain
import MildamSecurity
import TestSupport
import Testing

extension SecurityTests {
    @Suite("What a request may say")
    struct Requests {
        @Test func aRequestNeedsAClass() async throws {
            let fixture = try await Fixture()
            #expect(SecItemAdd([kSecAttrAccount as String: "a"], nil) == errSecParam)
            #expect(find([kSecAttrAccount as String: "a"]).status == errSecParam)
            #expect(SecItemDelete([:]) == errSecParam)
            #expect(find([kSecClass as String: "nope"]).status == errSecNoSuchClass)
            #expect(find([kSecClass as String: 7]).status == errSecParam)
            withExtendedLifetime(fixture) {}
        }

        @Test(arguments: [
            (kSecClassGenericPassword, kSecAttrServer), (kSecClassInternetPassword, kSecAttrService),
            (kSecClassInternetPassword, kSecAttrGeneric), (kSecClassKey, kSecAttrAccount),
            (kSecClassCertificate, kSecAttrApplicationTag), (kSecClassGenericPassword, "volm"),
        ])
        func aClassHasItsOwnAttributes(_ itemClass: CFString, _ attribute: CFString) async throws {
            let fixture = try await Fixture()
            let request: [CFString: Any] = [kSecClass: itemClass, attribute: "x"]
            #expect(find(request as CFDictionary).status == errSecNoSuchAttr)
            #expect(SecItemAdd(request as CFDictionary, nil) == errSecNoSuchAttr)
            withExtendedLifetime(fixture) {}
        }

        @Test func valuesHaveTheTypeOfTheirAttribute() async throws {
            let fixture = try await Fixture()
            let wrong: [(String, Any)] = [
                (kSecAttrAccount, 7), (kSecAttrAccount, Data([0xff])), (kSecAttrAccount, Optional<String>.none as Any),
                (kSecAttrGeneric, 7), (kSecAttrIsInvisible, "yes"), (kSecAttrCreator, "abc"), (kSecAttrCreator, "007"),
                (kSecValueData, "text"), (kSecReturnData, "yes"), (kSecAttrAccessControl, "ak"),
                (kSecAttrAccessGroup, 1),
            ]
            for (key, value) in wrong {
                #expect(
                    SecItemAdd(password("a").merging([key: value]) { $1 } as CFDictionary, nil) == errSecParam,
                    "\(key)"
                )
            }
            withExtendedLifetime(fixture) {}
        }

        @Test func textsAndDataStandForEachOther() async throws {
            let fixture = try await Fixture()
            let account = Data("a".utf8)
            let attributes: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
                kSecAttrGeneric as String: "text", kSecAttrService as String: "service",
                kSecValueData as String: Data("secret".utf8), kSecAttrCreator as String: "1635017060",
                kSecAttrIsInvisible as String: NSNumber(value: true), kSecAttrType as String: NSNumber(value: 5),
            ]
            #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
            let hashable = password("a") as? [String: AnyHashable] ?? [:]
            let found = find(hashable as CFDictionary, [kSecReturnAttributes as String: true]).item as? [String: Any]
            #expect(found?[kSecAttrAccount as String] as? String == "a")
            #expect(found?[kSecAttrGeneric as String] as? Data == Data("text".utf8))
            #expect(found?[kSecAttrCreator as String] as? Int == 1_635_017_060)
            #expect(found?[kSecAttrIsInvisible as String] as? Bool == true)
            #expect(found?[kSecAttrType as String] as? Int == 5)
            withExtendedLifetime(fixture) {}
        }

        @Test func anInternetPasswordKeepsEveryAttribute() async throws {
            let fixture = try await Fixture()
            let attributes: [String: Any] = [
                kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: "example.org",
                kSecAttrAccount as String: "a", kSecAttrPort as String: 443, kSecAttrPath as String: "/in",
                kSecAttrProtocol as String: kSecAttrProtocolHTTPS, kSecAttrSecurityDomain as String: "d",
                kSecAttrAuthenticationType as String: kSecAttrAuthenticationTypeHTTPBasic,
                kSecAttrLabel as String: "l", kSecAttrComment as String: "c", kSecAttrDescription as String: "x",
                kSecAttrIsNegative as String: false, kSecValueData as String: Data("secret".utf8),
            ]
            #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
            let both: [String: Any] = [kSecReturnAttributes as String: true, kSecReturnData as String: true]
            let query: [String: Any] = [
                kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: "example.org",
                kSecAttrPort as String: UInt16(443),
            ]
            let found = find(query, both).item as? [String: Any]
            for (key, value) in attributes {
                #expect(found?[key] as? AnyHashable == value as? AnyHashable, "\(key)")
            }
            #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecDuplicateItem)
            let other = attributes.merging([kSecAttrPort as String: 8443]) { $1 }
            #expect(SecItemAdd(other as CFDictionary, nil) == errSecSuccess)
            withExtendedLifetime(fixture) {}
        }

        @Test func accessibilityIsKeptAndMatched() async throws {
            let fixture = try await Fixture()
            let constants = [
                kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock,
                kSecAttrAccessibleWhenUnlockedThisDeviceOnly, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
            ]
            for constant in constants {
                let attributes = password(constant).merging([kSecAttrAccessible as String: constant]) { $1 }
                #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
                let query: [String: Any] = [
                    kSecClass as String: kSecClassGenericPassword, kSecAttrAccessible as String: constant,
                    kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll,
                ]
                let found = find(query).item as? [[String: Any]]
                #expect(found?.map { $0[kSecAttrAccount as String] as? String } == [constant])
            }
            for constant in [kSecAttrAccessibleAlways, kSecAttrAccessibleAlwaysThisDeviceOnly, "f"] {
                let attributes = password("x").merging([kSecAttrAccessible as String: constant]) { $1 }
                #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecParam)
            }
            let both = password("y").merging([
                kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                kSecAttrSynchronizable as String: true,
            ]) { $1 }
            #expect(SecItemAdd(both as CFDictionary, nil) == errSecParam)
            withExtendedLifetime(fixture) {}
        }

        @Test func anAccessControlThatNothingEnforcesIsRefused() async throws {
            let fixture = try await Fixture()
            let protection = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            func control(_ flags: SecAccessControlCreateFlags) -> SecAccessControl? {
                SecAccessControlCreateWithFlags(kCFAllocatorDefault, protection, flags, nil)
            }
            let plain = try #require(control([]))
            let kept = password("a").merging([kSecAttrAccessControl as String: plain]) { $1 }
            #expect(SecItemAdd(kept as CFDictionary, nil) == errSecSuccess)
            let found = find(password("a"), [kSecReturnAttributes as String: true]).item as? [String: Any]
            #expect(found?[kSecAttrAccessible as String] as? String == protection as String)
            #expect(found?[kSecAttrAccessControl as String] as? SecAccessControl == plain)
            for flags in [.userPresence, .biometryAny, .devicePasscode, .applicationPassword]
                as [SecAccessControlCreateFlags]
            {
                let asking = try #require(control(flags))
                let attributes = password("b").merging([kSecAttrAccessControl as String: asking]) { $1 }
                #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecUnimplemented)
                let change = [kSecAttrAccessControl as String: asking]
                #expect(SecItemUpdate(password("a") as CFDictionary, change as CFDictionary) == errSecUnimplemented)
            }
            let twice = kept.merging([kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlocked]) { $1 }
            #expect(SecItemAdd(twice as CFDictionary, nil) == errSecParam)
            var error: Unmanaged<CFError>?
            #expect(unsafe SecAccessControlCreateWithFlags(nil, "nope" as CFTypeRef, [], &error) == nil)
            #expect(unsafe code(error) == errSecParam)
            #expect(control([.or, .and]) == nil)
            #expect(control([.biometryAny, .biometryCurrentSet]) == nil)
            #expect(control([.userPresence, .devicePasscode]) == nil)
            withExtendedLifetime(fixture) {}
        }

        @Test func whatNarrowsASearchAndIsNotDoneIsRefused() async throws {
            let fixture = try await Fixture()
            add("a")
            let refused: [String: Any] = [
                kSecMatchItemList: [Data()], kSecMatchSearchList: [Data()], kSecMatchPolicy: "x",
                kSecMatchIssuers: [Data()],
                kSecMatchEmailAddressIfPresent: "x", kSecMatchSubjectContains: "x", kSecMatchCaseInsensitive: true,
                kSecMatchTrustedOnly: true, kSecMatchValidOnDate: Date(), kSecUseItemList: [Data()], "u_Keychain": "x",
                "anything": 1,
            ]
            for (key, value) in refused {
                #expect(find(password("a"), [key: value]).status == errSecParam, "\(key)")
            }
            #expect(
                find(password("a"), [kSecMatchCaseInsensitive: false, kSecMatchTrustedOnly: 0]).status == errSecSuccess
            )
            withExtendedLifetime(fixture) {}
        }

        @Test func whatAsksAPersonIsPassedOver() async throws {
            let fixture = try await Fixture()
            add("a")
            let ignored: [String: Any] = [
                kSecUseDataProtectionKeychain: true, kSecUseOperationPrompt: "why", kSecUseNoAuthenticationUI: true,
                kSecUseAuthenticationContext: NSObject(),
            ]
            #expect(find(password("a"), ignored).status == errSecSuccess)
            fixture.keychain.lock()
            let data = [kSecReturnData as String: true]
            for constant in [kSecUseAuthenticationUIAllow, kSecUseAuthenticationUIFail, kSecUseAuthenticationUISkip] {
                let query = password("a").merging([kSecUseAuthenticationUI as String: constant]) { $1 }
                #expect(find(query).status == errSecSuccess)
                #expect(find(query, data).status == errSecInteractionNotAllowed, "never asked for, never left out")
            }
            #expect(find(password("a"), [kSecUseAuthenticationUI as String: "x"]).status == errSecParam)
        }

        @Test func aLockedKeychainAllowsNoInteraction() async throws {
            let fixture = try await Fixture()
            add("a")
            fixture.keychain.lock()
            #expect(find(password("a"), [kSecReturnData as String: true]).status == errSecInteractionNotAllowed)
            #expect(SecItemAdd(password("b") as CFDictionary, nil) == errSecInteractionNotAllowed)
            #expect(find(password("a"), [kSecReturnAttributes as String: true]).status == errSecSuccess)
            try await fixture.keychain.unlock(Fixture.passphrase)
            #expect(text("a") == "secret")
        }

        @Test func aForeignAccessGroupIsAMissingEntitlement() async throws {
            let fixture = try await Fixture()
            let foreign = password("a").merging([kSecAttrAccessGroup as String: "group.of.others"]) { $1 }
            #expect(SecItemAdd(foreign as CFDictionary, nil) == errSecMissingEntitlement)
            #expect(find(foreign).status == errSecMissingEntitlement)
            try fixture.keychain.grant(AccessGrant(.own, "group.of.others"))
            #expect(SecItemAdd(foreign as CFDictionary, nil) == errSecSuccess)
            #expect(find(password("a")).status == errSecSuccess, "every group that the program may use is meant")
        }

        @Test func aDamagedItemCannotBeDecoded() async throws {
            let fixture = try await Fixture()
            add("a")
            let result = try Program.run(
                "sqlite3",
                [fixture.keychain.path, "UPDATE item SET secret = zeroblob(length(secret))"]
            )
            #expect(result.status == 0, "\(result)")
            let other = try LocalKeychain(path: fixture.keychain.path)
            try? await other.unlock(Fixture.passphrase)
            SecKeychain.use(other)
            let status = find(password("a"), [kSecReturnData as String: true]).status
            #expect(status == errSecDecode || status == errSecInvalidKeychain)
        }

        @Test func everyStatusHasItsWords() {
            let values: [OSStatus] = [
                0, -4, -34, -36, -50, -108, -128, -909, -2070, -25291, -25292, -25293, -25294, -25295, -25296, -25299,
                -25300, -25302, -25303, -25304, -25306, -25308, -25309, -25311, -26275, -34018, -67588, -67808,
            ]
            let texts = values.compactMap { SecCopyErrorMessageString($0, nil) }
            #expect(Set(texts).count == values.count)
            #expect(SecCopyErrorMessageString(12345, nil) == nil)
        }

        @Test func randomBytesFillWhatTheyAreGiven() {
            var bytes = [UInt8](repeating: 0, count: 64)
            #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, 32, &bytes) == errSecSuccess)
            #expect(bytes.prefix(32).contains { $0 != 0 })
            #expect(bytes.suffix(32).allSatisfy { $0 == 0 })
            #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, -1, &bytes) == errSecParam)
        }
    }
}
