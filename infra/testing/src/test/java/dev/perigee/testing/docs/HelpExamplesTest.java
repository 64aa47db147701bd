package dev.perigee.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.local.cli.Perigee;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs the examples of all commands against one fleet, a second one to replay to, and a cluster
 * without a fleet; see {@link ExampleWorld}. What ends by Ctrl-C only is ended when it is ready. A
 * run of {@code bench} takes minutes: its examples are parsed only, by BenchHelpTest. In the
 * default lane HelpExamplesParseTest parses all.
 */
@Tag("long")
@DisplayName("Every example of every --help runs")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HelpExamplesTest {
    /**
     * What is to be there is made first, what others need is taken away last. Only replays need the
     * second fleet.
     */
    private static final List<String> ORDER =
            List.of(
                    "dev",
                    "topics",
                    "apply",
                    "bisect",
                    "replay",
                    "recording",
                    "status",
                    "describe",
                    "top",
                    "usage",
                    "call",
                    "cancel",
                    "connect",
                    "door",
                    "shell",
                    "trace",
                    "tools",
                    "restart",
                    "recover",
                    "disable-tool",
                    "enable-tool",
                    "block",
                    "unblock",
                    "audit",
                    "logs",
                    "events",
                    "backup",
                    "restore",
                    "drain",
                    "upgrade",
                    "dead-letters",
                    "redrive",
                    "acls",
                    "completion",
                    "broker",
                    "worker",
                    "gateway",
                    "demo",
                    "delete",
                    "erase");

    private static final List<String> PARTS = List.of("dev", "broker", "worker", "gateway", "door");
    private static final Pattern FOLLOWS = Pattern.compile(" (-f|--watch)\\b");
    private static final Pattern READY =
            Pattern.compile("^ready (broker|worker|gateway|door)", Pattern.MULTILINE);
    private static final String ALL_READY = "All parts are ready";
    private static final Pattern ID_OF_WORKER = Pattern.compile("worker-2-[0-9a-f]+");
    private static final Pattern SECOND_WORKER =
            Pattern.compile("^ready worker-2 .*admin=(\\S+)", Pattern.MULTILINE);

    /** Workers that are not said to do without. */
    private static final Pattern JAILED =
            Pattern.compile("isolation\\.mode=auto|perigee worker (?!--config)");

    /** Brokers and gateways refuse what the reader has for workers. */
    private static final String NO_WORKER = "-u PERIGEE_WORKER_CACHE_DIRECTORY ";

    /** DocumentationTest runs it. */
    private static final String OF_README = "perigee demo";

    private static final String FLEET = "perigee dev --workers 2 --gateways 2 --kafka-port 9092";
    private static final String STAGING = "perigee dev";
    private static final String INSTALL = "apply infra/local/examples/everything.json";
    private static final String RESTART = "restart --team t1 --user u1 abc123";
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final JsonMapper json = new JsonMapper();
    private Reader reader;
    private ExampleWorld world;

    @BeforeAll
    void open(@TempDir Path folder) throws IOException {
        reader = Reader.in(folder, "help");
        world = ExampleWorld.around(reader, folder);
    }

    @AfterAll
    void close() throws IOException {
        try {
            reader.close();
        } finally {
            if (world != null) {
                world.close();
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> examples() {
        return all().filter(each -> !isJailed(each))
                .map(each -> dynamicTest(each.toString(), () -> run(each)));
    }

    @TestFactory
    @Tag(NeedsProgram.TAG)
    Stream<DynamicTest> jailedExamples(TestInfo test) {
        return all().filter(HelpExamplesTest::isJailed)
                .map(
                        each ->
                                dynamicTest(
                                        each.toString(),
                                        () -> {
                                            Program.BUBBLEWRAP.require(test);
                                            run(each);
                                        }));
    }

    private static boolean isJailed(HelpExample example) {
        return JAILED.matcher(example.line()).find();
    }

    private static Stream<HelpExample> all() {
        var nowhere = new PrintWriter(new StringWriter());
        var all = HelpExample.of(Perigee.commandLine(nowhere, nowhere));
        assertThat(all).hasSizeGreaterThan(40).allMatch(each -> ORDER.contains(each.runs()));
        assertThat(all).extracting(HelpExample::line).contains(FLEET, STAGING);
        assertThat(all).anyMatch(HelpExamplesTest::isJailed);
        assertThat(all).anyMatch(each -> each.line().contains("  # "));
        assertThat(all).anyMatch(each -> each.line().contains("\\\n"));
        return all.stream()
                .filter(each -> !each.line().equals(OF_README))
                .sorted(
                        Comparator.comparing((HelpExample each) -> !each.line().equals(FLEET))
                                .thenComparing(each -> !each.line().equals(STAGING))
                                .thenComparing(HelpExample.by(ORDER)));
    }

    private void run(HelpExample example) throws Exception {
        prepare(example);
        var line = world.translated(example.line());
        if (example.line().equals(FLEET)) {
            reader.run(line, true, 0);
            world.means("http://10.0.0.7:7071", secondWorker());
        } else if (example.line().equals(STAGING)) {
            reader.run(staging(), true, 0);
        } else if (PARTS.contains(example.runs())) {
            runPart(example.runs(), line);
        } else if (FOLLOWS.matcher(line).find()) {
            follow(line);
        } else {
            reader.run(line, false, 0);
        }
    }

    private String staging() throws IOException {
        return world.translated(STAGING) + " --kafka-port " + world.staging();
    }

    private void prepare(HelpExample example) throws Exception {
        var line = example.line();
        if (ORDER.indexOf(example.runs()) > ORDER.indexOf("replay")) {
            reader.fleets().end(staging());
        }
        if (line.contains("--resume")) {
            // A run that ends before it is over, as its second record is minutes away.
            reader.run(
                    world.translated(line.replace("--resume", "--since 2h --speed 0.01")), true, 0);
        } else if (line.contains("3@17") || line.contains("mcp.commands-3@41")) {
            if (misrouted().isEmpty()) {
                misroute();
            }
            var letter = misrouted().getFirst();
            world.means("3@17", letter.path("letter").asString());
            world.means("mcp.commands-3@41", place(letter.path("origin")));
        } else if (example.runs().equals("cancel")) {
            ask("cli-5f0c2a9e", "trigger-long-running-operation", "{\"duration\":60,\"steps\":6}");
        } else if (line.contains("trace order-4711")) {
            ask("order-4711", "echo", "{\"message\":\"hi\"}");
            await().atMost(PATIENCE)
                    .ignoreExceptionsMatching(AssertionError.class::isInstance)
                    .until(() -> perigee("trace order-4711").contains("answered"));
        } else if (example.runs().equals("restore")) {
            perigee("topics --prefix %s --partitions 8".formatted(ExampleWorld.MOVED));
        } else if (example.runs().equals("delete")) {
            perigee(INSTALL);
        } else if (example.runs().equals("drain")) {
            var undone = ID_OF_WORKER.matcher(perigee("drain worker-2 --undo"));
            assertThat(undone.find()).isTrue();
            world.means("worker-2 --admin", undone.group() + " --admin");
        }
    }

    /** What runs until Ctrl-C, at addresses of its own unless the example says which. */
    private void runPart(String command, String line) {
        var own =
                switch (command) {
                    case "dev" -> "";
                    case "broker" -> NO_WORKER + "PERIGEE_BROKER_LISTEN=127.0.0.1:0 ";
                    case "gateway" -> NO_WORKER + "PERIGEE_ADMIN_LISTEN=127.0.0.1:0 ";
                    case "door" -> NO_WORKER;
                    default -> "PERIGEE_LINK_LISTEN=127.0.0.1:0 PERIGEE_ADMIN_LISTEN=127.0.0.1:0 ";
                };
        var port =
                switch (command) {
                    case "dev" -> " --kafka-port 0";
                    case "door" -> line.contains("--listen") ? "" : " --listen 127.0.0.1:0";
                    default -> "";
                };
        var part =
                reader.shell()
                        .start(
                                "exec env "
                                        + (command.equals("door") ? "" : "-u PERIGEE_BOOTSTRAP ")
                                        + own
                                        + HelpExample.with(port, line));
        try {
            part.awaitOutput(
                    output ->
                            command.equals("dev")
                                    ? output.contains(ALL_READY)
                                    : READY.matcher(output).find());
        } finally {
            part.interrupt();
        }
    }

    /** What shows news until Ctrl-C: there is some. */
    private void follow(String line) {
        var running = reader.shell().start("exec " + line);
        try {
            await().atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofSeconds(2))
                    .until(
                            () -> {
                                assertThat(running.process().isAlive())
                                        .as(running.output())
                                        .isTrue();
                                if (running.output().isBlank()) {
                                    perigee(RESTART);
                                }
                                return !running.output().isBlank();
                            });
        } finally {
            running.interrupt();
        }
    }

    private String perigee(String words) {
        return reader.perigee(List.of(words.split(" ")), 0);
    }

    private String secondWorker() {
        var found = SECOND_WORKER.matcher(reader.fleets().output());
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    /** Writes a request as a backend does, in a trace. */
    private void ask(String requestId, String tool, String arguments) throws Exception {
        var request =
                "{\"request_id\":\"%s\",\"team_id\":\"t1\",\"user_id\":\"u1\",\"method\":\"tools/call\",\"tool_path\":\"everything:%s\",\"arguments\":%s}"
                        .formatted(requestId, tool, arguments);
        var record = new ProducerRecord<>("mcp.tool-requests", "t1/u1", request);
        record.headers()
                .add(
                        "traceparent",
                        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
                                .getBytes(StandardCharsets.US_ASCII));
        try (var producer = producer()) {
            producer.send(record).get();
        }
    }

    private KafkaProducer<String, String> producer() {
        return new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", reader.fleets().bootstrap()),
                new StringSerializer(),
                new StringSerializer());
    }

    /** Sends commands of one key to several partitions: but one of these is wrong. */
    private void misroute() throws Exception {
        var file = reader.root().resolve("infra/local/examples/everything.json");
        try (var producer = producer()) {
            for (int partition = 0; partition < 3; partition++) {
                var command = Files.readString(file).replace("cmd-1", UUID.randomUUID().toString());
                producer.send(new ProducerRecord<>("mcp.commands", partition, "t1/u1", command))
                        .get();
            }
        }
        await().atMost(PATIENCE).until(() -> misrouted().size() >= 2);
    }

    private List<JsonNode> misrouted() {
        return perigee("dead-letters list --open --reason misrouted --output json")
                .lines()
                .filter(line -> line.startsWith("{"))
                .map(json::readTree)
                .toList();
    }

    private static String place(JsonNode origin) {
        return origin.isString()
                ? origin.asString()
                : "%s-%d@%d"
                        .formatted(
                                origin.path("topic").asString(),
                                origin.path("partition").asInt(),
                                origin.path("offset").asInt());
    }
}
