package dev.perigee.gateway.link;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.LinkVersions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The first exchange on a connection: {@code link/hello}, and whether its answer will do. */
final class Greeting {
    private Greeting() {}

    /** Greets and waits. */
    static Hello.Result exchange(LinkConnection connection, LinkOptions options, Duration atMost)
            throws AttemptFailedException, InterruptedException {
        var exchange = new LinkExchange();
        connection.ask(
                LinkMethod.HELLO,
                Hello.Request.of(options.gatewayId(), LinkVersions.SPOKEN),
                exchange);
        return switch (exchange.await(atMost)) {
            case LinkExchange.Answer.Result(var json) -> checked(json, options.minimumRetention());
            case LinkExchange.Answer.Refusal(var code, var message) ->
                    throw new AttemptFailedException(
                            "the worker refuses the link: " + message + " (" + code + ")",
                            isPermanent(LinkError.of(code)));
            case LinkExchange.Answer.Disconnected() ->
                    throw new AttemptFailedException(
                            "the connection closed before hello: " + connection.closeReason(),
                            false);
            case LinkExchange.Answer.Silence() ->
                    throw new AttemptFailedException("no answer to hello", false);
        };
    }

    private static boolean isPermanent(@Nullable LinkError error) {
        return error != LinkError.OVERLOADED
                && error != LinkError.DRAINING
                && error != LinkError.INTERNAL;
    }

    private static Hello.Result checked(RawJson json, Duration minimumRetention)
            throws AttemptFailedException {
        Hello.Result hello;
        try {
            hello = Json.read(json, Hello.Result.class);
        } catch (InvalidRecordException e) {
            throw new AttemptFailedException(
                    "the worker's hello is not understood: " + e.getMessage(), true);
        }
        var protocol = hello.protocol();
        if (protocol != null && !LinkVersions.SPOKEN.contains(protocol)) {
            throw new AttemptFailedException(
                    "the worker chose version %d of the link, this gateway speaks %s: upgrade the gateway"
                            .formatted(protocol, LinkVersions.SPOKEN),
                    true);
        }
        if (hello.retentionMs() < minimumRetention.toMillis()) {
            throw new AttemptFailedException(
                    "the worker keeps detached sessions for "
                            + hello.retentionMs()
                            + " ms, this gateway's group needs "
                            + minimumRetention.toMillis()
                            + " ms: raise the worker's retention or lower"
                            + " the group's session timeout",
                    true);
        }
        return hello;
    }
}
