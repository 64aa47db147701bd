package dev.perigee.worker.mcp;

import dev.perigee.worker.egress.EgressPolicy;
import java.time.Duration;

/**
 * Options of connections to HTTP servers; {@link HttpSettings} has the keys and explains each.
 *
 * @param connectTimeout until the connection and its TLS are made
 * @param noticeTimeout until a server took a message that has no answer, or the end of its session
 * @param egress where servers may be
 */
public record HttpOptions(Duration connectTimeout, Duration noticeTimeout, EgressPolicy egress) {}
