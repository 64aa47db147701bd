package dev.perigee.worker.secret;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Value of a secret, out of the bytes that a provider has. Pure. */
final class SecretText {
    /** Largest value, in bytes: half of what Linux takes as one environment variable. */
    static final int MAX_BYTES = 64 << 10;

    private SecretText() {}

    /**
     * The text without the line end that an editor or {@code echo} puts behind it.
     *
     * @param name for the message
     * @throws SecretException for what is empty, larger than {@link #MAX_BYTES}, no UTF-8, or has a
     *     NUL
     */
    static String of(String name, byte[] bytes) throws SecretException {
        if (bytes.length > MAX_BYTES) {
            throw new SecretException(name, "it is larger than 64 KiB");
        }
        var text = withoutLineEnd(decoded(name, bytes));
        if (text.isEmpty()) {
            throw new SecretException(name, "it is empty");
        }
        if (text.indexOf('\0') >= 0) {
            throw new SecretException(name, "it contains a NUL");
        }
        return text;
    }

    private static String decoded(String name, byte[] bytes) throws SecretException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new SecretException(name, "it is no UTF-8 text");
        }
    }

    private static String withoutLineEnd(String text) {
        if (!text.endsWith("\n")) {
            return text;
        }
        int end = text.endsWith("\r\n") ? text.length() - 2 : text.length() - 1;
        return text.substring(0, end);
    }
}
