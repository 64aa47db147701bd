package dev.perigee.bench;

import dev.perigee.bench.boundary.BoundaryPlan;
import dev.perigee.bench.call.CallPlan;
import dev.perigee.bench.growth.GrowthPlan;
import dev.perigee.bench.lifecycle.LifecyclePlan;
import java.time.Duration;
import java.util.List;

/**
 * Sizes of all measurements.
 *
 * @param densityInstances idle at once; each needs four descriptors of the worker's
 */
record Plans(
        CallPlan calls,
        LifecyclePlan lifecycle,
        int densityInstances,
        BoundaryPlan boundary,
        GrowthPlan growth) {
    private static final List<Integer> IN_FLIGHT = List.of(1, 16, 64, 256);
    private static final int PER_SECOND = 2000;

    /** Within three minutes on two cores: calls of JVMs that still compile, and fewer of all. */
    static Plans quick() {
        return new Plans(
                new CallPlan(
                        3,
                        Duration.ofMillis(500),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(8),
                        List.of(1, 16, 64),
                        List.of(50),
                        PER_SECOND,
                        true),
                new LifecyclePlan(8, 2, 1, false),
                300,
                new BoundaryPlan(8, 3, Duration.ofMillis(500)),
                new GrowthPlan(
                        List.of(10, 300),
                        List.of(64),
                        10,
                        Duration.ofMillis(500),
                        Duration.ofSeconds(3)));
    }

    /** A quarter of an hour or so. */
    static Plans full() {
        return new Plans(
                new CallPlan(
                        5,
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(3),
                        IN_FLIGHT,
                        List.of(50, 500),
                        PER_SECOND,
                        true),
                new LifecyclePlan(200, 10, 3, true),
                4000,
                new BoundaryPlan(100, 5, Duration.ofSeconds(3)),
                new GrowthPlan(
                        List.of(10, 100, 1000, 4500),
                        List.of(64, 512),
                        100,
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(10)));
    }

    Plans withCalls(CallPlan other) {
        return new Plans(other, lifecycle, densityInstances, boundary, growth);
    }
}
