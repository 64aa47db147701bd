package dev.perigee.protocol.json;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Texts that each call has several times, so that none is made anew. Pure. */
final class KnownTexts {
    private static final int SLOTS = 256;

    private static final String[] TEXTS =
            table(
                    List.of(
                            JsonRpc.VERSION,
                            "jsonrpc",
                            "id",
                            "method",
                            "params",
                            "result",
                            "error",
                            "tool/execute",
                            "instance/event",
                            "tools/call",
                            "perigee.tool.result",
                            "partition",
                            "origin",
                            "topic",
                            "offset",
                            "process_id",
                            "request",
                            "deadline",
                            "reply",
                            "correlation_id",
                            "traceparent",
                            "tracestate",
                            "may_have_run",
                            "last_deadline",
                            "input_ms",
                            "resume",
                            "request_id",
                            "team_id",
                            "user_id",
                            "tool_path",
                            "installation_id",
                            "arguments",
                            "timeout_ms",
                            "accepts",
                            "meta",
                            "start_token",
                            "seq",
                            "type",
                            "key",
                            "data",
                            "durable"));

    private KnownTexts() {}

    private static String[] table(List<String> texts) {
        var table = new String[SLOTS];
        Arrays.fill(table, "");
        for (var text : texts) {
            int slot = slot(text.hashCode());
            while (!table[slot].isEmpty()) {
                slot = (slot + 1) % SLOTS;
            }
            table[slot] = text;
        }
        return table;
    }

    private static int slot(int hash) {
        return (hash ^ (hash >>> 15)) & (SLOTS - 1);
    }

    /** The text of these bytes of ASCII, null where it is not known. */
    static @Nullable String find(byte[] ascii, int from, int to) {
        int hash = 0; // As that of a string.
        for (int i = from; i < to; i++) {
            hash = 31 * hash + ascii[i];
        }
        for (int slot = slot(hash); ; slot = (slot + 1) % SLOTS) {
            var text = TEXTS[slot];
            if (text.isEmpty()) {
                return null;
            }
            if (text.hashCode() == hash && is(text, ascii, from, to)) {
                return text;
            }
        }
    }

    private static boolean is(String text, byte[] ascii, int from, int to) {
        if (text.length() != to - from) {
            return false;
        }
        for (int i = from; i < to; i++) {
            if (text.charAt(i - from) != ascii[i]) {
                return false;
            }
        }
        return true;
    }
}
