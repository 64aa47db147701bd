package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.connect.Action.Send;
import dev.perigee.local.connect.DoorCall.Subject;
import dev.perigee.local.connect.DoorTokens.Holder;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.LogLevel;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@DisplayName("CAL-20: a call without a session")
final class DoorCallTest {
    private static final RawJson PARAMS = RawJson.of("{\"message\":\"Which room?\"}");

    private final AtomicInteger states = new AtomicInteger();
    private final Places places = new Places(1, 1);
    private final Places bytes = new Places(100, 200);
    private final MessageStream first = stream();
    private final DoorCall call =
            new DoorCall(
                    new Subject(new DoorUser.Key(new Holder("t1", "u1"), null), "tools/call", "d"),
                    RawJson.of("1"),
                    first,
                    _ -> "state-" + states.incrementAndGet(),
                    Objects.requireNonNull(places.take("u1")),
                    bytes.none("u1"));

    private static MessageStream stream() {
        return new MessageStream(new Places(9_999, 9_999).none("u1"));
    }

    private void ask(String name, int id) {
        call.send(
                Send.question(
                        RawJson.of("1"),
                        name,
                        Messages.request(id, ClientAbilities.ELICIT, PARAMS)));
    }

    private static ModernMessage retry(
            String id, @Nullable LogLevel level, @Nullable String token) {
        return new ModernMessage(
                RawJson.of(id),
                "tools/call",
                RawJson.EMPTY_OBJECT,
                "a",
                ClientAbilities.NONE,
                level,
                token == null ? null : RawJson.of(token));
    }

    private static ModernMessage retry(String id) {
        return retry(id, null, null);
    }

    private static JsonNode next(MessageStream stream) throws InterruptedException {
        var item = stream.poll(Duration.ZERO);
        assertThat(item).isNotNull();
        return Json.tree(Objects.requireNonNull(item.send()).message().bytes());
    }

    private void replies(String result) {
        call.send(
                Send.reply(RawJson.of("1"), Messages.result(RawJson.of("1"), RawJson.of(result))));
        call.flush();
    }

    @Test
    @DisplayName("asks by a reply, under the names that the server gave")
    void asks() throws Exception {
        ask("room", 1);
        ask("floor", 2);
        call.flush();

        var asked = next(first);
        assertThat(asked.path("id").asInt(0)).isEqualTo(1);
        assertThat(asked.at("/result/resultType").asString("")).isEqualTo("input_required");
        assertThat(asked.at("/result/requestState").asString("")).isEqualTo("state-1");
        assertThat(asked.at("/result/inputRequests").propertyNames())
                .containsExactly("room", "floor");
        assertThat(asked.at("/result/inputRequests/room/method").asString(""))
                .isEqualTo(ClientAbilities.ELICIT);
    }

    @Test
    @DisplayName("asks again for what a retry does not answer, by another state")
    void asksAgain() throws Exception {
        ask("room", 1);
        call.flush();
        var retry = stream();

        assertThat(
                        call.resume(
                                retry("2"),
                                retry,
                                Map.of("other", RawJson.EMPTY_OBJECT, "room", RawJson.of("5"))))
                .isTrue();

        var asked = next(retry);
        assertThat(asked.path("id").asInt(0)).isEqualTo(2);
        assertThat(asked.at("/result/requestState").asString("")).isEqualTo("state-2");
    }

    @Test
    @DisplayName("keeps a reply that comes while it waits, and its place until then")
    void keeps() throws Exception {
        ask("room", 1);
        call.flush();
        replies("{\"content\":[]}");
        assertThat(places.taken()).isEqualTo(1);
        assertThat(bytes.taken()).isPositive();
        var retry = stream();

        assertThat(call.resume(retry("\"b\""), retry, Map.of())).isTrue();

        var reply = next(retry);
        assertThat(reply.path("id").asString("")).isEqualTo("b");
        assertThat(reply.at("/result/resultType").asString("")).isEqualTo("complete");
        assertThat(places.taken()).isZero();
        assertThat(bytes.taken()).isZero();
    }

    @Test
    @DisplayName("does not keep a reply for which there is no room")
    void tooMuch() throws Exception {
        ask("room", 1);
        call.flush();
        replies("{\"content\":[\"" + "x".repeat(100) + "\"]}");
        var retry = stream();

        assertThat(call.resume(retry("2"), retry, Map.of())).isTrue();

        assertThat(next(retry).at("/error/message").asString("")).contains("too much");
        assertThat(bytes.taken()).isZero();
    }

    @Test
    @DisplayName("says so where too much is on its way for a reply, which its stream counts")
    void tooSlow() throws Exception {
        var replies = new Places(999, 999);
        var stream = new MessageStream(replies.none("u1"));
        var reply = Messages.result(RawJson.of("1"), RawJson.of("\"" + "x".repeat(500) + "\""));

        stream.add(Send.reply(RawJson.of("1"), reply));
        stream.add(Send.reply(RawJson.of("2"), reply));

        assertThat(replies.taken()).isEqualTo(reply.size());
        assertThat(next(stream).has("result")).isTrue();
        var refused = next(stream);
        assertThat(refused.path("id").asInt(0)).isEqualTo(2);
        assertThat(refused.at("/error/message").asString("")).contains("too much");
    }

    private void notes(String method, String params) {
        call.send(
                Send.note(
                        RawJson.of("1"),
                        Messages.notification(
                                method, Map.copyOf(JsonObjects.members(RawJson.of(params))))));
    }

    /** Takes what the client answers, and is never started. */
    @SuppressWarnings("NullAway") // Nothing is called.
    private SessionThread thread() {
        var options = new ConnectOptions("t1", "u1", null, Duration.ofMinutes(1), "1");
        return new SessionThread(
                new McpSession(options, true, () -> "r"),
                null,
                options.key(),
                call,
                _ -> {},
                () -> {});
    }

    @Test
    @DisplayName("tells who asked last of progress and messages, as that request wants them")
    void tells() throws Exception {
        notes("notifications/progress", "{\"progressToken\":\"a\",\"progress\":1}");
        assertThat(next(first).at("/params/progressToken").asString("")).isEqualTo("a");
        call.begin(thread());
        ask("room", 1);
        call.flush();
        var second = stream();
        assertThat(
                        call.resume(
                                retry("2", LogLevel.WARNING, "\"c\""),
                                second,
                                Map.of("room", RawJson.EMPTY_OBJECT)))
                .isTrue();

        notes("notifications/progress", "{\"progressToken\":\"a\",\"progress\":2}");
        notes("notifications/message", "{\"level\":\"info\"}");
        notes("notifications/message", "{\"level\":\"error\"}");

        assertThat(next(second).at("/params/progressToken").asString("")).isEqualTo("c");
        assertThat(next(second).at("/params/level").asString("")).isEqualTo("error");
    }

    @Test
    @DisplayName("answers with an error where the fleet will not, such as when the door ends")
    void over() throws Exception {
        call.over();

        assertThat(next(first).at("/error/code").asInt(0)).isEqualTo(Messages.INTERNAL_ERROR);
        assertThat(places.taken()).isZero();
    }

    @Test
    @DisplayName("ends with the connection that it answers on")
    void ends() throws Exception {
        call.gone(stream());
        assertThat(places.taken()).isEqualTo(1);

        call.gone(first);
        call.over();

        assertThat(places.taken()).isZero();
        assertThat(first.poll(Duration.ZERO)).isNull();
        assertThat(call.resume(retry("2"), stream(), Map.of())).isFalse();
    }
}
