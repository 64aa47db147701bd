package dev.perigee.bench.call;

import dev.perigee.bench.load.Load;
import dev.perigee.bench.stat.Spread;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One load on one way, in all rounds.
 *
 * @param server slug of the MCP server that is called, empty where there is none
 * @param rounds a sample of each, in order
 */
public record CallRow(Way way, String server, int users, Load load, List<Sample> rounds) {
    public CallRow {
        rounds = List.copyOf(rounds);
    }

    /** Of a value over all rounds. */
    public Spread spread(ToDoubleFunction<Sample> value) {
        return Spread.of(rounds.stream().map(value::applyAsDouble).toList());
    }

    /** CPU time of a part per call, in microseconds; 0 where it has no part in this way. */
    public Spread cpuMicros(String part) {
        return spread(sample -> sample.cpuMicros().getOrDefault(part, 0.0));
    }

    /** The same of bytes allocated. */
    public Spread allocatedBytes(String part) {
        return spread(sample -> sample.allocatedBytes().getOrDefault(part, 0.0));
    }
}
