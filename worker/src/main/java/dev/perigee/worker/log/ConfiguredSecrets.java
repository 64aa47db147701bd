package dev.perigee.worker.log;

import dev.perigee.protocol.config.ServerConfig;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What of a configuration counts as a secret: the values of its environment, headers and query
 * parameters, what its URL has before the host and after the question mark, and those arguments
 * whose flag says so, such as {@code --api-key VALUE} or {@code --token=VALUE}. Pure.
 */
final class ConfiguredSecrets {
    private static final Pattern FLAG =
            Pattern.compile(
                    "--?[\\w.-]*(key|token|secret|passw|pwd|credential|auth)[\\w.-]*",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern CREDENTIALS = Pattern.compile("^[^/?#]*//([^/?#]*)@");
    private static final Pattern QUERY_VALUE = Pattern.compile("[?&][^=&#]*=([^&#]*)");

    private ConfiguredSecrets() {}

    static Stream<String> of(ServerConfig config) {
        var values =
                Stream.of(config.env(), config.headers(), config.urlQueryParams())
                        .flatMap(map -> map.values().stream());
        var url = config.url();
        return Stream.of(
                        values,
                        ofArguments(config.args()),
                        url == null ? Stream.<String>empty() : ofUrl(url))
                .flatMap(each -> each);
    }

    private static Stream<String> ofArguments(List<String> args) {
        var found = Stream.<String>builder();
        boolean announced = false;
        for (var arg : args) {
            int equals = arg.indexOf('=');
            if (equals > 0 && FLAG.matcher(arg.substring(0, equals)).matches()) {
                found.add(arg.substring(equals + 1));
            } else if (announced && !arg.startsWith("-")) {
                found.add(arg);
            }
            announced = FLAG.matcher(arg).matches();
        }
        return found.build();
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
