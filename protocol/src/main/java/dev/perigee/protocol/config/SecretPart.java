package dev.perigee.protocol.config;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Position of a secret in a string.
 *
 * @param from its first character
 * @param to the character behind its last
 */
public record SecretPart(int from, int to) {
    /** The secret as it is written in the text. */
    public String in(String text) {
        return text.substring(from, to);
    }

    /** The text with each of its secrets replaced; the parts are in order and do not overlap. */
    public static String replace(String text, List<SecretPart> parts, UnaryOperator<String> by) {
        var replaced = new StringBuilder();
        int end = 0;
        for (var part : parts) {
            replaced.append(text, end, part.from()).append(by.apply(part.in(text)));
            end = part.to();
        }
        return replaced.append(text, end, text.length()).toString();
    }
}
