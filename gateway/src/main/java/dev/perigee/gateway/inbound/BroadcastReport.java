package dev.perigee.gateway.inbound;

import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.List;

/**
 * Outcome of one partition's copy of a command for every user. The owner of that partition sends it
 * to the owner of the original's through the commands topic, so that it is durable. Between
 * gateways only.
 *
 * @param of the original
 * @param partition whose copy it is
 * @param outcomes one per instance that the command was about; often none
 */
public record BroadcastReport(
        String event, RecordOrigin of, String commandId, int partition, List<Outcome> outcomes) {
    public static final String EVENT = "perigee.broadcast.report";

    @SuppressWarnings("NullAway") // Jackson passes null for what the record did not carry.
    public BroadcastReport {
        Require.present(of, "of");
        Require.id(commandId, "command_id");
        outcomes = outcomes == null ? List.of() : List.copyOf(outcomes);
    }
}
