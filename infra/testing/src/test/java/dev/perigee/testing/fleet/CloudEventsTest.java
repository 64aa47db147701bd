package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import io.cloudevents.CloudEvent;
import io.cloudevents.SpecVersion;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@DisplayName("What a fleet writes is read by the CloudEvents SDK")
@ExtendWith(SharedFleet.class)
final class CloudEventsTest {

    private final FleetUnderTest fleet;
    private final Backend backend;

    CloudEventsTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @Test
    void everyRecordIsAnEvent() {
        var f = backend.install(Installation.fixture());
        backend.text(f, "echo", "{\"message\":\"hi\"}");
        fleet.records().await(Topic.LIFECYCLE, "start", r -> r.key().equals(f.processId()));
        fleet.records().await(Topic.TOOLS, "tools", r -> r.key().equals(f.processId()));
        fleet.records().await(Topic.HEARTBEATS, "heartbeat", r -> true);

        var records =
                fleet.records()
                        .matching(
                                r ->
                                        !r.topic().equals(Topic.DEAD_LETTERS.suffix())
                                                && !r.topic().equals(Records.REPLIES)
                                                && !r.isTombstone());

        assertThat(records).allSatisfy(CloudEventsTest::isRead);
        assertThat(records)
                .extracting(Received::topic)
                .contains(
                        Topic.STATUS.suffix(),
                        Topic.LIFECYCLE.suffix(),
                        Topic.TOOLS.suffix(),
                        Topic.TOOL_RESULTS.suffix(),
                        Topic.COMMAND_RESULTS.suffix(),
                        Topic.HEARTBEATS.suffix());
    }

    private static void isRead(Received received) {
        CloudEvent event = KafkaMessageFactory.createReader(received.raw()).toEvent();
        assertThat(event.getSpecVersion()).isEqualTo(SpecVersion.V1);
        assertThat(event.getType()).isEqualTo(received.text("event"));
        assertThat(List.of(event.getId(), event.getSource().toString())).doesNotContain("");
        assertThat(event.getSubject()).isNotBlank();
        assertThat(event.getTime()).isNotNull();
        assertThat(event.getDataContentType()).isEqualTo("application/json");
        assertThat(Objects.requireNonNull(event.getData()).toBytes())
                .isEqualTo(received.raw().value());
    }
}
