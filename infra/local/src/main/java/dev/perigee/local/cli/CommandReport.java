package dev.perigee.local.cli;

import dev.perigee.client.CommandRun;
import dev.perigee.part.Output;
import dev.perigee.part.Span;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Shows what happens to commands while it happens. */
final class CommandReport implements CommandRun.Listener {
    private final Output output;

    CommandReport(Output output) {
        this.output = output;
    }

    @Override
    public void status(Event event) {
        if (output.isJson()) {
            output.json(event);
        } else if (event.body() instanceof StatusChanged changed) {
            var message = changed.statusMessage();
            output.line(
                    Span.plain(
                            event.origin().timestamp() + "  " + event.origin().processId() + "  "),
                    coloured(changed.status()),
                    Span.plain(message == null ? "" : "  " + message));
        }
    }

    @Override
    public void result(CommandResult result) {
        if (output.isJson()) {
            output.json(result);
        } else if (result.outcome() != CommandOutcome.ACKNOWLEDGED) {
            describe(result);
        }
    }

    private static Span coloured(ServerStatus status) {
        var style =
                switch (status) {
                    case ONLINE -> "fg(green)";
                    case OFFLINE, ERROR, REQUIRES_REAUTH, PERMANENTLY_FAILED -> "fg(red)";
                    case PROVISIONING,
                            AWAITING_USER_CONFIG,
                            COMMAND_RECEIVED,
                            CONNECTING,
                            DISCOVERING_TOOLS,
                            SYNCING_TOOLS,
                            RESTARTING ->
                            "fg(yellow)";
                };
        return new Span(style, status.wireName());
    }

    private static boolean isTheError(String message, @Nullable CommandError error) {
        return error != null && message.equals(error.message());
    }

    private void describe(CommandResult result) {
        output.line(line(result.outcome(), result.processId(), result.result(), result.error()));
        var details = result.result();
        if (details != null && details.instances() != null) {
            for (var each : details.instances()) {
                output.line("  " + line(each.outcome(), each.processId(), each.result(), null));
            }
        }
    }

    private static String line(
            CommandOutcome outcome,
            @Nullable String processId,
            @Nullable CommandDetails details,
            @Nullable CommandError error) {
        var line = new StringBuilder(outcome.name().toLowerCase(Locale.ROOT));
        if (processId != null) {
            line.append("  ").append(processId);
        }
        if (details != null) {
            if (details.resultingStatus() != null) {
                line.append("  ").append(details.resultingStatus().wireName());
            }
            if (details.note() != null) {
                line.append("  ").append(details.note());
            }
            if (details.statusMessage() != null && !isTheError(details.statusMessage(), error)) {
                line.append("  ").append(details.statusMessage());
            }
        }
        if (error != null) {
            line.append("  ").append(error.code()).append(": ").append(error.message());
        }
        return line.toString();
    }
}
