package dev.perigee.local.connect;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.local.connect.DoorCall.Subject;
import dev.perigee.local.connect.DoorTokens.Holder;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Streamable HTTP of revision 2026-07-28: no sessions, and a question is a reply that asks for a
 * retry. A connection that breaks cancels its request. On the threads of requests.
 */
final class ModernDoor {
    private static final int ACCEPTED = 202;

    private final DoorDesk desk;

    private record Retry(
            @JsonProperty("inputResponses") @Nullable RawJson responses,
            @JsonProperty("requestState") @Nullable RawJson state) {}

    ModernDoor(DoorDesk desk) {
        this.desk = desk;
    }

    /**
     * A message of a client.
     *
     * @param bytes of the body, which a call holds until its end
     */
    void post(
            Holder holder,
            @Nullable String server,
            JsonRpc message,
            byte[] body,
            Places.Place bytes,
            RequestHeaders headers,
            DoorResponse out)
            throws IOException, InterruptedException {
        if (message.id() == null && message.method() != null) {
            out.empty(ACCEPTED); // Closing the stream is what cancels here.
            return;
        }
        var request = ModernMessage.of(message, headers);
        var user = desk.user(holder, server);
        var offer = user.awaitOffer();
        var name = request.name();
        if (request.method().equals("tools/call") && name != null) {
            var tool = offer.find(name);
            if (tool != null) {
                ParameterHeaders.require(request, tool.described(), headers);
            }
        }
        var stream = out.messages();
        var call = begun(user, request, body, bytes, stream);
        try {
            out.reply(ModernReply::status);
        } finally {
            call.gone(stream);
        }
    }

    private DoorCall begun(
            DoorUser user,
            ModernMessage request,
            byte[] body,
            Places.Place bytes,
            MessageStream stream)
            throws InterruptedException {
        var digest = digest(request.params());
        var retry = retry(request);
        var state = JsonObjects.text(retry.state());
        if (state == null) {
            return desk.call(user, request, digest, body, bytes, stream);
        }
        var call = desk.unpark(state, new Subject(user.key(), request.method(), digest));
        if (call == null || !call.resume(request, stream, responses(request, retry))) {
            throw new DoorRefusedException(
                    400,
                    request.id(),
                    Messages.INVALID_PARAMS,
                    "requestState is none of a request of this kind that waits for input");
        }
        return call;
    }

    private static Retry retry(ModernMessage request) {
        try {
            return Json.read(request.params(), Retry.class);
        } catch (InvalidRecordException e) {
            throw wrong(request);
        }
    }

    private static Map<String, RawJson> responses(ModernMessage request, Retry retry) {
        try {
            var responses = retry.responses();
            return responses != null && JsonObjects.isObject(responses)
                    ? JsonObjects.members(responses)
                    : Map.of();
        } catch (InvalidRecordException e) {
            throw wrong(request);
        }
    }

    private static DoorRefusedException wrong(ModernMessage request) {
        return new DoorRefusedException(
                400, request.id(), Messages.INVALID_PARAMS, "The params are not right");
    }

    /** What a retry has to have in common with its request. */
    private static String digest(RawJson params) {
        var members = new TreeMap<>(JsonObjects.members(params));
        members.remove("_meta");
        members.remove("inputResponses");
        members.remove("requestState");
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            members.forEach(
                    (name, value) -> {
                        digest.update(Json.raw(name).bytes());
                        digest.update((byte) ':');
                        digest.update(value.bytes());
                        digest.update("\n".getBytes(StandardCharsets.UTF_8));
                    });
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Every Java has it.
        }
    }
}
