package dev.perigee.worker.instance;

import dev.perigee.worker.log.LogOptions;
import dev.perigee.worker.mcp.HttpOptions;
import dev.perigee.worker.mcp.McpOptions;
import dev.perigee.worker.oauth.OAuthOptions;
import dev.perigee.worker.process.packages.PackageOptions;
import dev.perigee.worker.secret.SecretOptions;
import dev.perigee.worker.tool.RetryOptions;
import java.time.Duration;
import java.util.List;

/**
 * Options of instances; {@link InstanceSettings} has the keys and explains each.
 *
 * @param transitionWait how long a call waits for an instance in transition
 * @param maxCalls calls of one instance that may be under way
 * @param startSlotHold how long a start keeps its slot at most
 */
public record InstanceOptions(
        Duration handshakeTimeout,
        Duration requestTimeout,
        Duration connectivityTimeout,
        Duration credentialTimeout,
        Duration terminationGrace,
        Duration transitionWait,
        int maxCalls,
        int parallelStarts,
        Duration startSlotHold,
        List<String> allowedCommands,
        PackageOptions packages,
        RestartPolicy restart,
        IdlePolicy idle,
        McpOptions mcp,
        HttpOptions http,
        RetryOptions retry,
        LogOptions logs,
        AwakeLimits awake,
        ProbeOptions probes,
        SecretOptions secrets,
        OAuthOptions oauth) {

    public InstanceOptions {
        allowedCommands = List.copyOf(allowedCommands);
    }

    /** The same, for other programs. */
    public InstanceOptions withAllowedCommands(List<String> commands) {
        return new InstanceOptions(
                handshakeTimeout,
                requestTimeout,
                connectivityTimeout,
                credentialTimeout,
                terminationGrace,
                transitionWait,
                maxCalls,
                parallelStarts,
                startSlotHold,
                commands,
                packages,
                restart,
                idle,
                mcp,
                http,
                retry,
                logs,
                awake,
                probes,
                secrets,
                oauth);
    }
}
