package dev.perigee.testing.soak;

import java.time.Duration;

/** Something that is done to a fleet. Parts are counted from 1. */
public sealed interface Fault {

    /** SIGKILL, and another start after a while. */
    record KillGateway(int gateway, Duration gone) implements Fault {}

    /** SIGSTOP, and SIGCONT after a while. */
    record FreezeGateway(int gateway, Duration time) implements Fault {}

    /** SIGTERM and another start, as at a deploy. */
    record RedeployGateway(int gateway) implements Fault {}

    /** One more gateway for a while. */
    record AddGateway(int gateway, Duration time) implements Fault {}

    /** SIGKILL, and another start after a while. */
    record KillWorker(int worker, Duration gone) implements Fault {}

    /** SIGSTOP, and SIGCONT soon enough for its processes to live on. */
    record FreezeWorker(int worker, Duration time) implements Fault {}

    /** SIGSTOP beyond the retention, and SIGCONT: it ends, and is started again. */
    record LoseWorker(int worker, Duration time) implements Fault {}

    /** SIGTERM, which drains, and another start. */
    record RedeployWorker(int worker) implements Fault {}

    /** {@code perigee drain}, and what takes it back after a while. */
    record DrainWorker(int worker, Duration drained) implements Fault {}

    /** One more worker for a while: partitions move there, and leave as it stops. */
    record AddWorker(int worker, Duration time) implements Fault {}

    /** The network between the gateways and a worker is cut for a while. */
    record CutLink(int worker, Duration time) implements Fault {}

    /** All connections of that network are reset. */
    record ResetLink(int worker) implements Fault {}

    /** All connections of that network go silent, and nobody is told. */
    record SilenceLink(int worker) implements Fault {}

    /** The network between a gateway and the broker is cut for a while. */
    record CutBroker(int gateway, Duration time) implements Fault {}

    /** SIGKILL, and another start after a while. */
    record RestartBroker(Duration gone) implements Fault {}

    /** SIGSTOP, and SIGCONT after a while. */
    record FreezeBroker(Duration time) implements Fault {}

    /** The broker answers late for a while. */
    record SlowBroker(Duration latency, Duration time) implements Fault {}

    /** A user's MCP server exits. */
    record CrashServer(int user) implements Fault {}
}
