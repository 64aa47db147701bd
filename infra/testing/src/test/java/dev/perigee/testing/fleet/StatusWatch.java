package dev.perigee.testing.fleet;

import dev.perigee.protocol.topic.Topic;
import java.util.List;

/** What the status topic says of one instance, from its first status on or after one of them. */
final class StatusWatch {

    private final FleetUnderTest fleet;
    private final Installation installation;
    private final long seen;

    private StatusWatch(FleetUnderTest fleet, Installation installation, long seen) {
        this.fleet = fleet;
        this.installation = installation;
        this.seen = seen;
    }

    /** Watches what is not installed yet. */
    static StatusWatch ofAll(FleetUnderTest fleet, Installation installation) {
        return new StatusWatch(fleet, installation, -1);
    }

    /** Watches what is installed, after it was online first. */
    static StatusWatch ofOnline(FleetUnderTest fleet, Installation installation) {
        return ofAll(fleet, installation).after("online");
    }

    /** Waits for a status, and watches what comes after it. */
    StatusWatch after(String status) {
        return new StatusWatch(fleet, installation, await(status).raw().offset());
    }

    private boolean isNews(Received received) {
        return received.key().equals(installation.processId()) && received.raw().offset() > seen;
    }

    /** Waits for a status. */
    Received await(String status) {
        return fleet.records()
                .await(
                        Topic.STATUS,
                        "status " + status + " of " + installation.processId(),
                        r -> isNews(r) && r.text("status").equals(status));
    }

    /** What has arrived so far. */
    List<Received> events() {
        return fleet.records().on(Topic.STATUS).stream()
                .filter(r -> isNews(r) && !r.isTombstone())
                .toList();
    }

    List<String> statuses() {
        return events().stream().map(r -> r.text("status")).toList();
    }

    /** Uninstalls the instance; all statuses that it ever had, since there are none after that. */
    List<String> statusesUntilTheEnd() {
        fleet.backend().uninstall(installation);
        fleet.records()
                .await(
                        Topic.STATUS,
                        "tombstone",
                        received -> isNews(received) && received.isTombstone());
        return statuses();
    }
}
