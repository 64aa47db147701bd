package dev.perigee.worker.tool;

import dev.perigee.protocol.json.RawJson;

/**
 * Search for a quoted word in unparsed JSON. In a text such a word stands between escaped quotes,
 * so only a name or a string of its own can look like it. Pure.
 */
final class JsonBytes {
    private JsonBytes() {}

    /** Whether the value has these bytes somewhere. */
    static boolean have(RawJson value, byte[] quoted) {
        var bytes = value.bytes();
        int last = bytes.length - quoted.length;
        for (int at = 0; at <= last; at++) {
            if (bytes[at] == quoted[0]
                    && bytes[at + 1] == quoted[1]
                    && matches(bytes, at, quoted)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(byte[] bytes, int at, byte[] quoted) {
        for (int i = 2; i < quoted.length; i++) {
            if (bytes[at + i] != quoted[i]) {
                return false;
            }
        }
        return true;
    }
}
