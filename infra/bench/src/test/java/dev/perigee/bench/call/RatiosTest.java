package dev.perigee.bench.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.bench.load.Latencies;
import dev.perigee.bench.load.Load;
import dev.perigee.bench.stat.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RatiosTest {
    @Test
    void areOfTheTrivialServerAndOneUser() {
        var rows = new ArrayList<CallRow>();
        for (int inFlight : new int[] {1, 16, 64}) {
            rows.add(row(Way.BARE_PIPE, "echo", 1, inFlight, sample(0.1, 0.5, 90_000, Map.of())));
            rows.add(
                    row(
                            Way.BARE_KAFKA,
                            "",
                            1,
                            inFlight,
                            sample(0.9, 2, 10_000, Map.of("replier", 20.0))));
            rows.add(row(Way.PERIGEE, "everything", 1, inFlight, sample(9, 9, 9, Map.of())));
            rows.add(row(Way.PERIGEE, "echo", 50, inFlight, sample(8, 8, 8, Map.of())));
            rows.add(
                    row(
                            Way.PERIGEE,
                            "echo",
                            1,
                            inFlight,
                            sample(
                                    1.5,
                                    5,
                                    8_000,
                                    Map.of("gateway", 60.0, "worker", 40.0, "client", 7.0))));
        }

        var ratios = Ratios.of(rows);

        assertThat(ratios.keySet())
                .containsExactly(
                        "latency_p50_c1", "latency_p99_c16", "throughput_c64", "cpu_per_call");
        assertThat(median(ratios, "latency_p50_c1")).isEqualTo(1.5);
        assertThat(median(ratios, "latency_p99_c16")).isEqualTo(2);
        assertThat(median(ratios, "throughput_c64")).isEqualTo(0.8);
        assertThat(median(ratios, "cpu_per_call")).isEqualTo(100.0 / 80);
        assertThat(ratios)
                .hasEntrySatisfying("latency_p99_c16", it -> assertThat(it.reached()).isTrue());
        assertThat(ratios)
                .hasEntrySatisfying("throughput_c64", it -> assertThat(it.reached()).isTrue());
        assertThat(ratios)
                .hasEntrySatisfying("cpu_per_call", it -> assertThat(it.reached()).isFalse());
    }

    @Test
    void areTakenRoundByRoundSoThatASlowRoundChangesNone() {
        var rows =
                List.of(
                        row(Way.BARE_PIPE, "echo", 1, 1, slowed(0.1)),
                        row(Way.BARE_KAFKA, "", 1, 1, slowed(0.9)),
                        row(Way.PERIGEE, "echo", 1, 1, slowed(1.5)));

        assertThat(Ratios.of(rows))
                .hasEntrySatisfying(
                        "latency_p50_c1",
                        ratio -> assertThat(ratio.value()).isEqualTo(new Spread(1.5, 1.5, 1.5)));
    }

    @Test
    void areOfManyUsersBesideBareKafkaWithTheirKeys() {
        var rows =
                List.of(
                        row(Way.BARE_PIPE, "echo", 1, 64, sample(1, 1, 90_000, Map.of())),
                        row(Way.BARE_KAFKA, "", 1, 64, sample(1, 1, 10_000, Map.of())),
                        row(Way.BARE_KAFKA, "", 50, 64, sample(1, 1, 4_000, Map.of())),
                        row(Way.BARE_KAFKA, "", 500, 64, sample(1, 1, 5_000, Map.of())),
                        row(Way.PERIGEE, "echo", 1, 64, sample(1, 1, 6_000, Map.of())),
                        row(Way.PERIGEE, "echo", 50, 64, sample(1, 1, 3_000, Map.of())),
                        row(Way.PERIGEE, "echo", 500, 64, sample(1, 1, 2_000, Map.of())));

        var ratios = Ratios.of(rows);

        assertThat(median(ratios, "throughput_c64")).isEqualTo(0.6);
        assertThat(median(ratios, "throughput_c64_users")).isEqualTo(0.4);
        assertThat(ratios)
                .hasEntrySatisfying(
                        "throughput_c64_users",
                        ratio -> {
                            assertThat(ratio.meaning()).contains("500 users");
                            assertThat(ratio.reached()).isFalse();
                        });
    }

    @Test
    void tellWhatTheBareRelayWouldReach() {
        var rows =
                List.of(
                        row(Way.BARE_PIPE, "echo", 1, 1, slowed(0.1)),
                        row(Way.BARE_KAFKA, "", 1, 1, slowed(0.9)),
                        row(Way.BARE_RELAY, "echo", 1, 1, slowed(1.2)),
                        row(Way.PERIGEE, "echo", 1, 1, slowed(1.5)));

        assertThat(Ratios.of(rows))
                .hasEntrySatisfying(
                        "latency_p50_c1",
                        ratio -> {
                            assertThat(ratio.value().median()).isEqualTo(1.5);
                            assertThat(ratio.floor()).isEqualTo(new Spread(1.2, 1.2, 1.2));
                        });
    }

    @Test
    void areLeftOutWhereALoadWasNotMeasured() {
        assertThat(Ratios.of(List.of(row(Way.PERIGEE, "echo", 1, 1, slowed(1.5))))).isEmpty();
    }

    private static double median(Map<String, Ratios.Ratio> ratios, String name) {
        return ratios.entrySet().stream()
                .filter(each -> each.getKey().equals(name))
                .mapToDouble(each -> each.getValue().value().median())
                .findFirst()
                .orElseThrow();
    }

    /** Three rounds, each twice as slow as the one before. */
    private static Sample[] slowed(double p50) {
        return IntStream.range(0, 3)
                .mapToObj(round -> sample(p50 * (1 << round), 1, 1, Map.of()))
                .toArray(Sample[]::new);
    }

    private static Sample sample(
            double p50, double p99, double perSecond, Map<String, Double> cpuMicros) {
        return new Sample(new Latencies(p50, p99, p99, p99, perSecond, 1000), cpuMicros, Map.of());
    }

    private static CallRow row(Way way, String server, int users, int inFlight, Sample... rounds) {
        return new CallRow(way, server, users, new Load.InFlight(inFlight), List.of(rounds));
    }
}
