package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.perigee.local.cli.UsageReport.Grouping;
import dev.perigee.local.cli.UsageReport.Row;
import dev.perigee.protocol.event.EventBody.Usage;
import dev.perigee.protocol.event.EventOrigin;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-07: the sums of perigee usage")
final class UsageReportTest {
    private static final Instant TEN = Instant.parse("2026-11-26T10:00:00Z");
    private static final Usage USAGE =
            new Usage(TEN, TEN.plusSeconds(60), 3, 1, 10, 20, 36_000, 1500, 3600L << 30, 7);

    private static void add(
            UsageReport report, String session, long seq, String team, String user, String server) {
        var origin =
                new EventOrigin(
                        server + team + user,
                        null,
                        "i1",
                        null,
                        server,
                        team,
                        user,
                        "worker-1",
                        seq,
                        TEN);
        report.add(session + "/" + seq, origin, USAGE);
    }

    private static UsageReport report(Grouping by) {
        var report = new UsageReport(by);
        add(report, "p1/41", 1, "t1", "u1", "github");
        add(report, "p1/41", 4, "t1", "u1", "github");
        add(report, "p1/41", 4, "t1", "u1", "github");
        add(report, "p1/41", 1, "t1", "u1", "github");
        add(report, "p1/57", 1, "t1", "u1", "github");
        add(report, "p2/41", 1, "t1", "u2", "github");
        add(report, "p3/41", 1, "t2", "u1", "jira");
        return report;
    }

    @Test
    @DisplayName("have every record once, of several sessions, too")
    void once() {
        var report = report(Grouping.SERVER);

        assertThat(report.headers())
                .containsExactly(
                        "TEAM",
                        "USER",
                        "SERVER",
                        "CALLS",
                        "ERRORS",
                        "CPU S",
                        "MEM GIB H",
                        "AWAKE H",
                        "BYTES");
        assertThat(report.cells())
                .containsExactly(
                        List.of("t1", "u1", "github", "9", "3", "4.5", "3.000", "0.03", "90"),
                        List.of("t1", "u2", "github", "3", "1", "1.5", "1.000", "0.01", "30"),
                        List.of("t2", "u1", "jira", "3", "1", "1.5", "1.000", "0.01", "30"));
    }

    @Test
    @DisplayName("are by team or by user, as is asked")
    void grouped() {
        assertThat(report(Grouping.TEAM).rows())
                .extracting(Row::teamId, Row::userId, Row::serverSlug, Row::calls)
                .containsExactly(tuple("t1", null, null, 12L), tuple("t2", null, null, 3L));
        assertThat(report(Grouping.USER).rows()).extracting(Row::calls).containsExactly(9L, 3L, 3L);
    }

    @Test
    @DisplayName("count what has no id, as of another program")
    void withoutId() {
        var report = new UsageReport(Grouping.TEAM);
        var origin = new EventOrigin("p", null, "i", null, "s", "t", "u", "worker-1", 1, TEN);
        report.add(null, origin, USAGE);
        report.add(null, origin, USAGE);

        assertThat(report.rows()).extracting(Row::calls).containsExactly(6L);
    }
}
