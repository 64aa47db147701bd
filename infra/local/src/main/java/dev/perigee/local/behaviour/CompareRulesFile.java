package dev.perigee.local.behaviour;

import dev.perigee.local.recording.RecordingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Reads a file of {@link CompareRules}. Whatever is not understood is an error. */
public final class CompareRulesFile {
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final Set<String> OF_RESULTS = Set.of("ignore", "tolerate", "unordered");
    private static final Map<String, Kind> KINDS =
            Arrays.stream(Kind.values())
                    .filter(Kind::fails)
                    .collect(Collectors.toUnmodifiableMap(Kind::code, kind -> kind));

    private final Path file;

    private CompareRulesFile(Path file) {
        this.file = file;
    }

    /**
     * Reads one.
     *
     * @throws RecordingException when the file or a rule is not as it must be
     */
    public static CompareRules read(Path file) {
        return new CompareRulesFile(file).rules();
    }

    private CompareRules rules() {
        JsonNode root;
        try {
            root = YAML.readTree(Files.readString(file));
        } catch (IOException e) {
            throw wrong("cannot be read");
        } catch (JacksonException e) {
            throw wrong("is no YAML");
        }
        if (!root.isObject()) {
            throw wrong("has no rules: write ignore, tolerate, unordered, tools, allow or slower");
        }
        var tools = new HashMap<String, CompareRules.Results>();
        var allowed = new EnumMap<Kind, Integer>(Kind.class);
        double slower = CompareRules.none().slowerFactor();
        for (var field : root.properties()) {
            var value = field.getValue();
            switch (field.getKey()) {
                case "ignore", "tolerate", "unordered" -> {
                    // Below.
                }
                case "tools" ->
                        value.properties()
                                .forEach(tool -> tools.put(tool.getKey(), tool(tool.getValue())));
                case "allow" -> value.properties().forEach(each -> allow(each, allowed));
                case "slower" -> slower = number("slower", value, 1);
                default ->
                        throw wrong(
                                "does not know '"
                                        + field.getKey()
                                        + "': write ignore, tolerate, unordered, tools, allow or"
                                        + " slower");
            }
        }
        return new CompareRules(results(root), tools, allowed, slower);
    }

    private CompareRules.Results tool(JsonNode rules) {
        for (var name : rules.propertyNames()) {
            if (!OF_RESULTS.contains(name)) {
                throw wrong(
                        "does not know '"
                                + name
                                + "' of a tool: write "
                                + "ignore, tolerate or unordered");
            }
        }
        return results(rules);
    }

    private CompareRules.Results results(JsonNode rules) {
        var tolerances = new HashMap<PathPattern, Double>();
        rules.path("tolerate")
                .properties()
                .forEach(
                        each ->
                                tolerances.put(
                                        path(each.getKey()),
                                        number(each.getKey(), each.getValue(), 0)));
        return new CompareRules.Results(
                paths(rules.path("ignore")), tolerances, paths(rules.path("unordered")));
    }

    private List<PathPattern> paths(JsonNode list) {
        var paths = new ArrayList<PathPattern>();
        list.forEach(path -> paths.add(path(path.asString(""))));
        return paths;
    }

    private PathPattern path(String text) {
        try {
            return PathPattern.of(text);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private void allow(Map.Entry<String, JsonNode> each, Map<Kind, Integer> allowed) {
        var kind = KINDS.get(each.getKey());
        if (kind == null || !each.getValue().isInt() || each.getValue().asInt() < 0) {
            throw wrong(
                    "cannot allow '"
                            + each.getKey()
                            + "': write a number for one of "
                            + KINDS.keySet().stream().sorted().collect(Collectors.joining(", ")));
        }
        allowed.put(kind, each.getValue().asInt());
    }

    private double number(String name, JsonNode value, double least) {
        if (!value.isNumber() || value.asDouble() < least) {
            throw wrong("has no number from " + least + " on for '" + name + "'");
        }
        return value.asDouble();
    }

    private RecordingException wrong(String what) {
        return new RecordingException(file + " " + what);
    }
}
