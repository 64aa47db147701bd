package dev.perigee.worker.mcp;

import java.time.Duration;

/**
 * How HTTP servers are reached; {@link HttpSettings} has the keys and explains each.
 *
 * @param connectTimeout until the connection and its TLS are made
 * @param noticeTimeout until a server took a message that has no answer, or the end of its session
 */
public record HttpOptions(Duration connectTimeout, Duration noticeTimeout) {}
