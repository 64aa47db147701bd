package dev.perigee.local.cli;

import dev.perigee.protocol.config.ArgumentSecrets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Hides what may be a credential in the value of a command or request: everything below env,
 * headers, url_query_params and secret_metadata, what is below a name that says so, an argument
 * that sets such a name, what {@link ArgumentSecrets} finds in arguments, and the user and query of
 * URLs. Pure.
 */
public final class CredentialMask {
    /** What is shown in place of a secret. */
    public static final String MASK = "***";

    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final Set<String> SECRET =
            Set.of("env", "headers", "url_query_params", "secret_metadata");
    private static final Pattern TELLING =
            Pattern.compile("pass(word|wd|phrase)?|secret|token|api.?key|credential|auth");
    private static final Pattern OPTION = Pattern.compile("(-{0,2}([^=\\s]+)=).+");
    private static final Pattern URL_USER = Pattern.compile("(\\w+://)[^/@\\s]+@");
    private static final Pattern URL_QUERY = Pattern.compile("(\\w+://[^?\\s]*\\?)\\S+");

    private CredentialMask() {}

    /** Whether a name says that what it has is a secret. */
    public static boolean isTelling(String name) {
        return TELLING.matcher(name.toLowerCase(Locale.ROOT)).find();
    }

    /** The value without secrets, null when it is no JSON and so cannot be told apart. */
    public static @Nullable JsonNode masked(byte[] value) {
        try {
            var tree = MAPPER.readTree(value);
            return tree.isMissingNode() ? null : masked(tree, false);
        } catch (JacksonException e) {
            return null;
        }
    }

    private static JsonNode masked(JsonNode node, boolean secret) {
        return switch (node) {
            case ObjectNode object -> {
                for (Map.Entry<String, JsonNode> field : object.properties()) {
                    var name = field.getKey();
                    var hides = secret || SECRET.contains(name) || isTelling(name);
                    field.setValue(masked(field.getValue(), hides));
                }
                yield object;
            }
            case ArrayNode array -> {
                maskArguments(array);
                for (var i = 0; i < array.size(); i++) {
                    var before = i == 0 ? "" : array.get(i - 1).asString("");
                    var follows = before.startsWith("-") && isTelling(before);
                    array.set(i, masked(array.get(i), secret || follows));
                }
                yield array;
            }
            default -> scalar(node, secret);
        };
    }

    /** Its texts may be the arguments of a program. */
    private static void maskArguments(ArrayNode array) {
        var texts = array.valueStream().map(each -> each.asString("")).toList();
        var masked = ArgumentSecrets.masked(texts, MASK);
        for (var i = 0; i < array.size(); i++) {
            if (array.get(i).isString()) {
                array.set(i, MAPPER.getNodeFactory().stringNode(masked.get(i)));
            }
        }
    }

    private static JsonNode scalar(JsonNode node, boolean secret) {
        if (secret) {
            return node.isNull() ? node : MAPPER.getNodeFactory().stringNode(MASK);
        }
        if (!node.isString()) {
            return node;
        }
        var text = node.asString();
        var option = OPTION.matcher(text);
        if (option.matches() && isTelling(option.group(2))) {
            return MAPPER.getNodeFactory().stringNode(option.group(1) + MASK);
        }
        var url = URL_USER.matcher(text).replaceAll("$1" + MASK + "@");
        return MAPPER.getNodeFactory().stringNode(URL_QUERY.matcher(url).replaceAll("$1" + MASK));
    }
}
