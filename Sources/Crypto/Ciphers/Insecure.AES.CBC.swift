import FoundationEssentials

extension Insecure.AES.CBC {
    /// Encrypts, and authenticates nothing: a MAC over IV and ciphertext is the caller's to add.
    ///
    /// - Parameters:
    ///   - key: 16, 24 or 32 bytes.
    ///   - iv: random for each message.
    /// - Returns: the ciphertext, without the IV.
    /// - Throws: `incorrectKeySize`.
    public static func encrypt(
        _ content: some DataProtocol,
        using key: SymmetricKey,
        iv: Insecure.AES.IV
    ) throws(CryptoKitError) -> Data {
        var encryptor = try Encryptor(key: key, iv: iv)
        var bytes = Array(content)
        encryptor.finish(inPlace: &bytes)
        return Data(bytes)
    }

    /// Decrypts what a MAC was found right for.
    ///
    /// - Throws: `incorrectKeySize`; `incorrectParameterSize` when the ciphertext is empty or no multiple of 16 bytes;
    ///   `invalidParameter` for a wrong padding, whatever is wrong with it.
    public static func decrypt(
        _ ciphertext: some DataProtocol,
        using key: SymmetricKey,
        iv: Insecure.AES.IV
    ) throws(CryptoKitError) -> Data {
        var decryptor = try Decryptor(key: key, iv: iv)
        var bytes = Array(ciphertext)
        try decryptor.finish(inPlace: &bytes)
        return Data(bytes)
    }
}
