package dev.perigee.local.replay;

import dev.perigee.local.masking.SecretField;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Reads a file of {@link Rules}. Secrets are not written there: a rule names the environment
 * variable or the file that has one. Anything that is not understood is an error, so that a
 * misspelt rule does not leave a secret in its place.
 */
public final class RulesFile {
    private static final YAMLMapper YAML = new YAMLMapper();

    private final Path file;
    private final UnaryOperator<@Nullable String> environment;
    private final Map<String, String> shape = new TreeMap<>();

    private RulesFile(Path file, UnaryOperator<@Nullable String> environment) {
        this.file = file;
        this.environment = environment;
    }

    /**
     * Reads the rules and the secrets that they name.
     *
     * @throws ReplayException when the file, a rule, a variable or a file of a secret is not as it
     *     must be
     */
    public static Rules read(Path file) {
        return read(file, System::getenv);
    }

    static Rules read(Path file, UnaryOperator<@Nullable String> environment) {
        return new RulesFile(file, environment).rules();
    }

    private Rules rules() {
        JsonNode root;
        try {
            root = YAML.readTree(Files.readString(file));
        } catch (IOException e) {
            throw wrong("cannot be read");
        } catch (JacksonException e) {
            var at = e.getLocation();
            throw wrong(at == null ? "is no YAML" : "is no YAML at line " + at.getLineNr());
        }
        if (root.isMissingNode() || root.isNull()) {
            return Rules.none();
        }
        known(root, "", List.of("teams", "secrets", "servers", "hosts", "unmapped_hosts"));
        var servers = new HashMap<String, Map<SecretField, Map<String, Replacement>>>();
        each(root, "servers", (slug, rules) -> servers.put(slug, places("servers." + slug, rules)));
        return new Rules(
                texts(root, "teams"),
                root.has("secrets") ? places("secrets", root.get("secrets")) : Map.of(),
                servers,
                new HostRules(lowerCase(texts(root, "hosts")), masksOthers(root)),
                fingerprint(),
                null,
                null);
    }

    private boolean masksOthers(JsonNode root) {
        var rule = root.path("unmapped_hosts").asString("keep");
        shape.put("unmapped_hosts", rule);
        return switch (rule) {
            case "keep" -> false;
            case "mask" -> true;
            default -> throw wrong("unmapped_hosts is keep or mask");
        };
    }

    private Map<SecretField, Map<String, Replacement>> places(String path, JsonNode rules) {
        known(rules, path, List.of("env", "headers", "url_query_params", "args"));
        var places = new EnumMap<SecretField, Map<String, Replacement>>(SecretField.class);
        for (var place : SecretField.values()) {
            var byName = new HashMap<String, Replacement>();
            each(
                    rules,
                    place.field(),
                    (name, rule) -> {
                        var key =
                                place == SecretField.HEADERS ? name.toLowerCase(Locale.ROOT) : name;
                        byName.put(key, replacement(path + "." + place.field() + "." + name, rule));
                    });
            places.put(place, Map.copyOf(byName));
        }
        return places;
    }

    private Replacement replacement(String path, JsonNode rule) {
        shape.put(path, rule.isObject() && rule.has("value") ? "value" : rule.toString());
        if (rule.isString()) {
            return switch (rule.asString()) {
                case "mask" -> new Replacement.Mask();
                case "keep" -> new Replacement.Keep();
                default ->
                        throw wrong(
                                path + " is mask, keep, or one of {env: }, {file: }, {value: }");
            };
        }
        known(rule, path, List.of("env", "file", "value"));
        if (rule.size() != 1) {
            throw wrong(path + " has exactly one of env, file and value");
        }
        if (rule.has("env")) {
            var name = text(rule, path, "env");
            var value = environment.apply(name);
            if (value == null) {
                throw wrong(path + " names the variable " + name + ", which is not set");
            }
            return new Replacement.Value(value);
        }
        return new Replacement.Value(
                rule.has("file")
                        ? contents(path, text(rule, path, "file"))
                        : text(rule, path, "value"));
    }

    private String contents(String path, String name) {
        try {
            var parent = file.toAbsolutePath().getParent();
            return Files.readString(parent == null ? Path.of(name) : parent.resolve(name)).strip();
        } catch (IOException e) {
            throw wrong(path + " names the file " + name + ", which cannot be read");
        }
    }

    private String text(JsonNode rule, String path, String field) {
        var value = rule.path(field);
        if (!value.isString() && !value.isNumber() && !value.isBoolean()) {
            throw wrong(path + "." + field + " is not a text");
        }
        return value.asString();
    }

    private Map<String, String> texts(JsonNode root, String field) {
        var texts = new TreeMap<String, String>();
        each(root, field, (from, to) -> texts.put(from, text(root.get(field), field, from)));
        shape.put(field, texts.toString());
        return texts;
    }

    private static Map<String, String> lowerCase(Map<String, String> hosts) {
        var lower = new HashMap<String, String>();
        hosts.forEach((from, to) -> lower.put(from.toLowerCase(Locale.ROOT), to));
        return lower;
    }

    private void each(JsonNode parent, String field, BiConsumer<String, JsonNode> action) {
        var node = parent.path(field);
        if (node.isMissingNode() || node.isNull()) {
            return;
        }
        if (!node.isObject()) {
            throw wrong(field + " is no map");
        }
        node.properties().forEach(entry -> action.accept(entry.getKey(), entry.getValue()));
    }

    private void known(JsonNode node, String path, List<String> names) {
        if (!node.isObject()) {
            throw wrong((path.isEmpty() ? "the document" : path) + " is no map");
        }
        for (var name : node.propertyNames()) {
            if (!names.contains(name)) {
                throw wrong(
                        (path.isEmpty() ? name : path + "." + name)
                                + " is no rule: there are "
                                + String.join(", ", names));
            }
        }
    }

    private String fingerprint() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            var hash = digest.digest(shape.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private ReplayException wrong(String what) {
        return ReplayException.usage("--rewrite " + file + ": " + what);
    }
}
