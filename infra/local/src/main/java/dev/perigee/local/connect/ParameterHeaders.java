package dev.perigee.local.connect;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.mcp.ArgumentHeaders;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Check of the headers that repeat arguments of a call, by {@code x-mcp-header} in the tool's input
 * schema. A schema that has it where it may not be asks for none. Pure.
 */
final class ParameterHeaders {
    private static final int MOST_DIGITS = 40;

    private ParameterHeaders() {}

    /**
     * Checks a call.
     *
     * @param described the tool's entry of {@code tools/list}
     * @throws DoorRefusedException when a header does not say what the arguments say
     */
    static void require(ModernMessage call, RawJson described, RequestHeaders headers) {
        var schema = JsonObjects.members(described).get("inputSchema");
        if (schema == null) {
            return;
        }
        ArgumentHeaders asked;
        try {
            asked = ArgumentHeaders.in(schema);
        } catch (InvalidRecordException e) {
            return;
        }
        if (asked.mirrored().isEmpty()) {
            return;
        }
        var arguments = Json.tree(call.params().bytes()).path("arguments");
        for (var each : asked.mirrored()) {
            var value = arguments;
            for (var name : each.path()) {
                value = value.path(name);
            }
            var header = headers.value(each.header());
            if (!agrees(value, header)) {
                throw ModernMessage.mismatch(call.id(), each.header());
            }
        }
    }

    private static boolean agrees(JsonNode value, @Nullable String header) {
        if (value.isMissingNode() || value.isNull()) {
            return header == null;
        }
        if (!value.isValueNode()) {
            return true; // The server refuses it.
        }
        var text = ModernMessage.decoded(header);
        if (text == null) {
            return false;
        }
        return value.isNumber() ? isNumber(text, value) : value.asString("").equals(text);
    }

    private static boolean isNumber(String text, JsonNode value) {
        try {
            return text.length() <= MOST_DIGITS
                    && new BigDecimal(text).compareTo(value.decimalValue()) == 0;
        } catch (ArithmeticException | NumberFormatException e) {
            return false;
        }
    }
}
