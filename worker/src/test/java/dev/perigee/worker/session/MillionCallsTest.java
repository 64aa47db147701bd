package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.Attach.AcceptedRecord;
import dev.perigee.protocol.link.Attach.Cursor;
import dev.perigee.protocol.link.Attach.Progress;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A session that has been busy for long behind one call, over a real socket. */
@Tag("long")
final class MillionCallsTest {
    private static final int CALLS = 1_000_000;
    private static final int TOGETHER = 50;
    private static final int MOST_BYTES = 1 << 20;

    /** More than the events of as many calls take. */
    private static final int CREDIT = 32 << 10;

    private static final String PROCESS = Orders.config("i1").processId();

    private final LinkServerFixture link = new LinkServerFixture(options(), Duration.ofSeconds(10));
    private int largest;

    MillionCallsTest() throws IOException {}

    @Test
    @DisplayName(
            "OWN-07: 1,000,000 calls behind one unfinished one, then another gateway: it is served,"
                    + " by messages below 1 MiB")
    void changesItsGateway() throws Exception {
        try (link) {
            ToolOrder.Execute unfinished;
            long lastSeq = 0;
            try (var gateway = link.gateway("g-1")) {
                gateway.attach(5, 1, true);
                gateway.ask(
                        LinkMethod.APPLY, Orders.apply(1L, "i1", 10), InstanceOrder.Outcome.class);
                gateway.ask(LinkMethod.EXECUTE, call(0), ToolOrder.Accepted.class);
                unfinished = link.instances.running.remove();
                for (int first = 1; first <= CALLS; first += TOGETHER) {
                    lastSeq = callTogether(gateway, first);
                }
                gateway.settle();
            }
            try (var next = link.gateway("g-2")) {
                var attached = next.attach(6, 1, false, new Cursor(PROCESS, 10, lastSeq));
                assertThat(attached.resumed()).isTrue();
                assertThat(attached.accepted())
                        .containsExactly(
                                new AcceptedRecord(Orders.origin(0), Progress.RUNNING),
                                new AcceptedRecord(Orders.origin(1), Progress.ACKED, (long) CALLS));
                measure(attached);

                finish(unfinished);
                assertThat(next.event().origin()).isEqualTo(Orders.origin(0));
                callTogether(next, CALLS + 1);
            }
            assertThat(largest).isLessThan(MOST_BYTES);
        }
    }

    /** The number of the last event. */
    private long callTogether(RawGateway gateway, int first) throws InterruptedException {
        for (int offset = first; offset < first + TOGETHER; offset++) {
            gateway.send(LinkMethod.EXECUTE, call(offset));
        }
        for (int i = 0; i < TOGETHER; i++) {
            assertThat(gateway.result(ToolOrder.Accepted.class).answered()).isNull();
            finish(link.instances.running.remove());
        }
        var events = gateway.events(TOGETHER);
        events.forEach(this::measure);
        var last = events.getLast();
        gateway.ack(last.processId(), last.seq());
        gateway.tell(LinkMethod.CREDIT, new SessionNotice.Credit(Orders.PARTITION, CREDIT));
        return last.seq();
    }

    private void measure(Object message) {
        largest = Math.max(largest, Json.raw(message).size());
    }

    private void finish(ToolOrder.Execute order) {
        link.instances
                .instance("i1")
                .journal()
                .appendResult(order, FakeInstances.result("ok", order));
    }

    private static ToolOrder.Execute call(long offset) {
        return Orders.call(offset, "r-" + offset);
    }

    /** With the default part of the heap for ids. */
    private static SessionOptions options() {
        var usual = LinkServerFixture.OPTIONS;
        return new SessionOptions(
                usual.retention(),
                usual.expiryGrace(),
                usual.terminationLimit(),
                usual.flushLimit(),
                usual.journalBytes(),
                usual.journalEntries(),
                usual.whenFull(),
                usual.largeEntryBytes(),
                usual.journalBudgetBytes(),
                usual.repeatWindow(),
                usual.repeatRequests(),
                usual.repeatBytes(),
                null,
                usual.calls());
    }
}
