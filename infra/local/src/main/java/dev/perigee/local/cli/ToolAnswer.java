package dev.perigee.local.cli;

import dev.perigee.client.InputHandler;
import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Waits for the answer to a tool request, prints it and chooses the exit code. */
final class ToolAnswer {
    private ToolAnswer() {}

    /** Asks and waits; null when there is no answer in time. */
    static @Nullable ToolResult await(
            CallClients clients, KafkaConnection connection, ToolRequest request, Duration deadline)
            throws InterruptedException {
        return await(clients, connection, false, client -> client.call(request, deadline));
    }

    /** The same, of a request that accepts events. */
    static @Nullable ToolResult await(
            CallClients clients,
            KafkaConnection connection,
            ToolRequest request,
            Duration deadline,
            Consumer<EventBody> listener,
            InputHandler handler)
            throws InterruptedException {
        return await(
                clients,
                connection,
                true,
                client -> client.call(request, deadline, listener, handler));
    }

    private interface Asking {
        ToolResult ask(PerigeeClient client) throws InterruptedException, TimeoutException;
    }

    private static @Nullable ToolResult await(
            CallClients clients, KafkaConnection connection, boolean events, Asking asking)
            throws InterruptedException {
        var client = clients.open(connection, events);
        boolean answered = false;
        try {
            var answer = asking.ask(client);
            answered = true;
            return answer;
        } catch (TimeoutException e) {
            return null;
        } finally {
            clients.done(client, answered);
        }
    }

    static int print(@Nullable ToolResult answer, Output output, Consumer<String> warn) {
        if (answer == null) {
            warn.accept("No answer in time. Does a gateway run? Its /health/ready says.");
            return ExitCode.NO_ANSWER;
        }
        if (output.isJson()) {
            output.json(answer);
        }
        return switch (answer.outcome()) {
            case SUCCESS -> shown(answer.result(), output, ExitCode.OK);
            case TOOL_ERROR -> shown(answer.result(), output, ExitCode.FAILED);
            case FAILED -> {
                var error = answer.error();
                if (error != null) {
                    warn.accept(
                            error.code().name().toLowerCase(Locale.ROOT) + ": " + error.message());
                }
                yield ExitCode.NO_ANSWER;
            }
        };
    }

    private static int shown(@Nullable RawJson result, Output output, int exitCode) {
        if (result != null && !output.isJson()) {
            show(result, output);
        }
        return exitCode;
    }

    /** Text as text, anything else as the JSON it is. */
    private static void show(RawJson result, Output output) {
        var content = Json.tree(result.bytes()).path("content");
        if (!content.isArray() || content.isEmpty()) {
            output.raw(result.bytes());
            return;
        }
        for (JsonNode item : content) {
            if (item.path("type").asString("").equals("text")) {
                output.block(item.path("text").asString(""));
            } else {
                output.json(item);
            }
        }
    }
}
