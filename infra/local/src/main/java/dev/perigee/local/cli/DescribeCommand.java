package dev.perigee.local.cli;

import dev.perigee.client.TopicTail;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.part.Span;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.EventBody.LogLine;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.EventBody.ToolsDiscovered;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows all that the topics know of an installation's instances. */
@Command(
        name = "describe",
        header = "Show all that the topics know of an installation.",
        description = "Status, tools, the last events and the last lines of its log.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee describe --team t1 abc123",
            "  perigee describe --team t1 --user u1 abc123 --since 24h --output json"
        })
final class DescribeCommand extends ClientCommand {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final int MOST_EVENTS = 10;
    private static final int MOST_LINES = 20;

    @Mixin private InstallationOptions installation = new InstallationOptions();

    @Option(
            names = "--since",
            paramLabel = "DURATION",
            defaultValue = "1h",
            converter = DurationOption.class,
            description = "How far to look back for events and log (default 1h).")
    private Duration since = Duration.ZERO;

    private final Map<String, Instance> instances = new TreeMap<>();

    /** What is known of one instance. */
    private static final class Instance {
        @Nullable Event status;
        @Nullable ToolsDiscovered tools;
        final Deque<Event> events = new ArrayDeque<>();
        final Deque<LogLine> lines = new ArrayDeque<>();
    }

    @Override
    public Integer call() {
        try (var _ = waiting("Reading the topics")) {
            read(new TopicTail.Start.Beginning(), Topic.STATUS, Topic.TOOLS);
            var start = new TopicTail.Start.Since(Instant.now().minus(since));
            read(start, Topic.LIFECYCLE, Topic.LOGS);
        }
        instances.values().removeIf(each -> each.status == null);
        if (instances.isEmpty()) {
            warn("There is no such installation; 'perigee status' lists those that there are.");
            return ExitCode.FAILED;
        }
        var output = output();
        instances.forEach((id, instance) -> show(id, instance, output));
        return ExitCode.OK;
    }

    private void read(TopicTail.Start start, Topic... topics) {
        try (var tail = TopicTail.open(connection(), start, topics)) {
            while (!tail.hasCaughtUp()) {
                tail.poll(POLL).forEach(this::take);
            }
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            forget(record);
            return;
        }
        try {
            var event = Event.read(record.value());
            if (isWanted(event)) {
                take(event);
            }
        } catch (InvalidRecordException e) {
            // Written by something newer or foreign: not ours to show.
        }
    }

    /** A tombstone: of its own topic only, since nothing orders the topics among each other. */
    private void forget(ConsumerRecord<byte[], byte[]> record) {
        var key = record.key();
        var instance = key == null ? null : instances.get(new String(key, StandardCharsets.UTF_8));
        if (instance == null) {
            return;
        }
        if (record.topic().equals(connection().name(Topic.STATUS))) {
            instance.status = null;
        } else {
            instance.tools = null;
        }
    }

    private boolean isWanted(Event event) {
        var origin = event.origin();
        var user = installation.user();
        return origin.teamId().equals(installation.team())
                && origin.installationId().equals(installation.installation())
                && (user == null || user.equals(origin.userId()));
    }

    private void take(Event event) {
        var instance = instances.computeIfAbsent(event.origin().processId(), _ -> new Instance());
        switch (event.body()) {
            case StatusChanged _ -> instance.status = event;
            case ToolsDiscovered tools -> instance.tools = tools;
            case EventBody.Logs logs ->
                    logs.logs().forEach(line -> keep(line, instance.lines, MOST_LINES));
            default -> keep(event, instance.events, MOST_EVENTS);
        }
    }

    private static <T> void keep(T what, Deque<T> last, int most) {
        last.addLast(what);
        if (last.size() > most) {
            last.removeFirst();
        }
    }

    private static void show(String id, Instance instance, Output output) {
        var event = instance.status;
        if (event == null || !(event.body() instanceof StatusChanged status)) {
            return;
        }
        if (output.isJson()) {
            output.json(json(instance, event));
            return;
        }
        var origin = event.origin();
        output.line(new Span("bold", id));
        field("Server", origin.serverSlug(), output);
        if (origin.installationName() != null) {
            field("Name", origin.installationName(), output);
        }
        field("Team, user", origin.teamId() + ", " + origin.userId(), output);
        field("Worker", origin.workerId(), output);
        if (origin.pid() != null) {
            field("Pid", origin.pid().toString(), output);
        }
        field("Status", status.status().wireName() + " since " + origin.timestamp(), output);
        if (status.statusMessage() != null) {
            field("Message", "", output);
            output.block(status.statusMessage().indent(4).stripTrailing());
        }
        field("Tools", tools(instance.tools), output);
        section("Events", instance.events, output);
        instance.events.forEach(each -> output.line("    " + line(each)));
        section("Log", instance.lines, output);
        instance.lines.forEach(
                each ->
                        output.line(
                                "    %s  %-5s %s"
                                        .formatted(
                                                each.timestamp(), each.level(), each.message())));
    }

    private static Map<String, Object> json(Instance instance, Event status) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("status", status);
        if (instance.tools != null) {
            fields.put("tools", instance.tools);
        }
        fields.put("events", new ArrayList<>(instance.events));
        fields.put("logs", new ArrayList<>(instance.lines));
        return fields;
    }

    private static String tools(@Nullable ToolsDiscovered tools) {
        return tools == null
                ? "not known"
                : tools.toolCount()
                        + tools.tools().stream()
                                .map(DiscoveredTool::toolName)
                                .collect(Collectors.joining(", ", ": ", ""));
    }

    private static String line(Event event) {
        return "%s  %-15s %s"
                .formatted(
                        event.origin().timestamp(),
                        EventText.kind(event),
                        EventText.details(event));
    }

    private static void section(String name, Collection<?> entries, Output output) {
        field(name, entries.isEmpty() ? "none within --since" : "", output);
    }

    private static void field(String name, String value, Output output) {
        output.line("  %-11s %s".formatted(name, value).stripTrailing());
    }
}
