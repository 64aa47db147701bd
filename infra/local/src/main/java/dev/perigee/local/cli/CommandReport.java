package dev.perigee.local.cli;

import dev.perigee.local.client.CommandRun;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import java.util.Locale;

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
                    event.origin().timestamp()
                            + "  "
                            + event.origin().processId()
                            + "  "
                            + coloured(output, changed.status())
                            + (message == null ? "" : "  " + message));
        }
    }

    @Override
    public void result(CommandResult result) {
        if (output.isJson()) {
            output.json(result);
        } else if (result.outcome() != CommandOutcome.ACKNOWLEDGED) {
            output.line(describe(result));
        }
    }

    static String coloured(Output output, ServerStatus status) {
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
        return output.style(style, status.wireName());
    }

    private static boolean isTheError(String message, CommandResult result) {
        return result.error() != null && message.equals(result.error().message());
    }

    private static String describe(CommandResult result) {
        var line = new StringBuilder(result.outcome().name().toLowerCase(Locale.ROOT));
        if (result.processId() != null) {
            line.append("  ").append(result.processId());
        }
        var details = result.result();
        if (details != null) {
            if (details.resultingStatus() != null) {
                line.append("  ").append(details.resultingStatus().wireName());
            }
            if (details.note() != null) {
                line.append("  ").append(details.note());
            }
            if (details.statusMessage() != null && !isTheError(details.statusMessage(), result)) {
                line.append("  ").append(details.statusMessage());
            }
        }
        var error = result.error();
        if (error != null) {
            line.append("  ").append(error.code()).append(": ").append(error.message());
        }
        return line.toString();
    }
}
