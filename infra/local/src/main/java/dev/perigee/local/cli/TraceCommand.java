package dev.perigee.local.cli;

import dev.perigee.client.TopicTail;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Headers;
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
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

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

    /** A record that is about the call. */
    private record Step(String requestId, Instant time, String what, String place, String text) {
        boolean isAnswer() {
            return what.equals("answered");
        }

        Map<String, Object> json() {
            var fields = new LinkedHashMap<String, Object>();
            fields.put("time", time);
            fields.put("record", place);
            fields.put("what", what);
            fields.put("text", text);
            return fields;
        }
    }

    @Override
    public Integer call() {
        var steps = new ArrayList<Step>();
        var answers = new HashMap<String, Boolean>();
        boolean cut = false;
        try (var _ = waiting("Reading the topics");
                var tail =
                        TopicTail.open(
                                connection(),
                                new TopicTail.Start.Since(Instant.now().minus(since)),
                                Topic.TOOL_REQUESTS,
                                Topic.TOOL_RESULTS,
                                Topic.DEAD_LETTERS)) {
            while (!tail.hasCaughtUp()) {
                for (var record : tail.poll(POLL)) {
                    var step = step(record);
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

    private @Nullable Step step(ConsumerRecord<byte[], byte[]> record) {
        var value = value(record);
        if (value == null || !isWanted(record, value)) {
            return null;
        }
        var place = record.topic() + "-" + record.partition() + "@" + record.offset();
        var time = Instant.ofEpochMilli(record.timestamp());
        var request = value.path("request_id").asString("");
        if (record.topic().equals(connection().name(Topic.TOOL_REQUESTS))) {
            boolean cancel = value.path("method").asString("").equals("cancel");
            return new Step(request, time, cancel ? "cancelled" : "asked", place, asked(value));
        }
        if (record.topic().equals(connection().name(Topic.TOOL_RESULTS))) {
            return new Step(request, time, "answered", place, answered(value));
        }
        return new Step(
                request,
                time,
                "dead letter",
                place,
                header(record, Headers.REASON) + ": " + header(record, Headers.DETAIL));
    }

    private static @Nullable JsonNode value(ConsumerRecord<byte[], byte[]> record) {
        try {
            return record.value() == null ? null : Json.tree(record.value());
        } catch (InvalidRecordException e) {
            // No JSON has no request id.
            return null;
        }
    }

    private boolean isWanted(ConsumerRecord<byte[], byte[]> record, JsonNode value) {
        if (value.path("request_id").asString("").equals(id)) {
            return true;
        }
        // version-trace-span-flags, as W3C trace context has it
        var parts = header(record, Headers.TRACEPARENT).split("-", -1);
        return parts.length == 4 && parts[1].equals(id);
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null || header.value() == null
                ? ""
                : new String(header.value(), StandardCharsets.UTF_8);
    }

    /** The request's id where a trace was asked for, which may have several. */
    private StringBuilder begin(JsonNode value) {
        var requestId = value.path("request_id").asString("");
        return new StringBuilder(requestId.equals(id) ? "" : requestId + ": ");
    }

    private String asked(JsonNode request) {
        var text = begin(request);
        text.append(request.path("method").asString("?"));
        if (request.hasNonNull("tool_path")) {
            text.append(' ').append(request.path("tool_path").asString(""));
        }
        text.append(" of team ").append(request.path("team_id").asString("?"));
        text.append(", user ").append(request.path("user_id").asString("?"));
        if (request.hasNonNull("timeout_ms")) {
            text.append(", within ").append(request.path("timeout_ms").asLong(0)).append(" ms");
        }
        return text.toString();
    }

    private String answered(JsonNode result) {
        var text = begin(result).append(result.path("outcome").asString("?"));
        var error = result.path("error");
        if (error.isObject()) {
            text.append(' ').append(error.path("code").asString("?"));
            text.append(": ").append(error.path("message").asString(""));
        }
        text.append(", sent ").append(result.path("attempts").asInt(0)).append(" times, ");
        text.append(result.path("duration_ms").asLong(0)).append(" ms at the worker");
        if (result.hasNonNull("process_id")) {
            text.append(", by ").append(result.path("process_id").asString(""));
        }
        return text.toString();
    }

    private static void print(List<Step> steps, Output output) {
        if (output.isJson()) {
            steps.forEach(step -> output.json(step.json()));
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
                                                step.place(),
                                                step.text()))
                        .toList());
    }
}
