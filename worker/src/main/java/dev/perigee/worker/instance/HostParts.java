package dev.perigee.worker.instance;

import dev.perigee.worker.mcp.HttpConnections;
import dev.perigee.worker.mcp.LineRoom;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.isolation.Isolation;
import dev.perigee.worker.process.packages.Deletion;
import dev.perigee.worker.process.packages.PackagePreparer;
import dev.perigee.worker.secret.Secrets;
import dev.perigee.worker.tool.Retrying;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Parts that all instances of a worker share.
 *
 * @param timers one thread for short tasks that never block
 */
record HostParts(
        InstanceOptions options,
        ProcessLauncher launcher,
        Termination termination,
        Isolation isolation,
        PackagePreparer packages,
        Deletion deletion,
        HttpConnections connections,
        LineRoom lines,
        Retrying retrying,
        InstantSource clock,
        ScheduledExecutorService timers,
        StartSlots slots,
        IdleSweep sweep,
        UsageSweep usage,
        AwakeServers awake,
        Secrets secrets) {}
