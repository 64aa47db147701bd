package dev.perigee.gateway.inbound;

import dev.perigee.protocol.config.ArgumentSecrets;
import dev.perigee.protocol.config.OAuthConfig;
import dev.perigee.protocol.config.SecretNames;
import dev.perigee.protocol.config.SecretReference;
import dev.perigee.protocol.config.ServerConfig;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Rule for configurations whose secrets may be given as plain text, or only by reference. A secret
 * is what recordings mask: values of env, headers and query parameters but for names that are known
 * to be harmless, OAuth tokens, and what {@link ArgumentSecrets} finds in arguments, command and
 * URL. Pure.
 */
public enum PlainSecrets {
    /** Plain values are taken. */
    ALLOW,
    /** A configuration with one is refused. */
    FORBID;

    /** Why a configuration is refused, by its first such field and without a value; else null. */
    @Nullable String refusal(ServerConfig config) {
        return switch (this) {
            case ALLOW -> null;
            case FORBID -> {
                var field = plain(config);
                yield field == null
                        ? null
                        : "field %s has a secret as plain text, which secrets.plain=forbid does not"
                                        .formatted(field)
                                + " allow: refer to it by {\"ref\":\"name\"} in env, headers or"
                                + " url_query_params";
            }
        };
    }

    private static @Nullable String plain(ServerConfig config) {
        var field = plain("env", config.env(), SecretNames::isHarmlessVariable);
        field =
                field != null
                        ? field
                        : plain("headers", config.headers(), SecretNames::isHarmlessHeader);
        field =
                field != null
                        ? field
                        : plain(
                                "url_query_params",
                                config.urlQueryParams(),
                                SecretNames::isHarmlessParameter);
        field = field != null ? field : inOAuth(config.oauth());
        return field != null ? field : inText(config);
    }

    /** A code is of no use without the verifier, which never leaves the fleet. */
    private static @Nullable String inOAuth(@Nullable OAuthConfig oauth) {
        return oauth != null && oauth.withoutAnswer().secrets().findAny().isPresent()
                ? "config.oauth"
                : null;
    }

    private static @Nullable String plain(
            String place, Map<String, String> values, Predicate<String> isHarmless) {
        for (var entry : values.entrySet()) {
            var value = entry.getValue();
            if (!value.isEmpty()
                    && SecretReference.in(value) == null
                    && !isHarmless.test(entry.getKey())) {
                return "config." + place + "." + entry.getKey();
            }
        }
        return null;
    }

    private static @Nullable String inText(ServerConfig config) {
        var args = ArgumentSecrets.in(config.args());
        for (int i = 0; i < args.size(); i++) {
            if (!args.get(i).isEmpty()) {
                return "config.args[" + i + "]";
            }
        }
        if (hasSecret(config.command())) {
            return "config.command";
        }
        return hasSecret(config.url()) ? "config.url" : null;
    }

    private static boolean hasSecret(@Nullable String text) {
        return text != null && !ArgumentSecrets.in(List.of(text)).getFirst().isEmpty();
    }
}
