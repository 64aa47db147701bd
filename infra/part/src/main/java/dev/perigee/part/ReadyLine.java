package dev.perigee.part;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The line a part prints when it serves: {@code ready <name> pid=<pid> kafka=<host:port> link=<url>
 * admin=<url>}, with those addresses that apply. Part of the contract.
 */
public record ReadyLine(String name, long pid, Map<String, String> addresses) {
    private static final Pattern FORM = Pattern.compile("ready (\\S+) pid=(\\d+)((?: \\S+=\\S+)*)");

    public ReadyLine {
        addresses = new LinkedHashMap<>(addresses);
    }

    /** Returns null when the line is not of this form. */
    public static @Nullable ReadyLine parse(String line) {
        var match = FORM.matcher(line);
        if (!match.matches()) {
            return null;
        }
        var addresses = new LinkedHashMap<String, String>();
        for (var word : match.group(3).strip().split(" ")) {
            var equals = word.indexOf('=');
            if (equals > 0) {
                addresses.put(word.substring(0, equals), word.substring(equals + 1));
            }
        }
        return new ReadyLine(match.group(1), Long.parseLong(match.group(2)), addresses);
    }

    @Override
    public String toString() {
        var line = new StringBuilder("ready ").append(name).append(" pid=").append(pid);
        addresses.forEach((key, value) -> line.append(' ').append(key).append('=').append(value));
        return line.toString();
    }
}
