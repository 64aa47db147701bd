package dev.perigee.local.replay;

import dev.perigee.local.masking.SecretField;
import dev.perigee.local.masking.SecretMetadata;
import dev.perigee.protocol.config.ArgumentSecrets;
import dev.perigee.protocol.config.SecretPart;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Edits a server's configuration. Values of env, headers and query parameters are taken for secrets
 * unless their name is known to be harmless; arguments if their flag sounds like a secret's. What
 * {@code secret_metadata} names is a secret in any case.
 */
final class ConfigEditor {
    private static final Set<String> IDENTITY =
            Set.of(
                    "installation_name",
                    "installation_id",
                    "server_slug",
                    "team_id",
                    "team_slug",
                    "user_id",
                    "user_slug",
                    "transport_type",
                    "runtime",
                    "language",
                    "status",
                    "git_commit_sha",
                    "git_branch",
                    "source",
                    "secret_metadata",
                    "args",
                    "env",
                    "headers",
                    "url_query_params");

    /** {@code --name=value}, {@code -name=value} or {@code NAME=value}. */
    private static final Pattern NAMED =
            Pattern.compile("(-{0,2}([A-Za-z][\\w.-]*)=)(.*)", Pattern.DOTALL);

    private static final Pattern FLAG = Pattern.compile("--?([A-Za-z][\\w.-]*)");

    private final TextEditor editor;

    ConfigEditor(TextEditor editor) {
        this.editor = editor;
    }

    void edit(ObjectNode config) {
        var secrets = SecretMetadata.names(config.path("secret_metadata"));
        for (var place : List.of(SecretField.ENV, SecretField.HEADERS, SecretField.QUERY)) {
            if (config.get(place.field()) instanceof ObjectNode values) {
                values(place, values, secrets);
            }
        }
        if (config.get(SecretField.ARGS.field()) instanceof ArrayNode args) {
            arguments(args, secrets);
        }
        new TreeEditor(editor).edit(config, IDENTITY);
    }

    private void values(SecretField place, ObjectNode values, Set<String> secrets) {
        for (var name : List.copyOf(values.propertyNames())) {
            var value = values.path(name);
            if (value.isString() || value.isNumber()) {
                var text = value.asString();
                var edited = editor.value(place, name, text, secrets.contains(name));
                if (!edited.equals(text)) {
                    values.put(name, edited);
                }
            }
        }
    }

    private void arguments(ArrayNode args, Set<String> secrets) {
        var parts = ArgumentSecrets.in(args.valueStream().map(arg -> arg.asString("")).toList());
        String flag = null;
        for (int i = 0; i < args.size(); i++) {
            if (args.get(i).isString() || args.get(i).isNumber()) {
                var text = args.get(i).asString();
                var edited = argument(text, flag, secrets, parts.get(i));
                if (!edited.equals(text)) {
                    args.set(i, edited);
                }
                var isFlag = FLAG.matcher(text);
                flag = isFlag.matches() ? isFlag.group(1) : null;
            }
        }
    }

    private String argument(
            String written, @Nullable String flag, Set<String> secrets, List<SecretPart> parts) {
        // What has the name of a secret is one as a whole, and replaced as the rules say.
        var text =
                isNamedSecret(written, flag, secrets)
                        ? written
                        : SecretPart.replace(written, parts, editor::mask);
        var named = NAMED.matcher(text);
        if (named.matches()) {
            var name = named.group(2);
            return named.group(1) + value(name, named.group(3), secrets.contains(name));
        }
        return flag == null || FLAG.matcher(text).matches()
                ? editor.text(text)
                : value(flag, text, secrets.contains(flag));
    }

    private static boolean isNamedSecret(String text, @Nullable String flag, Set<String> secrets) {
        var named = NAMED.matcher(text);
        var name = named.matches() ? named.group(2) : flag == null ? "" : flag;
        return secrets.contains(name) || SecretField.ARGS.isSecret(name);
    }

    private String value(String name, String value, boolean secret) {
        return editor.value(SecretField.ARGS, name, value, secret);
    }
}
