package dev.perigee.gateway.link;

import dev.perigee.protocol.access.ScramClient;
import dev.perigee.protocol.access.ScramException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;

/**
 * The first of two requests by which a gateway and a worker prove to each other that they have the
 * same {@code link.token}, which neither sends. The second is the upgrade, see {@link
 * ProvenUpgrade}.
 */
final class LinkLogin {
    private static final int LONGEST_ANSWER_BYTES = 64 << 10;

    private final HttpClient http;
    private final ScramClient scram;

    LinkLogin(HttpClient http, String token) {
        this.http = http;
        this.scram = new ScramClient(token);
    }

    /**
     * What the upgrade shows.
     *
     * @param login knows what the worker has to answer
     */
    record Shown(ScramClient.Login login, String authorization) {
        @Override
        public String toString() {
            return "Shown[(secret)]";
        }
    }

    ScramClient.Login begin() {
        return scram.login();
    }

    /** Asks for the worker's challenge; {@link #met} takes the answer. */
    CompletableFuture<ContentResponse> ask(ScramClient.Login login, URI link, long millis) {
        var request =
                http.newRequest(link)
                        .timeout(millis, TimeUnit.MILLISECONDS)
                        .headers(headers -> headers.put(HttpHeader.AUTHORIZATION, login.first()));
        return new CompletableResponseListener(request, LONGEST_ANSWER_BYTES).send();
    }

    /**
     * Meets the challenge. Takes some milliseconds when the worker is new.
     *
     * @throws AttemptFailedException when there is none that can be met
     */
    static Shown met(ScramClient.Login login, ContentResponse answer)
            throws AttemptFailedException {
        int status = answer.getStatus();
        var challenges = answer.getHeaders().getValuesList(HttpHeader.WWW_AUTHENTICATE);
        if (status == HttpStatus.UNAUTHORIZED_401) {
            try {
                return new Shown(login, login.last(challenges));
            } catch (ScramException e) {
                throw new AttemptFailedException(unusable(e, challenges.toString()), false);
            }
        }
        throw new AttemptFailedException(
                "no link server with a token answers there, but HTTP status "
                        + status
                        + ": set link.token there to this gateway's",
                false);
    }

    private static String unusable(ScramException why, String challenges) {
        return challenges.contains("Bearer")
                ? "what answers there asks for the token itself, which is not sent: update the"
                        + " worker, if it is one, before its gateways"
                : "what answers there gives no proof that it is a worker, so nothing was sent to"
                        + " it: "
                        + why.getMessage();
    }
}
