package dev.perigee.protocol.link;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.topic.RecordOrigin;
import org.jspecify.annotations.Nullable;

/**
 * Orders of a gateway about one instance. Each order carries where its command was read, and is
 * deduplicated by it: sent again after a cut it joins the order that is under way, or is answered
 * with the outcome it had. The answer to all is {@link Outcome}, sent when the order has come to
 * its end (a configuration: when the instance reached a settled status).
 */
public final class InstanceOrder {
    private InstanceOrder() {}

    /** Reason why a configuration is applied. */
    public enum Cause {
        @JsonProperty("created")
        CREATED,
        @JsonProperty("updated")
        UPDATED,
        @JsonProperty("redeployed")
        REDEPLOYED,
        @JsonProperty("spawn")
        SPAWN,
        /** Not a command: a new owner brings an instance back as the state topic has it. */
        @JsonProperty("restored")
        RESTORED;

        /** The cause of a configure command. */
        public static Cause of(CommandAction.Change change) {
            return switch (change) {
                case CREATED -> CREATED;
                case UPDATED -> UPDATED;
                case REDEPLOYED -> REDEPLOYED;
            };
        }
    }

    /**
     * Brings an instance to a configuration: {@code instance/apply}.
     *
     * @param partition the partition of the instance's user
     * @param origin where the command was read; null for {@link Cause#RESTORED}
     * @param commandId the command's id; null for {@link Cause#RESTORED}
     * @param startToken offset of the state record that holds the configuration
     * @param cause what led to the configuration
     * @param config the whole configuration
     * @param stopped true when the instance is to be known but not run (killed by intent)
     * @param durable of a restored instance: what the last owner stored of it
     * @param quarantine why it is not run though its user wants it to; null where it may run. With
     *     it {@code stopped} is true, for workers that do not know it
     */
    public record Apply(
            int partition,
            @Nullable RecordOrigin origin,
            @Nullable String commandId,
            long startToken,
            Cause cause,
            ServerConfig config,
            boolean stopped,
            @Nullable RawJson durable,
            @Nullable Quarantine quarantine) {
        public Apply {
            Require.present(cause, "cause");
            Require.present(config, "config");
        }
    }

    /**
     * An instance that ran on workers that died, and is not run for now.
     *
     * @param message for people: what happened and what to do next
     * @param held true when only a command of its user ends it; else it is run when its turn comes
     */
    public record Quarantine(String message, boolean held) {
        public Quarantine {
            Require.present(message, "quarantine.message");
        }
    }

    /**
     * Has what a start of this configuration needs be there, {@code instance/prepare}, on a worker
     * that is about to get it. It needs no session and starts nothing. The answer is empty, and
     * comes when that is done, or has failed: then the start says why.
     */
    public record Prepare(ServerConfig config) {
        public Prepare {
            Require.present(config, "config");
        }
    }

    /**
     * Stops, restarts, removes, recovers an instance: the orders that need only its name.
     *
     * @param partition the partition of the instance's user
     * @param origin where the command was read
     * @param commandId the command's id
     * @param processId the instance
     * @param startToken the token of the configuration that the order is about
     * @param reason for logs and events, null where the backend gives none
     */
    public record Simple(
            int partition,
            RecordOrigin origin,
            String commandId,
            String processId,
            long startToken,
            @Nullable String reason) {
        public Simple {
            Require.present(origin, "origin");
            Require.present(commandId, "command_id");
            Require.present(processId, "process_id");
        }
    }

    /**
     * Hides or restores one tool: {@code instance/switch_tool}.
     *
     * @param order which instance, and by which command
     * @param toolName the tool's name without the server's slug
     * @param disabled true to hide and refuse it, false to restore it
     */
    public record SwitchTool(Simple order, String toolName, boolean disabled) {}

    /**
     * Health check of the server: {@code instance/health_check}.
     *
     * @param order which instance, and by which command
     * @param check what to check
     */
    public record HealthCheck(Simple order, CommandAction.Check check) {}

    /**
     * Outcome of an order; becomes the command's result.
     *
     * @param processId the instance
     * @param outcome how the command ended
     * @param details what it led to, null where there is nothing to say
     * @param error why it failed or was rejected, else null
     */
    public record Outcome(
            String processId,
            CommandOutcome outcome,
            @Nullable CommandDetails details,
            @Nullable CommandError error) {
        public Outcome {
            Require.present(processId, "process_id");
            Require.present(outcome, "outcome");
        }
    }
}
