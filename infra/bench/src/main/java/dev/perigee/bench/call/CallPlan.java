package dev.perigee.bench.call;

import java.time.Duration;
import java.util.List;

/**
 * Size of the call measurements.
 *
 * @param time of one measurement
 * @param warmup of each way, with 64 calls in flight, and again while its JVMs compile
 * @param longestWarmup of each way, after which it is measured as it is
 * @param inFlight loads of one user
 * @param users how many users call under the larger loads, besides one
 * @param perSecond of the open loop, 0 for none
 * @param everything whether server-everything is measured too
 */
public record CallPlan(
        int rounds,
        Duration time,
        Duration warmup,
        Duration longestWarmup,
        List<Integer> inFlight,
        List<Integer> users,
        int perSecond,
        boolean everything) {
    public CallPlan {
        inFlight = List.copyOf(inFlight);
        users = List.copyOf(users);
    }
}
