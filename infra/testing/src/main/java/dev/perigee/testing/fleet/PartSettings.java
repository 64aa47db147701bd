package dev.perigee.testing.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Settings of a test fleet's parts. Those of one part replace those of all of its kind, and both
 * what the fleet gives it.
 *
 * @param all by {@code kind/key}, {@code name/key} or {@code environment/variable}
 */
record PartSettings(Map<String, String> all) {
    PartSettings {
        all = Map.copyOf(all);
    }

    boolean has(String key) {
        return all.containsKey(key);
    }

    /** Those of a kind or of one part, or the variables of all parts. */
    Map<String, String> of(String part) {
        var found = new TreeMap<String, String>();
        all.forEach(
                (key, value) -> {
                    if (key.startsWith(part + "/")) {
                        found.put(key.substring(part.length() + 1), value);
                    }
                });
        return found;
    }

    /** The command line of a part. */
    List<String> command(String kind, String name, Map<String, String> own) {
        var settings = new TreeMap<>(own);
        settings.putAll(of(kind));
        settings.putAll(of(name));
        var arguments = new ArrayList<>(List.of(kind));
        settings.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
        return arguments;
    }
}
