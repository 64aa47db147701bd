package dev.perigee.worker.session;

import static dev.perigee.worker.session.WholeWorker.data;
import static dev.perigee.worker.session.WholeWorker.is;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real servers that begin long answers and do not end them, against a worker with little room. */
final class UnfinishedLinesTest {
    private static final int SERVERS = 60;
    private static final int ANSWER_BYTES = 1 << 20;
    private static final long ROOM_BYTES = 8 << 20;

    /** What each has in any case: its allowance, and what one read of its pipe brings. */
    private static final long EACH_BYTES = 128 << 10;

    @TempDir private Path directory;

    @Test
    @DisplayName(
            "60 servers with an unfinished answer of 1 MiB each have little more than 8 MiB together, others answer"
                    + " meanwhile, and each call is answered in the end")
    void haveOneBound() throws Exception {
        try (var worker =
                new WholeWorker(
                        Map.of(
                                "mcp.unfinished-memory",
                                Long.toString(ROOM_BYTES),
                                "process.parallel-starts",
                                "8"))) {
            var quiet = WholeWorker.stdio("q", "sh", resource("/small.sh"));
            worker.install(quiet, 1);
            var greedy = new ArrayList<ServerConfig>();
            for (int i = 0; i < SERVERS; i++) {
                var config =
                        WholeWorker.stdio(
                                "g" + i,
                                "sh",
                                resource("/unfinished.sh"),
                                directory.toString(),
                                Integer.toString(ANSWER_BYTES));
                worker.install(config, 10 + i);
                greedy.add(config);
            }
            for (int i = 0; i < SERVERS; i++) {
                assertThat(worker.call(greedy.get(i), "long", 100 + i).answered()).isNull();
            }

            await().until(() -> worker.metric("perigee_worker_unfinished_waiting") > SERVERS / 2);
            for (int i = 0; i < 20; i++) {
                assertThat(worker.call(quiet, "pid", 1000 + i).answered()).isNull();
                int calls = i + 1;
                worker.hear(quiet, _ -> answers(worker, quiet) == calls);
                assertThat(used(worker))
                        .isLessThan(ROOM_BYTES + SERVERS * EACH_BYTES + 2 * ANSWER_BYTES);
            }
            assertThat(worker.metric("perigee_worker_unfinished_waiting")).isPositive();

            long all = 2L * SERVERS * ANSWER_BYTES;
            worker.gateway.tell(LinkMethod.CREDIT, new SessionNotice.Credit(Orders.PARTITION, all));
            Files.createFile(directory.resolve("go"));
            worker.hearUntil(() -> greedy.stream().allMatch(each -> answers(worker, each) == 1));
            var outcomes = greedy.stream().map(each -> results(worker, each).getFirst()).toList();
            assertThat(outcomes).contains("success").isSubsetOf("success", "too_large");
            await().until(() -> used(worker) == 0);
            assertThat(worker.metric("perigee_worker_unfinished_waiting")).isZero();
        }
    }

    private static double used(WholeWorker worker) {
        return worker.metric("perigee_worker_unfinished_bytes");
    }

    private static long answers(WholeWorker worker, ServerConfig config) {
        return worker.of(config).stream().filter(event -> is(event, EventType.TOOL_RESULT)).count();
    }

    /** What became of its calls: the outcome, or the error's code. */
    private static List<String> results(WholeWorker worker, ServerConfig config) {
        return worker.of(config).stream()
                .filter(event -> is(event, EventType.TOOL_RESULT))
                .map(
                        event ->
                                data(event)
                                        .path("error")
                                        .path("code")
                                        .asString(data(event).path("outcome").asString("none")))
                .toList();
    }

    private static String resource(String name) throws URISyntaxException {
        var file = Objects.requireNonNull(UnfinishedLinesTest.class.getResource(name));
        return Path.of(file.toURI()).toString();
    }
}
