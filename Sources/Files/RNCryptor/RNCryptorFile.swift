/// Whole RNCryptor files, in constant memory: versions 1, 2 and 3 and the layouts before them are read, 3 is written.
///
/// For data that is there already: age files are better in everything. A target path names nothing new until the file
/// is whole, its HMAC found right, and synced; what stood there before stays until then. To a descriptor nothing goes
/// out before the HMAC was found right: the ciphertext is kept in a temporary file for that long.
public enum RNCryptorFile {
    /// Bytes of AES's block, and of the IV.
    static let blockSize = 16
    /// Bytes of the field at the end that holds the HMAC.
    static let macFieldSize = 32

    /// The size in bytes of the file that content of so many bytes becomes.
    public static func size(ofContent count: Int, withPassword: Bool) -> Int {
        (withPassword ? RNCryptorHeader.maximumSize : 2 + blockSize)
            + (count / blockSize + 1) * blockSize + macFieldSize
    }
}
