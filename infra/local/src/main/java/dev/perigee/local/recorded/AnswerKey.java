package dev.perigee.local.recorded;

import dev.perigee.local.masking.Masks;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * Identity of a call: server, tool and arguments, whatever the order of their fields. Masks count
 * as equal, since each recording and each replay has its own. Pure.
 */
final class AnswerKey {
    private AnswerKey() {}

    /**
     * The first 64 bits of a hash: that two calls of 1,000,000 share one is a matter of 1 to 10^7.
     */
    static long of(String process, String tool, JsonNode arguments) {
        var text = new StringBuilder(process).append('\n').append(tool).append('\n');
        append(arguments.isMissingNode() || arguments.isNull() ? "{}" : arguments, text);
        try {
            var hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(Masks.alike(text.toString()).getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(hash).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static void append(Object value, StringBuilder text) {
        if (!(value instanceof JsonNode node)) {
            text.append(value);
        } else if (node.isObject()) {
            text.append('{');
            for (var name : new TreeSet<>(node.propertyNames())) {
                text.append(name).append('\n');
                append(node.path(name), text);
                text.append(',');
            }
            text.append('}');
        } else if (node.isArray()) {
            text.append('[');
            for (var element : node) {
                append(element, text);
                text.append(',');
            }
            text.append(']');
        } else if (node.isNumber()) {
            text.append(node.decimalValue().stripTrailingZeros().toPlainString());
        } else {
            text.append(node);
        }
    }
}
