package dev.perigee.protocol.access;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A message of SCRAM-SHA-256 as HTTP headers carry it: {@code SCRAM-SHA-256 data=} and its text in
 * Base64 (RFC 7804). The text is a list of attributes such as {@code r=nonce} (RFC 5802, section
 * 5.1); no value has a comma.
 *
 * @param text as it was sent, since both sides sign exactly that
 */
record ScramMessage(String text) {
    static final String SCHEME = "SCRAM-SHA-256";

    /** What a client's messages begin with: it binds to no channel and speaks for itself. */
    static final String NO_BINDING = "n,,";

    /** The same as the attribute {@code c} repeats it. */
    static final String NO_BINDING_REPEATED = "biws";

    /** The one whom both sides mean: there is one token. */
    static final String USER = "perigee";

    private static final String DATA = "data=";
    private static final int LONGEST_CHARS = 2048;

    /** Of {@code Authorization} or {@code WWW-Authenticate}; null when it is none or malformed. */
    static @Nullable ScramMessage ofHeader(@Nullable String value) {
        if (value == null || !value.regionMatches(true, 0, SCHEME + " ", 0, SCHEME.length() + 1)) {
            return null;
        }
        return ofParameters(value.substring(SCHEME.length() + 1));
    }

    /** Of {@code Authentication-Info}, which names no scheme; null when it is malformed. */
    static @Nullable ScramMessage ofParameters(@Nullable String value) {
        if (value == null || value.length() > LONGEST_CHARS) {
            return null;
        }
        for (var parameter : value.split(",")) {
            var stripped = parameter.strip();
            if (stripped.startsWith(DATA)) {
                var bytes = bytes(stripped.substring(DATA.length()).replace("\"", ""));
                return bytes == null
                        ? null
                        : new ScramMessage(new String(bytes, StandardCharsets.UTF_8));
            }
        }
        return null;
    }

    String header() {
        return SCHEME + " " + parameters();
    }

    String parameters() {
        return DATA + base64(text.getBytes(StandardCharsets.UTF_8));
    }

    /** An attribute's value, null when there is none. */
    @Nullable String attribute(char name) {
        for (var attribute : text.split(",")) {
            if (attribute.length() >= 2
                    && attribute.charAt(0) == name
                    && attribute.charAt(1) == '=') {
                return attribute.substring(2);
            }
        }
        return null;
    }

    /** An attribute's value of bytes, null when there is none or it is malformed. */
    byte @Nullable [] attributeBytes(char name) {
        return bytes(attribute(name));
    }

    static String base64(byte[] content) {
        return Base64.getEncoder().encodeToString(content);
    }

    static byte @Nullable [] bytes(@Nullable String base64) {
        if (base64 == null) {
            return null;
        }
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Without the text: a proof is a secret. */
    @Override
    public String toString() {
        return "ScramMessage[" + text.length() + " characters]";
    }
}
