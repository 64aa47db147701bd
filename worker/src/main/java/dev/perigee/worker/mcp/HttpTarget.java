package dev.perigee.worker.mcp;

import dev.perigee.protocol.config.EgressRule;
import dev.perigee.protocol.config.SecretReference;
import dev.perigee.worker.egress.Literals;
import dev.perigee.worker.process.Tenant;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Configured address, headers and query parameters of an HTTP server. Values of headers and
 * parameters are credentials; {@link #toString()} has none. References to secrets are refused by
 * {@link IllegalArgumentException}: a URL would carry one as it is.
 *
 * @param headers sent with each request; those that are MCP's own business are left out
 * @param queryParams added to the URL of each request
 * @param egress what requests are narrowed to, null when they are not
 * @param owner whose share lookups of its name count to
 */
public record HttpTarget(
        String url,
        Map<String, String> headers,
        Map<String, String> queryParams,
        @Nullable List<EgressRule> egress,
        Tenant owner) {
    private static final Set<String> NOT_CONFIGURABLE =
            Set.of(
                    "accept",
                    "content-type",
                    "last-event-id",
                    "mcp-protocol-version",
                    "mcp-session-id");

    /** A target of the worker's own that the fleet's policy holds, and nothing else. */
    public HttpTarget(String url, Map<String, String> headers, Map<String, String> queryParams) {
        this(url, headers, queryParams, null, Tenant.WORKER);
    }

    public HttpTarget {
        var sent = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        sent.putAll(headers);
        sent.keySet().removeIf(name -> NOT_CONFIGURABLE.contains(name.toLowerCase(Locale.ROOT)));
        headers = Map.copyOf(sent);
        queryParams = Map.copyOf(queryParams);
        if (Stream.of(headers, queryParams)
                .flatMap(values -> values.values().stream())
                .anyMatch(value -> SecretReference.in(value) != null)) {
            throw new IllegalArgumentException("a reference to a secret that nobody resolved");
        }
    }

    /** The same, narrowed to these destinations; null where it is not narrowed. */
    public HttpTarget within(@Nullable List<EgressRule> rules) {
        return new HttpTarget(url, headers, queryParams, rules, owner);
    }

    /** The same with this header, whatever was configured by its name. */
    public HttpTarget with(String header, String value) {
        var all = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(headers);
        all.remove(header); // Its name may be written otherwise.
        all.put(header, value);
        return new HttpTarget(url, all, queryParams, egress, owner);
    }

    /**
     * The URL, without the parameters.
     *
     * @throws McpException when it is none that MCP can be spoken with
     */
    URI address() throws McpException {
        try {
            var uri = URI.create(url.strip());
            var scheme = uri.getScheme();
            if (("http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme))
                    && uri.getHost() != null) {
                return uri;
            }
            var host = unusualHost(uri);
            if (host != null) {
                throw unusable(
                        "write " + host + " in the usual form of an address, such as 192.0.2.1");
            }
        } catch (IllegalArgumentException e) {
            // The reason quotes the URL, which may hold credentials.
        }
        throw unusable("correct it");
    }

    private static McpException unusable(String hint) {
        return new McpException(
                McpException.Kind.HTTP_REFUSED,
                false,
                "The configured url is no http or https address: " + hint);
    }

    /** A host that is an address in a form of which no URI is made; null of anything else. */
    private static @Nullable String unusualHost(URI uri) {
        var authority = uri.getRawAuthority();
        if (uri.getHost() != null || authority == null) {
            return null;
        }
        var host = authority.substring(authority.lastIndexOf('@') + 1);
        int port = host.lastIndexOf(':');
        var name = port < 0 ? host : host.substring(0, port);
        return Literals.isAddress(name) ? name : null;
    }

    /** The address with the parameters, those that it has already excepted. */
    URI withParameters(URI address) {
        var query = address.getRawQuery();
        var added = additionalTo(query);
        if (added.isEmpty()) {
            return address;
        }
        var text = new StringBuilder();
        text.append(address.getScheme()).append("://").append(address.getRawAuthority());
        text.append(address.getRawPath()).append('?');
        if (query != null && !query.isEmpty()) {
            text.append(query).append('&');
        }
        return URI.create(text.append(added).toString());
    }

    private String additionalTo(@Nullable String query) {
        var present = query == null ? "" : "&" + query;
        return new TreeMap<>(queryParams)
                .entrySet().stream()
                        .filter(entry -> !present.contains("&" + encoded(entry.getKey()) + "="))
                        .map(entry -> encoded(entry.getKey()) + "=" + encoded(entry.getValue()))
                        .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** The host and the names of headers and parameters. */
    @Override
    public String toString() {
        String host;
        try {
            host = address().getHost();
        } catch (McpException e) {
            host = "?";
        }
        return "HttpTarget[host="
                + host
                + ", headers="
                + headers.keySet()
                + ", queryParams="
                + queryParams.keySet()
                + "]";
    }
}
