package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("OPS-07: the topic usage")
final class UsageTest {
    /** Uses the processor for so long, says how much of it it used in all, fails. */
    private static final String SERVER =
            """
            const spent = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
            const tools = {
              burn: (a) => { const end = spent() + a.ms; while (spent() < end); return 'burnt'; },
              spent: () => String(spent()),
              fail: () => { throw new Error('as ordered'); },
            };
            const answer = (method, params) => {
              if (method === 'initialize') return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'burner', version: '1' } };
              if (method === 'tools/list') return { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) };
              if (method !== 'tools/call') return {};
              try { return { content: [{ type: 'text', text: tools[params.name](params.arguments) }] }; }
              catch (e) { return { content: [{ type: 'text', text: e.message }], isError: true }; }
            };
            let rest = '';
            process.stdin.setEncoding('utf8').on('data', (chunk) => {
              const lines = (rest + chunk).split('\\n');
              rest = lines.pop();
              for (const { id, method, params } of lines.map((line) => JSON.parse(line)))
                if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) }) + '\\n');
            }).on('end', () => process.exit(0));
            """;

    @TempDir private Path folder;
    private final List<Received> answers = new ArrayList<>();
    private double spentMs;

    @Test
    @DisplayName("has all that a server used that was moved, restarted and removed, once")
    void sumsAgree() throws Exception {
        try (var fleet = FleetUnderTest.named("usage").workers(2).start()) {
            var program = Files.writeString(folder.resolve("burner.mjs"), SERVER);
            var began = Instant.now();
            var backend = fleet.backend();
            var server =
                    backend.install(
                            fleet.placing()
                                    .on(
                                            1,
                                            () ->
                                                    Installation.of(
                                                            "burner",
                                                            Fixtures.NODE,
                                                            List.of(program.toString()))));
            call(backend, server, "fail", "{}");
            use(backend, server, 1500);
            var drain = new Drains(fleet).of(1, "--timeout", "50s");
            assertThat(drain.awaitExit()).as(drain.output()).isZero();
            use(backend, server, 1000);
            backend.result(backend.command(server, "restart", UnaryOperator.identity()));
            use(backend, server, 500);
            backend.uninstall(server);

            fleet.records()
                    .awaitAll(
                            all -> sum(usage(all, server), "calls") >= answers.size(),
                            Records.PATIENCE);
            var records = usage(fleet.records().on(Topic.USAGE), server);
            var ended = Instant.now();

            assertThat(sum(records, "calls")).isEqualTo(answers.size());
            assertThat(sum(records, "errors")).isOne();
            assertThat(sum(records, "response_bytes")).isEqualTo(bytesOfResults());
            assertThat(sum(records, "request_bytes")).isPositive();
            assertThat(sum(records, "cpu_ms") / spentMs).isBetween(0.95, 1.05);
            assertThat(sum(records, "awake_ms"))
                    .isBetween(3000L, Duration.between(began, ended).toMillis());
            assertThat(records.stream().map(each -> each.text("worker_id")).distinct())
                    .containsExactlyInAnyOrder(fleet.workerId(1), fleet.workerId(2));
            assertThat(records).allSatisfy(each -> isWellFormed(each, server));
        }
    }

    /** Some calls, the last of which says what the process used until then. */
    private void use(Backend backend, Installation server, int burnMs) {
        call(backend, server, "burn", "{\"ms\":%d}".formatted(burnMs));
        var spent = call(backend, server, "spent", "{}");
        spentMs += Double.parseDouble(spent.text("result/content/0/text"));
    }

    private Received call(Backend backend, Installation server, String tool, String arguments) {
        var answer = backend.call(server, tool, arguments);
        answers.add(answer);
        return answer;
    }

    /** An error that the server says is a result, too. */
    private long bytesOfResults() {
        return answers.stream()
                .mapToLong(each -> Json.write(each.json().path("result")).length)
                .sum();
    }

    /** Each once, as a consumer that bills does it. */
    private static Collection<Received> usage(List<Received> all, Installation server) {
        var once = new LinkedHashMap<String, Received>();
        for (var each : all) {
            if (each.topic().equals(Topic.USAGE.suffix())
                    && each.key().equals(server.processId())) {
                once.putIfAbsent(each.header("ce_id"), each);
            }
        }
        return once.values();
    }

    private static long sum(Collection<Received> records, String field) {
        return records.stream().mapToLong(each -> each.json().path(field).asLong()).sum();
    }

    private static void isWellFormed(Received record, Installation server) {
        assertThat(record.text("event")).isEqualTo("mcp.server.usage");
        assertThat(record.header("ce_type")).isEqualTo("mcp.server.usage");
        assertThat(record.text("team_id")).isEqualTo(server.teamId());
        assertThat(record.text("user_id")).isEqualTo(server.userId());
        assertThat(record.text("installation_id")).isEqualTo(server.installationId());
        assertThat(record.text("server_slug")).isEqualTo(server.serverSlug());
        var from = Instant.parse(record.text("from"));
        assertThat(from.getEpochSecond() % 60).isZero();
        assertThat(Instant.parse(record.text("to"))).isAfter(from);
    }
}
