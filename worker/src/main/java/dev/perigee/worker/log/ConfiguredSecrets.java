package dev.perigee.worker.log;

import dev.perigee.protocol.config.ArgumentSecrets;
import dev.perigee.protocol.config.SecretReference;
import dev.perigee.protocol.config.ServerConfig;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Secrets of a configuration: the values of its environment, headers and query parameters, what its
 * URL has before the host and after the question mark, its tokens, and of its arguments what {@link
 * ArgumentSecrets} finds, also where the command is a whole line. Each as it is written and as it
 * is in a URL. Pure.
 */
final class ConfiguredSecrets {
    private static final Pattern SCHEME = Pattern.compile("(?i:bearer|basic|token)\\s++(.+)");
    private static final Pattern CREDENTIALS = Pattern.compile("^[^/?#]*//([^/?#]*)@");
    private static final Pattern QUERY_VALUE = Pattern.compile("[?&][^=&#]*=([^&#]*)");

    private ConfiguredSecrets() {}

    static Stream<String> of(ServerConfig config) {
        var values =
                Stream.of(config.env(), config.headers(), config.urlQueryParams())
                        .flatMap(map -> map.values().stream())
                        .filter(value -> SecretReference.in(value) == null);
        var url = config.url();
        var command = config.command();
        var oauth = config.oauth();
        return Stream.of(
                        values,
                        oauth == null ? Stream.<String>empty() : oauth.secrets(),
                        config.headers().values().stream().flatMap(ConfiguredSecrets::ofHeader),
                        ArgumentSecrets.values(config.args()),
                        command == null
                                ? Stream.<String>empty()
                                : ArgumentSecrets.values(List.of(command)),
                        url == null ? Stream.<String>empty() : ofUrl(url))
                .flatMap(each -> each)
                .distinct() // One value may be configured many times.
                .flatMap(ConfiguredSecrets::encoded);
    }

    /** Values by themselves, each of which may be of a header. */
    static Stream<String> ofValues(Collection<String> values) {
        return values.stream()
                .flatMap(value -> Stream.concat(Stream.of(value), ofHeader(value)))
                .distinct()
                .flatMap(ConfiguredSecrets::encoded);
    }

    private static Stream<String> encoded(String value) {
        var form = URLEncoder.encode(value, StandardCharsets.UTF_8);
        return Stream.of(value, form, form.replace("+", "%20")).distinct();
    }

    /** What follows the scheme of an {@code Authorization}, such as Bearer. */
    private static Stream<String> ofHeader(String value) {
        var credentials = SCHEME.matcher(value);
        return credentials.matches() ? Stream.of(credentials.group(1)) : Stream.empty();
    }

    private static Stream<String> ofUrl(String url) {
        var parts = Stream.<String>builder();
        var credentials = CREDENTIALS.matcher(url);
        if (credentials.find()) {
            var text = credentials.group(1);
            parts.add(text);
            parts.add(text.substring(text.indexOf(':') + 1));
        }
        QUERY_VALUE.matcher(url).results().forEach(found -> parts.add(found.group(1)));
        return parts.build().flatMap(part -> Stream.of(part, decoded(part)));
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }
}
