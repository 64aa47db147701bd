package dev.perigee.local.cli;

import dev.perigee.client.TopicTail;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.protocol.tool.CallTrace;
import dev.perigee.protocol.tool.CallTrace.Step;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Follows one call through the topics, by its request id or its trace. */
@Command(
        name = "trace",
        header = "Follow a call through the topics, by its request id or its trace.",
        description = {
            "Where it was written, whether it became a dead letter, when it was answered, how often"
                    + " it was sent, how long it took. Arguments and results are not shown.",
            "Exits 0 when all of it is answered, 1 when nothing is known, 2 when an answer is"
                    + " missing."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee trace order-4711",
            "  perigee trace --since 24h 4bf92f3577b34da6a3ce929d0e0e4736"
        })
final class TraceCommand extends ClientCommand {
    private static final Duration POLL = Duration.ofMillis(500);

    /** More records of one id are foreign. */
    private static final int MOST = 1_000;

    @Option(
            names = "--since",
            paramLabel = "DURATION",
            defaultValue = "1h",
            converter = DurationOption.class,
            description = "How far to look back (default 1h).")
    private Duration since = Duration.ZERO;

    @Parameters(paramLabel = "ID", description = "A request id, or the 32 digits of a trace.")
    private String id = "";

    @Override
    public Integer call() {
        var steps = new ArrayList<Step>();
        var answers = new HashMap<String, Boolean>();
        boolean cut = false;
        var trace = new CallTrace(id);
        try (var _ = waiting("Reading the topics");
                var tail =
                        TopicTail.open(
                                connection(),
                                new TopicTail.Start.Since(Instant.now().minus(since)),
                                CallTrace.topics().toArray(Topic[]::new))) {
            while (!tail.hasCaughtUp()) {
                for (var record : tail.poll(POLL)) {
                    var step = step(record, trace);
                    if (step == null) {
                        continue;
                    }
                    if (steps.size() < MOST) {
                        steps.add(step);
                    } else {
                        cut = true;
                    }
                    answers.merge(step.requestId(), step.isAnswer(), Boolean::logicalOr);
                }
            }
        }
        steps.sort(Comparator.comparing(Step::time));
        print(steps, output());
        if (steps.isEmpty()) {
            warn("Nothing within --since " + since + " is about '" + id + "'.");
            return ExitCode.FAILED;
        }
        if (cut) {
            warn("More than " + MOST + " records are about it; the rest is not shown.");
        }
        if (answers.containsValue(false)) {
            warn("Not everything has an answer yet.");
            return ExitCode.NO_ANSWER;
        }
        return ExitCode.OK;
    }

    private @Nullable Step step(ConsumerRecord<byte[], byte[]> record, CallTrace trace) {
        for (var topic : CallTrace.topics()) {
            if (record.topic().equals(connection().name(topic))) {
                return trace.step(
                        topic,
                        record.topic() + "-" + record.partition() + "@" + record.offset(),
                        Instant.ofEpochMilli(record.timestamp()),
                        record.value(),
                        name -> header(record, name));
            }
        }
        return null;
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null || header.value() == null
                ? ""
                : new String(header.value(), StandardCharsets.UTF_8);
    }

    private static Map<String, Object> json(Step step) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("time", step.time());
        fields.put("record", step.record());
        fields.put("what", step.what());
        fields.put("text", step.text());
        return fields;
    }

    private static void print(List<Step> steps, Output output) {
        if (output.isJson()) {
            steps.forEach(step -> output.json(json(step)));
            return;
        }
        if (steps.isEmpty()) {
            return;
        }
        var first = steps.getFirst().time();
        output.table(
                List.of("TIME", "AFTER", "WHAT", "RECORD", "DETAILS"),
                steps.stream()
                        .map(
                                step ->
                                        List.of(
                                                step.time().toString(),
                                                Duration.between(first, step.time()).toMillis()
                                                        + " ms",
                                                step.what(),
                                                step.record(),
                                                step.text()))
                        .toList());
    }
}
