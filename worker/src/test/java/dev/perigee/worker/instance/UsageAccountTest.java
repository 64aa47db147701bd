package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventBody.Usage;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.worker.process.ProcessTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-07: the account of an instance")
final class UsageAccountTest {
    private static final Instant TEN = Instant.parse("2026-11-26T10:00:00Z");

    private final RecordingJournal journal = new RecordingJournal();
    private Instant now = TEN;
    private final UsageAccount account = new UsageAccount(true, 1, journal, () -> now);

    private void at(int seconds) {
        now = TEN.plusSeconds(seconds);
    }

    private List<Usage> published() {
        return journal.all(Usage.class);
    }

    @Test
    @DisplayName("is published once a minute, when that is over")
    void everyMinute() {
        at(10);
        account.called(true, 5, 0);
        account.publish(now);
        assertThat(published()).isEmpty();
        at(61);
        account.publish(now);
        account.publish(now);

        assertThat(published()).hasSize(1);
        assertThat(published().getFirst().errors()).isOne();
    }

    @Test
    @DisplayName("waits while the record before is under way, and has it all in the next")
    void waits() {
        journal.usageHeld = true;
        for (int minute = 0; minute < 10; minute++) {
            at(60 * minute + 30);
            account.called(false, 1, 1);
            at(60 * minute + 61);
            account.publish(now);
        }
        journal.usageHeld = false;
        account.publish(now);

        assertThat(published()).extracting(Usage::calls).containsExactly(10L);
        assertThat(published().getFirst().from()).isEqualTo(TEN);
    }

    @Test
    @DisplayName("keeps what a gateway before usage would drop for one that knows it")
    void olderGateway() {
        journal.protocol = LinkVersions.QUESTIONS;
        account.called(false, 1, 1);
        at(61);
        account.publish(now);
        assertThat(published()).isEmpty();
        journal.protocol = LinkVersions.USAGE;
        account.publish(now);

        assertThat(published()).hasSize(1);
    }

    @Test
    @DisplayName("says all at its end, though a record is under way, and later calls by themselves")
    void ends() {
        account.called(false, 1, 1);
        journal.usageHeld = true;
        at(61);
        account.publish(now);
        account.called(false, 1, 1);
        at(70);
        account.close(false);
        account.close(false);
        assertThat(published()).extracting(Usage::calls).containsExactly(1L, 1L);

        account.called(true, 1, 0);

        assertThat(published()).hasSize(3);
        assertThat(published().getLast().errors()).isOne();
    }

    @Test
    @DisplayName("says nothing of an instance that is removed")
    void removed() {
        account.called(false, 1, 1);
        account.close(true);
        journal.appendRemoved();
        account.called(false, 1, 1);
        account.close(false);

        assertThat(published()).hasSize(1);
    }

    @Test
    @DisplayName("counts nothing where usage is not published")
    void off() {
        var none = new UsageAccount(false, 1, journal, () -> now);
        none.called(false, 1, 1);
        at(61);
        none.publish(now);
        none.close(false);

        assertThat(none.meter()).isNull();
        assertThat(published()).isEmpty();
    }

    @Test
    @DisplayName("of thousands of instances is published over twenty seconds, one record each")
    void spread() {
        var sweep = new UsageSweep(new ProcessTable(), () -> now);
        IntStream.range(0, 5000)
                .mapToObj(i -> sweep.account("server-acme-alice-" + i, journal))
                .forEach(
                        each -> {
                            sweep.watch(each);
                            each.called(false, 1, 1);
                        });
        var counts = new ArrayList<Integer>();
        for (int second = 60; second < 120; second++) {
            at(second);
            int before = journal.events.size();
            sweep.tick(now);
            counts.add(journal.events.size() - before);
        }

        assertThat(counts.stream().mapToInt(Integer::intValue).sum()).isEqualTo(5000);
        assertThat(counts).allMatch(count -> count <= 500);
        assertThat(counts.subList(UsageSweep.SPREAD_SECONDS + 1, 60)).containsOnly(0);
    }
}
