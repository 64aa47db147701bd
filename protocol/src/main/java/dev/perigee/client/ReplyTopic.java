package dev.perigee.client;

import org.jspecify.annotations.Nullable;

/**
 * A topic of the backend's own for the answers to its requests. It must exist and match the
 * gateways' {@code replies.allowed-topics}.
 *
 * @param name full name of the topic
 * @param partition of this instance of the backend, where several share the topic; null reads all
 */
public record ReplyTopic(String name, @Nullable Integer partition) {}
