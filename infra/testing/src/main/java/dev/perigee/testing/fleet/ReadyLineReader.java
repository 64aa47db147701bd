package dev.perigee.testing.fleet;

import java.util.HashMap;
import java.util.Map;

/** Reads {@code ready <name> pid=<pid> kafka=<host:port> link=<url> admin=<url>}. */
final class ReadyLineReader {

    private ReadyLineReader() {}

    /** The fields, and the name as {@code name}. */
    static Map<String, String> fields(String line) {
        var words = line.split(" ");
        var fields = new HashMap<String, String>();
        fields.put("name", words.length > 1 ? words[1] : "");
        for (var word : words) {
            int at = word.indexOf('=');
            if (at > 0) {
                fields.put(word.substring(0, at), word.substring(at + 1));
            }
        }
        return fields;
    }
}
