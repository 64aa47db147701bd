package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.Lease;
import dev.perigee.protocol.link.LinkMethod;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A gateway tells its workers until when it has sessions")
final class LeaseReportsTest {
    private static final long CLOCK = 5_000_000;

    @AutoClose private final LinkFixture fixture = new LinkFixture();

    LeaseReportsTest() throws Exception {}

    @Test
    @DisplayName(
            "OWN-01: with the attach and again and again, in the worker's clock, until it leaves")
    void reports() {
        knowsLeases(CLOCK);
        fixture.listener.heardAt = OptionalLong.of(System.nanoTime());
        var session = fixture.attached();

        var attach = fixture.worker.received(LinkMethod.ATTACH, Attach.Request.class).getFirst();
        assertThat(attach.leaseUntilMs()).isBetween(CLOCK, CLOCK + LinkFixture.LEASE.toMillis());
        await().until(() -> told().stream().anyMatch(report -> !report.held().isEmpty()));
        var held = told().getLast().held().getFirst();
        assertThat(held.partition()).isEqualTo(LinkFixture.CLAIM.partition());
        assertThat(held.epoch()).isEqualTo(LinkFixture.CLAIM.epoch());
        assertThat(held.untilMs()).isLessThanOrEqualTo(CLOCK + LinkFixture.LEASE.toMillis());

        session.abandon();
        int before = told().size();
        await().until(() -> told().size() >= before + 3);
        assertThat(told().getLast().held()).isEmpty();
        assertThat(fixture.worker.received(LinkMethod.DETACH, Attach.Detach.class)).isEmpty();
    }

    @Test
    @DisplayName("but not those that are older than leases")
    void tellsOlderWorkersNothing() {
        fixture.listener.heardAt = OptionalLong.of(System.nanoTime());
        var _ = fixture.attached();

        var attach = fixture.worker.received(LinkMethod.ATTACH, Attach.Request.class).getFirst();
        assertThat(attach.leaseUntilMs()).isNull();
        assertThat(told()).isEmpty();
    }

    private List<Lease.Request> told() {
        return fixture.worker.received(LinkMethod.LEASE, Lease.Request.class);
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private void knowsLeases(long clock) {
        fixture.worker
                .on(
                        LinkMethod.HELLO,
                        request ->
                                FakeWorker.answer(
                                        request,
                                        new Hello.Result(
                                                "worker-1",
                                                "first",
                                                20_000,
                                                List.of(),
                                                null,
                                                null,
                                                clock,
                                                null,
                                                null)))
                .on(
                        LinkMethod.LEASE,
                        request -> FakeWorker.answer(request, new Lease.Result(clock)));
    }
}
