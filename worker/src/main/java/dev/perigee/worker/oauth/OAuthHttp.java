package dev.perigee.worker.oauth;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.PolicedRequests;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Requests of OAuth, whose answers are JSON objects. Blocks; for one thread. */
final class OAuthHttp {
    private static final int OK = 200;
    private static final int BUSY = 429;
    private static final int SERVER_FAULT = 500;

    private final PolicedRequests requests;

    OAuthHttp(PolicedRequests requests) {
        this.requests = requests;
    }

    /** The document at an address, null where it has none. */
    @Nullable JsonNode document(URI address) throws OAuthException, InterruptedException {
        var answer =
                send(HttpRequest.newBuilder(address).header("Accept", "application/json").build());
        if (isBusy(answer.status())) {
            throw OAuthException.unanswered("Its metadata cannot be had: HTTP " + answer.status());
        }
        return answer.status() == OK ? object(answer.body()) : null;
    }

    /**
     * What a form is answered with.
     *
     * @param user who sends it, by HTTP Basic with the secret; null without
     */
    JsonNode post(URI address, Map<String, String> form, @Nullable String user, String secret)
            throws OAuthException, InterruptedException {
        var request =
                HttpRequest.newBuilder(address)
                        .header("Accept", "application/json")
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(encoded(form)));
        if (user != null) {
            var pair = encoded(user) + ":" + encoded(secret);
            var basic = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
            request.header("Authorization", "Basic " + basic);
        }
        var answer = send(request.build());
        if (isBusy(answer.status())) {
            throw OAuthException.unanswered(
                    "The authorization server cannot answer now (HTTP %d)"
                            .formatted(answer.status()));
        }
        int status = answer.status();
        // Which status a no has depends on the server; some say it with 200.
        var body = status == OK || status / 100 == 4 ? object(answer.body()) : null;
        var error = body == null ? null : text(body, "error");
        if (error != null && OAuthException.isRefusal(error)) {
            throw OAuthException.answered(status, error);
        }
        if (body == null || error != null || status != OK) {
            throw OAuthException.refused(
                    "The authorization server's answer is none of OAuth (HTTP " + status + ")");
        }
        return body;
    }

    private static boolean isBusy(int status) {
        return status == BUSY || status >= SERVER_FAULT;
    }

    private PolicedRequests.Answer send(HttpRequest request)
            throws OAuthException, InterruptedException {
        try {
            return requests.send(request);
        } catch (McpException e) {
            if (e.kind() == McpException.Kind.EGRESS_REFUSED) {
                throw OAuthException.refused(String.valueOf(e.getMessage()));
            }
            throw OAuthException.unanswered(
                    "No answer from " + request.uri().getHost() + " about authorization");
        }
    }

    private static @Nullable JsonNode object(byte[] body) {
        try {
            var tree = Json.tree(body);
            return tree.isObject() ? tree : null;
        } catch (InvalidRecordException e) {
            return null;
        }
    }

    /** A member that is a text, null where there is none. */
    static @Nullable String text(JsonNode of, String name) {
        var member = of.path(name);
        return member.isString() && !member.asString().isEmpty() ? member.asString() : null;
    }

    /** Parameters of a form or a query. */
    static String encoded(Map<String, String> form) {
        return form.entrySet().stream()
                .map(entry -> encoded(entry.getKey()) + "=" + encoded(entry.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
