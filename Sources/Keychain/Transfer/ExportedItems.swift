/// The items of a keychain, as an export goes through them: attributes first, and each secret by itself.
struct ExportedItems {
    private let keychain: LocalKeychain
    /// What may leave this device, in the order in which it was added.
    let items: [KeychainItem]
    /// What became of the others.
    var report = ExportReport()

    init(_ keychain: LocalKeychain) throws(TransferError) {
        self.keychain = keychain
        do throws(KeychainError) {
            let (items, damaged) = try keychain.everyItem()
            self.items = items.filter { !$0.accessibility.staysOnThisDevice }
            report.staysOnThisDevice = items.count - self.items.count
            report.damaged = damaged.map { ExportReport.DamagedItem(number: $0, name: "") }
        } catch {
            throw .keychain(error)
        }
    }

    /// What an item protects; `nil` for a damaged one, which the report names from then on.
    mutating func secret(of item: KeychainItem) throws(TransferError) -> SecretValue? {
        do throws(KeychainError) {
            guard let secret = try keychain.item(KeychainQuery(item.reference)).secret else { throw .itemNotFound }
            return secret
        } catch .damagedItem(let number) {
            report.damaged.append(ExportReport.DamagedItem(number: number, name: item.attributes.title))
            return nil
        } catch {
            throw .keychain(error)
        }
    }
}

extension ItemAttributes {
    /// What to call an item in a report; empty where nothing says.
    var title: String {
        for attribute in [ItemAttribute.label, .server, .service, .account] {
            if let text = text(attribute), !text.isEmpty { return text }
        }
        return ""
    }
}
