package dev.perigee.worker.mcp;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Value of a header that repeats what a message has: as it is where HTTP takes it, else in Base64
 * between the marks that the specification gives. Pure.
 */
final class HeaderText {
    private static final String BEGIN = "=?base64?";
    private static final String END = "?=";

    private HeaderText() {}

    static String of(String value) {
        return isPlain(value)
                ? value
                : BEGIN
                        + Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8))
                        + END;
    }

    private static boolean isPlain(String value) {
        boolean looksEncoded = value.startsWith(BEGIN) && value.endsWith(END);
        return !looksEncoded
                && value.equals(value.strip())
                && value.chars().allMatch(c -> c >= ' ' && c <= '~');
    }
}
