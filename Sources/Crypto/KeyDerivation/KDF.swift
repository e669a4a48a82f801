/// Functions that turn a password into a key, slowly on purpose.
public enum KDF {}
