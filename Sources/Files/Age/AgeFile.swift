/// Whole age files, in constant memory.
///
/// A target path names nothing new until the file is whole, verified and synced: until then it has no name, and is gone
/// when the program ends. What stood at the path before stays until then, and stays for good when something fails.
/// Files are made with permissions 0600. To a descriptor, chunks go out one by one, each verified.
public enum AgeFile {
    /// The size in bytes of the file that content of so many bytes becomes, for one recipient.
    public static func size(ofContent count: Int) -> Int {
        let chunks = max(1, (count + AgeEncryptor.chunkSize - 1) / AgeEncryptor.chunkSize)
        return beginning + count + chunks * AgeEncryptor.tagSize
    }

    /// The size in bytes of the content of a file of so many bytes, for one recipient; `nil` where no file has that size.
    package static func contentSize(ofFile count: Int) -> Int? {
        let payload = count - beginning
        guard payload >= AgeEncryptor.tagSize else { return nil }
        let sealed = AgeEncryptor.chunkSize + AgeEncryptor.tagSize
        let content = payload - (payload + sealed - 1) / sealed * AgeEncryptor.tagSize
        return size(ofContent: content) == count ? content : nil
    }

    /// The header for one recipient, in bytes: the version, a stanza's share and body, and the MAC, each 32 bytes in base64;
    /// then the payload's nonce.
    private static let beginning = "age-encryption.org/v1\n-> X25519 \n\n--- \n".utf8.count + 3 * 43 + 16
}
