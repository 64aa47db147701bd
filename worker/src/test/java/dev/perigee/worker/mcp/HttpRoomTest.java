package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.worker.egress.LocalEgress;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers over HTTP that have to wait for room. */
final class HttpRoomTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final LineRoom room = new LineRoom(ByteBudget.of(1 << 20), PATIENCE.multipliedBy(2));

    /** Has begun a long message. */
    private static final class Other implements LineRoom.Reader {
        @Override
        public boolean pause() {
            return true;
        }

        @Override
        public void resume() {}

        @Override
        public void giveUp(BooleanSupplier due) {}
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--json", "--sse"})
    @DisplayName(
            "an answer for which there is no room is read when there is some, and short ones meanwhile")
    void waitsForRoom(String flags) throws Exception {
        var connections =
                HttpConnections.open(new HttpOptions(PATIENCE, PATIENCE, LocalEgress.POLICY), room);
        try (var server = HttpFixture.start(flags);
                var client = client(server, flags, connections);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(call(client, "echo", "{\"message\":\"one\"}")).contains("one");
            var other = room.open(new Other());
            assertThat(other.keeps(900_000)).isTrue();

            var large = threads.submit(() -> call(client, "big", "{\"bytes\":600000}"));
            await().atMost(PATIENCE).until(() -> room.waiting() == 1);
            if (!flags.equals("--sse")) { // The other transport has all answers in one stream.
                assertThat(call(client, "echo", "{\"message\":\"two\"}")).contains("two");
            }
            assertThat(large.isDone()).isFalse();
            assertThat(room.budget().used()).isLessThan(1_200_000);

            other.close();
            assertThat(large.get()).hasSizeGreaterThan(600_000);
            await().atMost(PATIENCE).until(() -> room.budget().used() == 0);
        } finally {
            connections.close();
        }
    }

    private static String call(McpClient client, String tool, String arguments) throws Exception {
        var params = RawJson.of("{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}");
        return client.request("tools/call", params, PATIENCE).text();
    }

    private static HttpMcpClient client(
            HttpFixture server, String flags, HttpConnections connections) {
        return HttpFixture.client(
                server.url(),
                flags.equals("--sse") ? HttpTransport.SSE : HttpTransport.STREAMABLE,
                connections);
    }
}
